import { InvalidArgumentError } from "../../errors/invalid-argument-error.js";
import { requireObject } from "../../arguments.js";
import type { ArtifactRecord } from "./artifact.js";
import type { NewArtifact } from "./artifact-store.js";
import { detailsOf, entryOf, sizeOf } from "./describe-record.js";
import type { EventDetails, EventReporter } from "../events.js";
import { prepareContent, type PreparedContent } from "./prepare-content.js";
import type { KnowledgeEntry } from "../reference/knowledge-list.js";
import { completeMetadata, readMetadata } from "./metadata.js";
import type { ArtifactInput, PutOptions } from "../workspace-types.js";
import type { WorkspaceWiring } from "../workspace-wiring.js";

/** Artifacts of a caller who names no session. */
const DEFAULT_SESSION = "default";

/** An artifact that is stored, with what its reference says. */
export interface StoredContent {
  readonly record: ArtifactRecord;
  readonly prepared: PreparedContent;
  readonly entry: KnowledgeEntry;
}

/** Stores one content and tells the logger. */
export function createPut(
  wiring: WorkspaceWiring,
  events: EventReporter,
): (input: ArtifactInput, options: PutOptions) => Promise<StoredContent> {
  const { store, clock } = wiring;
  /** An aborted put fails with the reason it was given, not with how the store took it. */
  const storeOrAbort = async (signal: AbortSignal | undefined, artifact: NewArtifact) => {
    try {
      return await store.put(artifact);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  };
  return async (input, options) => {
    const known: EventDetails = {};
    return events.observe(
      "put",
      known,
      async () => {
        options.signal?.throwIfAborted();
        requireObject("artifact", input, "an object with content");
        requireTexts({ artifactId: input.artifactId, ...options });
        const given = readMetadata(input.metadata);
        const toolCallId = options.toolCallId ?? asText(given["biz_id"]);
        const sessionId = options.sessionId ?? asText(given["session_id"]);
        Object.assign(known, {
          biz_id: toolCallId ?? null,
          session_id: sessionId ?? null,
          tool_name: asText(given["tool_name"]) ?? null,
          context_type: asText(given["context_type"]) ?? "tool_result",
          ...(typeof input.content === "string" ? { chars: input.content.length } : {}),
        });
        const prepared = prepareContent(requireContent(input.content), wiring);
        const session = sessionId ?? DEFAULT_SESSION;
        const record = await storeOrAbort(options.signal, {
          sessionId: session,
          wantedId: input.artifactId || toolCallId || undefined,
          type: prepared.type,
          content: stopping(prepared.bytes, options.signal),
          describe: () => {
            // Made while the system writes; the reference takes it from here.
            prepared.digest();
            return prepared.describe();
          },
          createdAt: new Date(clock.now()).toISOString(),
          metadata: completeMetadata(given, toolCallId, sessionId),
        });
        if (options.parentSessionId !== undefined) {
          await store.addChild(options.parentSessionId, session);
        }
        return { record, prepared, entry: entryOf(record, prepared) };
      },
      ({ record }) => ({ event: "offload", ...detailsOf(record), ...sizeOf(record) }),
    );
  };
}

/** Bytes as they come, until the signal says stop. */
function stopping(
  content: PreparedContent["bytes"],
  signal: AbortSignal | undefined,
): PreparedContent["bytes"] {
  if (!signal || content instanceof Uint8Array) return content;
  return (async function* () {
    for await (const chunk of content) {
      signal.throwIfAborted();
      yield chunk;
    }
  })();
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
  if (isPlainObject(content)) return content;
  const expected = "a string, an array of blocks, a JSON object, or an async iterable of bytes";
  throw new InvalidArgumentError("content", content, expected);
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
