import { requireOptions, hostCallback } from "../arguments.js";
import type { Format, FormatResult, SlotContent } from "../engine/format.js";
import { readResults } from "../engine/survey.js";
import { messageOf } from "../errors/context-offload-error.js";
import { REDACTIONS_KEY, WRAPPING_KEY } from "../workspace/artifacts/artifact.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
import { restoreParts } from "./large-parts.js";
import type { RestoreOptions } from "./offloader-types.js";
import { findReferenced } from "./session-index.js";

/** The options of `restore`, with callbacks whose errors have a code. */
export function requireCallbacks(options: RestoreOptions | undefined): RestoreOptions {
  const { signal, onUnknown, onRedacted } = requireOptions(options);
  return {
    signal,
    onUnknown: hostCallback("onUnknown", onUnknown),
    onRedacted: hostCallback("onRedacted", onRedacted),
  };
}

export interface RestoreWiring {
  readonly core: WorkspaceCore;
  readonly sessionId: string;
  readonly format: Format;
}

const NOT_HELD = "the session holds no such artifact; the reference was kept";

/**
 * Puts back everything that was replaced, in one pass: results and large parts. Messages without any are returned unchanged, and so is the array if there is no other.
 */
export async function restoreMessages(
  messages: readonly unknown[],
  { core, sessionId, format }: RestoreWiring,
  { signal, onUnknown, onRedacted }: RestoreOptions,
): Promise<readonly unknown[]> {
  signal?.throwIfAborted();
  const session = await core.listSession(sessionId);

  const tell = (messageIndex: number, toolCallId: string | undefined, artifactId: string): void => {
    const details = { artifact_id: artifactId, session_id: sessionId, error: NOT_HELD };
    core.note("failure", "restore", details);
    onUnknown?.({ messageIndex, toolCallId, artifactId });
  };

  /** What was in the place of this result; `undefined` if it is content, or cannot be put back. */
  const originalOf = async (
    result: FormatResult,
    messageIndex: number,
  ): Promise<SlotContent | undefined> => {
    const { id, slot, soleText } = result;
    const target = parseReference(soleText, id);
    if (!target) return undefined;
    const record = findReferenced(session, soleText, id);
    const original = record && (await core.original(record, signal));
    if (!record || original === undefined || !isContent(original)) {
      tell(messageIndex, id, target.artifactId);
      return undefined;
    }
    const { artifactId, metadata } = record;
    const { [REDACTIONS_KEY]: redactions, [WRAPPING_KEY]: wrapping } = metadata;
    if (typeof redactions === "number") {
      onRedacted?.({ messageIndex, toolCallId: id, artifactId, redactions });
    }
    return { slot, content: original, wrapping };
  };

  const restored: unknown[] = [];
  for (const [messageIndex, given] of messages.entries()) {
    const message = await restoreParts(given, format, session, core, signal, (id, artifactId) => {
      tell(messageIndex, id, artifactId);
    });
    const found = readResults(format, message, (error) => {
      const why = `message ${messageIndex} cannot be read and is kept: ${messageOf(error)}`;
      core.note("failure", "restore", { session_id: sessionId, error: why });
    });
    const contents: SlotContent[] = [];
    for (const result of found) {
      const original = await originalOf(result, messageIndex);
      if (original) contents.push(original);
    }
    restored.push(contents.length === 0 ? message : format.restore(message, contents));
  }
  return restored.every((message, index) => message === messages[index]) ? messages : restored;
}
