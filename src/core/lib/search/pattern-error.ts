/** A pattern cannot be searched for. */
export class PatternError extends Error {
  override readonly name = "PatternError";

  /** @param reason - What is wrong with it and how to fix it; a sentence without its full stop. */
  constructor(readonly reason: string) {
    super(`The pattern cannot be searched for: ${reason}.`);
  }

  /** By its shape: an error of another thread or realm is an instance of another class. */
  static isInstance(value: unknown): value is PatternError {
    const { name, reason } = (value ?? {}) as { name?: unknown; reason?: unknown };
    return name === "PatternError" && typeof reason === "string";
  }
}
