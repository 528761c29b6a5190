import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import type { ArtifactRecord } from "./artifact.js";
import { detailsOf, entryOf, sizeOf } from "./describe-record.js";
import type { EventReporter } from "./events.js";
import { takeContent, type Intake } from "./intake.js";
import type { KnowledgeEntry } from "./knowledge-list.js";
import { completeMetadata } from "./metadata.js";
import type { ArtifactInput, PutOptions } from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

/** Artifacts of a caller who names no session. */
const DEFAULT_SESSION = "default";

/** An artifact that is stored, with what its reference says. */
export interface StoredIntake {
  readonly record: ArtifactRecord;
  readonly intake: Intake;
  readonly entry: KnowledgeEntry;
}

/** Stores one content and tells the logger. */
export function createPut(
  wiring: WorkspaceWiring,
  events: EventReporter,
): (input: ArtifactInput, options: PutOptions) => Promise<StoredIntake> {
  const { store, clock } = wiring;
  return async (input, options) => {
    const given = input.metadata ?? {};
    const bizId = options.bizId ?? asText(given["biz_id"]);
    const sessionId = options.sessionId ?? asText(given["session_id"]);
    const known = { biz_id: bizId ?? null, session_id: sessionId ?? null };
    return events.observe(
      "put",
      known,
      async () => {
        options.signal?.throwIfAborted();
        const intake = takeContent(requireContent(input.content), wiring);
        const session = sessionId ?? DEFAULT_SESSION;
        const record = await store.put({
          sessionId: session,
          wantedId: input.artifactId || bizId || undefined,
          type: intake.type,
          content: intake.bytes,
          describe: () => {
            // Made while the system writes; the reference takes it from here.
            intake.digest();
            return intake.describe();
          },
          createdAt: new Date(clock.now()).toISOString(),
          metadata: completeMetadata(given, bizId, sessionId),
        });
        if (options.parentSessionId !== undefined) {
          await store.addChild(options.parentSessionId, session);
        }
        return { record, intake, entry: entryOf(record, intake) };
      },
      ({ record }) => ({ event: "offload", ...detailsOf(record), ...sizeOf(record) }),
    );
  };
}

function requireContent(content: unknown): ArtifactInput["content"] {
  if (typeof content === "string" || Array.isArray(content)) return content;
  if (typeof content === "object" && content !== null && Symbol.asyncIterator in content) {
    return content as AsyncIterable<Uint8Array>;
  }
  const expected = "a string, an array of blocks, or an async iterable of bytes";
  throw new InvalidArgumentError("content", content, expected);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
