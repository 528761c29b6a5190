import type { OffloadSession } from "./connect-sessions.js";

/** References in arguments that are JSON in a string, which is kept as it is if there are none. */
export async function resolveJson(
  session: OffloadSession,
  toolName: string,
  input: string,
  signal?: AbortSignal,
): Promise<string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input);
  } catch {
    return input;
  }
  const resolved = await session.resolve(toolName, parsed, signal);
  return resolved === parsed ? input : JSON.stringify(resolved);
}
