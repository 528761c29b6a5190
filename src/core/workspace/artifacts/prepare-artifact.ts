import { requireObject } from "../../arguments.js";
import { DEFAULTS } from "../../defaults.js";
import { serializeContent, type Content } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { stopOnAbort } from "../../lib/concurrency.js";
import { isData, nonEmptyText } from "../../lib/json/plain-json.js";
import type { EventDetails } from "../events.js";
import { readablePath } from "./readable-view.js";
import { renderKnowledgeList, type KnowledgeEntry } from "../reference/knowledge-list.js";
import type { ArtifactInput, StoreOptions } from "../workspace-types.js";
import type { WorkspaceWiring } from "../workspace-wiring.js";
import type { NewArtifact } from "./artifact-store.js";
import { type ArtifactRecord, completeMetadata, idOfContent, readMetadata } from "./artifact.js";
import {
  redactContent,
  type Redact,
  type RedactContext,
  prepareContent,
  type KnownContent,
  type PreparedContent,
} from "./prepare-content.js";

/** An artifact that was stored. */
export interface StoredArtifact {
  readonly record: ArtifactRecord;
  readonly content: PreparedContent;
  /** What a reference says about it. */
  readonly entry: KnowledgeEntry;
  readonly reference: string;
}

/** An artifact that is ready to be stored. Digest, tokens, hash and reference are made once. */
export interface PreparedArtifact {
  readonly content: PreparedContent;
  /** What the logger gets to know of it. */
  readonly details: EventDetails;
  /** The reference, with this id or the one it should have. Not for streams. */
  reference(artifactId?: string): string;
  store(): Promise<StoredArtifact>;
}

/** Checks and prepares what a caller wants to store. */
export function prepareArtifact(
  wiring: WorkspaceWiring,
  input: ArtifactInput,
  options: StoreOptions,
  known?: KnownContent,
): PreparedArtifact {
  requireObject("artifact", input, "an object with content");
  requireTexts({ artifactId: input.artifactId, ...options });
  let given = readMetadata(input.metadata);
  const toolCallId = options.toolCallId ?? nonEmptyText(given["biz_id"]);
  const sessionId = options.sessionId ?? nonEmptyText(given["session_id"]);
  let source = stoppable(requireContent(input.content), options.signal);
  let facts = known;
  if (wiring.redact && isValue(source)) {
    const context = { sessionId, toolCallId, toolName: nonEmptyText(given["tool_name"]) };
    const { content, redactions } = redactContent(source, wiring.redact, context);
    // It is known by what it was, so that the next turn knows it again.
    const hash = known?.hash ?? wiring.hash(serializeContent(source));
    facts = redactions === 0 ? { ...known, hash } : { hash };
    if (redactions > 0) given = withoutSecrets(given, wiring.redact, context, redactions);
    source = content;
  }
  const content = prepareContent(source, wiring, facts);
  const metadata = completeMetadata(given, toolCallId, sessionId);
  const wantedId = input.artifactId || toolCallId || undefined;
  let shown: { readonly entry: KnowledgeEntry; readonly reference: string } | undefined;
  const show = (artifactId: string, hash: string, path: string) => {
    const { entry: last } = shown ?? {};
    if (last?.artifactId !== artifactId || last.hash !== hash || last.path !== path) {
      const entry = entryOf(artifactId, hash, content, path);
      shown = { entry, reference: renderKnowledgeList([entry], wiring.notice) };
    }
    return shown as NonNullable<typeof shown>;
  };
  const showKnown = (artifactId?: string) => {
    const hash = content.hash?.() ?? "";
    return show(artifactId ?? wantedId ?? idOfContent(hash), hash, "");
  };

  return {
    content,
    details: {
      biz_id: metadata.biz_id,
      session_id: metadata.session_id,
      tool_name: metadata.tool_name,
      context_type: metadata.context_type,
      ...(typeof metadata[REDACTIONS_KEY] === "number"
        ? { redactions: metadata[REDACTIONS_KEY] }
        : {}),
      ...(typeof input.content === "string" ? { chars: input.content.length } : {}),
    },

    reference: (artifactId) => showKnown(artifactId).reference,

    async store() {
      const session = sessionId ?? DEFAULTS.session;
      // A stream has a size and a digest only at its end.
      const isKnown = content.content !== undefined;
      const steps = isKnown ? [content.tokens, content.scan, () => showKnown()] : [];
      const record = await storeOrAbort(wiring, options.signal, {
        sessionId: session,
        wantedId,
        type: content.type,
        content: content.bytes(),
        hash: content.hash,
        size: () => content.size(),
        computeAhead() {
          try {
            steps.shift()?.();
          } catch {
            // It fails again where it is needed.
          }
        },
        createdAt: new Date(wiring.clock.now()).toISOString(),
        metadata,
      });
      if (options.parentSessionId !== undefined) {
        await wiring.store.addChild(options.parentSessionId, session);
      }
      const path =
        wiring.notice.readBy === "path"
          ? await readablePath(wiring.store, record, options.signal)
          : "";
      return { record, content, ...show(record.artifactId, record.hash, path) };
    },
  };
}

/** Metadata: how much was redacted before the content was stored. */
export const REDACTIONS_KEY = "redactions";

/** Metadata: the wrapping of a result in its format. */
export const WRAPPING_KEY = "format_wrapping";

/** Metadata may repeat the content: the raw JSON of a result goes, every other text is redacted like it. */
function withoutSecrets(
  given: Readonly<Record<string, unknown>>,
  redact: Redact,
  context: RedactContext,
  redactions: number,
): Readonly<Record<string, unknown>> {
  const { [WRAPPING_KEY]: wrapping, ...rest } = given;
  const isRaw = typeof wrapping === "string" && /^["[{]/.test(wrapping);
  const { content } = redactContent(rest, redact, context);
  return {
    ...(content as Readonly<Record<string, unknown>>),
    ...(wrapping === undefined || isRaw ? {} : { [WRAPPING_KEY]: wrapping }),
    [REDACTIONS_KEY]: redactions,
  };
}

function isValue(source: ArtifactInput["content"]): source is Content {
  return typeof source === "string" || !(Symbol.asyncIterator in source);
}

/** An aborted put throws the signal's reason, not the error that the store made of it. */
async function storeOrAbort(
  { store }: WorkspaceWiring,
  signal: AbortSignal | undefined,
  artifact: NewArtifact,
): Promise<ArtifactRecord> {
  try {
    return await store.put(artifact);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function entryOf(
  artifactId: string,
  hash: string,
  content: PreparedContent,
  path: string,
): KnowledgeEntry {
  return {
    artifactId,
    hash,
    chars: content.size().chars,
    lines: content.viewLines(),
    digest: content.digest(),
    path,
  };
}

function stoppable(
  content: ArtifactInput["content"],
  signal: AbortSignal | undefined,
): ArtifactInput["content"] {
  const isStream = typeof content !== "string" && Symbol.asyncIterator in content;
  return isStream && signal ? stopOnAbort(content, signal) : content;
}

const TEXTS = ["artifactId", "toolCallId", "sessionId", "parentSessionId"] as const;

function requireTexts(options: Partial<Record<(typeof TEXTS)[number], unknown>>): void {
  for (const name of TEXTS) {
    const value = options[name] ?? "";
    if (typeof value !== "string") throw new InvalidArgumentError(name, value, "a string");
  }
}

function requireContent(content: unknown): ArtifactInput["content"] {
  if (typeof content === "string" || Array.isArray(content)) return content;
  if (typeof content === "object" && content !== null && Symbol.asyncIterator in content) {
    return content as AsyncIterable<Uint8Array>;
  }
  if (typeof content === "object" && content !== null && isData(content)) {
    return content as Readonly<Record<string, unknown>>;
  }
  const expected = "a string, an array of blocks, a JSON object, or an async iterable of bytes";
  throw new InvalidArgumentError("content", content, expected);
}
