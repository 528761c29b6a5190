/** The message of whatever was thrown; libraries throw strings and plain objects too. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null) {
    const { message } = thrown as { message?: unknown };
    return typeof message === "string" ? message : "an object without a message was thrown";
  }
  return String(thrown);
}
