import { isPlainJson } from "../../core/lib/json/plain-json.js";
import type { ArrivedResult } from "../../core/offloader/offloader-types.js";
import type { OffloadSession } from "./connect-sessions.js";

/** What a function returned, or its reference. Values that are neither text nor JSON are kept. */
export async function offloadValue(
  session: OffloadSession,
  value: unknown,
  arrived: ArrivedResult,
): Promise<unknown> {
  if (typeof value === "string") return session.result(value, arrived);
  if (typeof value !== "object" || value === null || !isPlainJson(value)) return value;
  return session.result(value as Readonly<Record<string, unknown>>, arrived);
}
