/**
 * An error inside a store or a search. It has no code: whoever calls makes it the cause of one that
 * has, so that no caller of the package gets it as it is.
 */
export class CauseError extends Error {}
