/** A source ended before the size that it stated. */
export class ShortSourceError extends Error {
  constructor(
    /** What was to be read: from `start` up to `end`. */
    readonly start: number,
    readonly end: number,
    /** Where the bytes ended. */
    readonly endedAt: number,
  ) {
    super(`they end at byte ${endedAt}; the content was cut short`);
    this.name = "ShortSourceError";
  }
}
