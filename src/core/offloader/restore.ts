import { requireOptions, hostCallback } from "../arguments.js";
import {
  serializeContent,
  type Format,
  type FormatResult,
  type SlotContent,
} from "../engine/format.js";
import { readCallsAndResults } from "../engine/survey.js";
import { ArtifactGoneError } from "../errors/reading-errors.js";
import { messageOf } from "../errors/context-offload-error.js";
import { REDACTIONS_KEY, WRAPPING_KEY } from "../workspace/artifacts/artifact.js";
import { parseReference } from "../workspace/reference/knowledge-list.js";
import { isContent, type WorkspaceCore } from "../workspace/workspace-core.js";
import { createPartRestorer, type OriginalReader } from "./large-parts.js";
import type { RestoreOptions } from "./offloader-types.js";
import { CallIndex, type Call } from "./reads.js";
import { markCall, PlaceCounter, takePlace } from "./reference-place.js";
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

const NOT_HELD = "the session holds no such artifact for this place; the text was kept";

/**
 * Puts back everything that was replaced, in one pass: results and large parts. Messages without any are
 * returned unchanged, and so is the array if there is no other. What the session held once and cannot
 * give back throws; anything else that looks like a reference is kept, and told.
 */
export async function restoreMessages(
  messages: readonly unknown[],
  { core, sessionId, format }: RestoreWiring,
  { signal, onUnknown, onRedacted }: RestoreOptions,
): Promise<readonly unknown[]> {
  signal?.throwIfAborted();
  const session = await core.listSession(sessionId);
  const calls = new CallIndex<Pick<Call, "id" | "name" | "mark">>();
  const places = new PlaceCounter();

  const reader: OriginalReader = {
    session,
    hash: core.hash,
    async read(at, artifactId, found, fits) {
      if (found?.isGone) throw new ArtifactGoneError(artifactId, "removed");
      const original = found && (await core.original(found.record, signal));
      if (!found || original === undefined || !isContent(original) || fits?.(original) === false) {
        const details = { artifact_id: artifactId, session_id: sessionId, error: NOT_HELD };
        core.note("failure", "restore", details);
        onUnknown?.({ ...at, artifactId });
        return undefined;
      }
      const { [REDACTIONS_KEY]: redactions } = found.record.metadata;
      if (typeof redactions === "number") {
        onRedacted?.({ ...at, artifactId, redactions });
      }
      return original;
    },
  };

  /** What was in the place of this result; `undefined` if it is content, or cannot be put back. */
  const originalOf = async (
    result: FormatResult,
    messageIndex: number,
  ): Promise<SlotContent | undefined> => {
    const { id, slot, soleText } = result;
    const target = parseReference(soleText, id);
    const call = calls.answeredBy(result);
    const hash = () => core.hash(serializeContent(result.content));
    const place = takePlace(places, result, call, target, hash);
    if (!target) return undefined;
    const referenced = findReferenced(session, { id, soleText, place });
    const found = referenced?.isUnplaced ? undefined : referenced;
    const content = await reader.read({ messageIndex, toolCallId: id }, target.artifactId, found);
    if (content === undefined) return undefined;
    return { slot, content, wrapping: found?.record.metadata[WRAPPING_KEY] };
  };

  const restored: unknown[] = [];
  const restoreParts = createPartRestorer(format, reader);
  for (const [messageIndex, given] of messages.entries()) {
    // Before its parts are put back: an input that was redacted is no longer that of its call.
    const read = readCallsAndResults(format, given, (error) => {
      const why = `message ${messageIndex} cannot be read and is kept: ${messageOf(error)}`;
      core.note("failure", "restore", { session_id: sessionId, error: why });
    });
    calls.add(read.calls.map(({ id, name, input }) => ({ id, name, mark: markCall(name, input) })));
    const message = await restoreParts(given, messageIndex);
    const contents: SlotContent[] = [];
    for (const result of read.results) {
      const original = await originalOf(result, messageIndex);
      if (original) contents.push(original);
    }
    restored.push(contents.length === 0 ? message : format.restore(message, contents));
  }
  return restored.every((message, index) => message === messages[index]) ? messages : restored;
}
