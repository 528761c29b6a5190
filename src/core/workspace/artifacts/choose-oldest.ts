import type { KeptLimits, Removal } from "./artifact-store.js";
import type { ArtifactRecord } from "./artifact.js";
import { byTime } from "./list-artifacts.js";

/** What `removeOldest` removes of these artifacts, for a store that lists them rather than has an index. */
export function chooseOldest(
  records: readonly ArtifactRecord[],
  { beyond, limit }: Pick<Removal, "beyond" | "limit">,
): ArtifactRecord[] {
  const oldest = [...records].sort(byTime);
  if (!beyond) return oldest.slice(0, limit);
  const { olderThan, keepSince, perSession = {} } = beyond;
  const chosen = new Set(chooseBeyond(oldest, beyond, olderThan));
  for (const session of bySession(oldest.filter((record) => !chosen.has(record))).values()) {
    for (const record of chooseBeyond(session, perSession, olderThan)) chosen.add(record);
  }
  const removed = oldest.filter((one) => chosen.has(one) && one.createdAt < keepSince);
  return removed.slice(0, limit);
}

/** Of records from the oldest to the newest, those beyond the limits. */
function chooseBeyond(
  records: readonly ArtifactRecord[],
  { maxBytes = Infinity, maxArtifacts = Infinity }: KeptLimits,
  olderThan = "",
): ArtifactRecord[] {
  let bytes = records.reduce((sum, { size }) => sum + size.bytes, 0);
  let count = records.length;
  const chosen: ArtifactRecord[] = [];
  for (const record of records) {
    const isTooMuch = bytes > maxBytes || count > maxArtifacts;
    if (!isTooMuch && record.createdAt >= olderThan) break;
    chosen.push(record);
    bytes -= record.size.bytes;
    count--;
  }
  return chosen;
}

/** The records of each session, in their order. */
export function bySession(records: readonly ArtifactRecord[]): Map<string, ArtifactRecord[]> {
  const sessions = new Map<string, ArtifactRecord[]>();
  for (const record of records) {
    const session = sessions.get(record.sessionId);
    if (session) session.push(record);
    else sessions.set(record.sessionId, [record]);
  }
  return sessions;
}
