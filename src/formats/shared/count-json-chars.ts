/** The length of the value as JSON; 0 if it cannot be serialized. */
export function countJsonChars(value: unknown): number {
  try {
    return (JSON.stringify(value) as string | undefined)?.length ?? 0;
  } catch {
    return 0;
  }
}
