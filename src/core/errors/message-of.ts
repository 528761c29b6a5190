/** The message of whatever was thrown; libraries throw strings and plain objects too. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown === "object" && thrown !== null && "message" in thrown) {
    return String(thrown.message);
  }
  return String(thrown);
}
