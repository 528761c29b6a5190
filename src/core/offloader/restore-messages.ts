import { requireOptions } from "../arguments.js";
import { hostCallback } from "../host-callback.js";
import type { Format, SlotContent } from "../engine/format.js";
import { readMessage } from "../engine/survey.js";
import { messageOf } from "../errors/describe-value.js";
import { REDACTIONS_KEY, WRAPPING_KEY } from "../workspace/artifacts/prepare-artifact.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
import { findReferenced } from "./held-session.js";
import type { RestoreOptions } from "./offloader-types.js";

/** The options of `restore`, with callbacks whose errors have a code. */
export function requireCallbacks(options: RestoreOptions | undefined): RestoreOptions {
  const { signal, onUnknown, onRedacted } = requireOptions(options);
  return {
    signal,
    onUnknown: hostCallback("onUnknown", onUnknown),
    onRedacted: hostCallback("onRedacted", onRedacted),
  };
}

/** Replaces references by the original content; messages without a reference are returned unchanged. */
export async function restoreMessages(
  messages: readonly unknown[],
  format: Format,
  core: WorkspaceCore,
  sessionId: string,
  { signal, onUnknown, onRedacted }: RestoreOptions,
): Promise<readonly unknown[]> {
  signal?.throwIfAborted();
  const session = await core.listSession(sessionId);
  const restored = messages.slice();
  let changed = false;
  for (const [messageIndex, message] of messages.entries()) {
    const contents: SlotContent[] = [];
    const { results } = readMessage(format, message, (error) => {
      const why = `message ${messageIndex} cannot be read and is kept: ${messageOf(error)}`;
      core.note("failure", "restore", { session_id: sessionId, error: why });
    });
    for (const { id, slot, soleText } of results) {
      const target = parseReference(soleText, id);
      if (!target) continue;
      const record = findReferenced(session, soleText, id);
      const original = record && (await core.original(record, signal));
      if (record && original !== undefined && isContent(original)) {
        contents.push({ slot, content: original, wrapping: record.metadata[WRAPPING_KEY] });
        const { [REDACTIONS_KEY]: redactions } = record.metadata;
        if (typeof redactions === "number") {
          const { artifactId } = record;
          onRedacted?.({ messageIndex, toolCallId: id, artifactId, redactions });
        }
        continue;
      }
      const { artifactId } = target;
      const error = "the session holds no such artifact; the reference was kept";
      core.note("failure", "restore", { artifact_id: artifactId, session_id: sessionId, error });
      onUnknown?.({ messageIndex, toolCallId: id, artifactId });
    }
    if (contents.length === 0) continue;
    restored[messageIndex] = format.restore(message, contents);
    changed = true;
  }
  return changed ? restored : messages;
}
