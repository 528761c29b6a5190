/** A file of a known kind that something on this computer is missing for; the message says what. */
export class UnreadableHereError extends Error {
  readonly code = "UNREADABLE_HERE";
}
