import { isKnowledgeListFor, parseKnowledgeList } from "../workspace/reference/knowledge-list.js";
import type { FormatReader } from "./survey-format.js";
import type { OffloaderSettings } from "./offloader-types.js";
import { fetchContent } from "./result-storage.js";

/** Puts back what references stand for; messages without one stay the same objects. */
export async function restoreMessages(
  messages: readonly unknown[],
  reader: FormatReader,
  settings: OffloaderSettings,
  signal: AbortSignal | undefined,
): Promise<readonly unknown[]> {
  const restored = messages.slice();
  let changed = false;
  for (const [index, message] of messages.entries()) {
    const contents = [];
    for (const { id, slot, soleText } of reader.read(message).results) {
      if (soleText === undefined || !isKnowledgeListFor(soleText, id)) continue;
      const artifactId = parseKnowledgeList(soleText)?.[0] ?? "";
      contents.push(await fetchContent(settings, artifactId, slot, signal));
    }
    if (contents.length === 0) continue;
    restored[index] = reader.dialect.restore(message, contents);
    changed = true;
  }
  return changed ? restored : messages;
}
