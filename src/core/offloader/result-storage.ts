import type { FormatResult, SlotContent } from "../engine/format.js";
import { serializeContent } from "../engine/content.js";
import type { Hash } from "../engine/hash.js";
import type { Sink } from "../engine/sink.js";
import type { ToolResult } from "../engine/tool-result.js";
import { idOfContent } from "../workspace/artifacts/artifact-id.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import type {
  ArtifactInput,
  PutOptions,
  PutOutcome,
  Workspace,
} from "../workspace/workspace-types.js";
import type { DepartureMemory } from "./departure-memory.js";
import type { PlacedResult } from "./survey-format.js";
import type { OffloaderSettings } from "./offloader-types.js";
import type { Refusal, StoredResult } from "./stored-result.js";

/** A longer content surely pays; whether a shorter one does is looked at before it is stored. */
const SURE_TO_PAY_CHARS = 12_000;

/** Tells that a reference stands in the conversation, and not the content beside a copy of it. */
const OFFLOADED_KEY = "offloaded_as";

/** Where the dialect's own part of a result is kept. */
const WRAPPING_KEY = "format_wrapping";

/** Takes what leaves into the workspace; remembers why something did not go. */
export class ResultStorage implements Sink<StoredResult> {
  readonly refusals = new Map<ToolResult, Refusal>();
  readonly #settings: OffloaderSettings;
  readonly #hash: Hash;
  readonly #memory: DepartureMemory;
  #held: Promise<ReadonlySet<string>> | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #byId = new Map<string, Promise<unknown>>();

  constructor(
    settings: OffloaderSettings & { readonly hash: Hash },
    memory: DepartureMemory,
    signal: AbortSignal | undefined,
  ) {
    this.#settings = settings;
    this.#memory = memory;
    this.#hash = settings.hash;
    this.#signal = signal;
  }

  put(result: ToolResult): Promise<StoredResult | undefined> {
    const placed = result as PlacedResult;
    if (result.id === undefined) return this.#store(placed);
    // Results of one id go one after the other, so that who gets the plain id is no race.
    const before = this.#byId.get(result.id) ?? Promise.resolve();
    const stored = before.then(() => this.#store(placed));
    this.#byId.set(
      result.id,
      stored.catch(() => undefined),
    );
    return stored;
  }

  /** What `put` would answer, without storing anything. */
  preview(result: ToolResult): StoredResult | undefined {
    const placed = result as PlacedResult;
    const preview = this.#settings.workspace.preview(
      this.#inputOf(placed),
      this.#optionsFor(placed),
    );
    if (preview.reference.length < result.chars) return { ...preview, artifactId: undefined };
    const reason = "its reference would not be shorter";
    this.refusals.set(result, { outcome: "kept", reason });
    return undefined;
  }

  async #store(result: PlacedResult): Promise<StoredResult | undefined> {
    const known = this.#memory.find(result);
    if (known && (await this.#holds(known))) return known;
    if (result.chars < SURE_TO_PAY_CHARS && !this.preview(result)) return undefined;
    const { workspace, onError } = this.#settings;
    try {
      const { record, reference } = await this.#putAsIs(workspace, result);
      const { size, artifactId } = record;
      const stored = { reference, tokens: size.tokens, artifactId };
      this.#memory.keep(result, stored);
      return stored;
    } catch (error) {
      // The workspace has told the logger. What was called off is no failure of storage.
      if (onError !== "keep" || this.#signal?.aborted) throw error;
      this.refusals.set(result, { outcome: "failed", reason: "it could not be stored", error });
      return undefined;
    }
  }

  /** Whether the artifact is still there; somebody may have removed it since. */
  async #holds({ artifactId }: StoredResult): Promise<boolean> {
    this.#held ??= listHeld(this.#settings).then(
      (artifacts) => new Set(artifacts.map((artifact) => artifact.artifactId)),
    );
    return artifactId !== undefined && (await this.#held).has(artifactId);
  }

  /** The same content in another form of result is another artifact: it must come back in its own. */
  async #putAsIs(workspace: Workspace, result: PlacedResult): Promise<PutOutcome> {
    const input = this.#inputOf(result);
    const options = { ...this.#optionsFor(result), signal: this.#signal };
    const isOwn = ({ record }: PutOutcome) =>
      JSON.stringify(record.metadata[WRAPPING_KEY]) === JSON.stringify(result.found.wrapping);
    const first = await workspace.put(input, options);
    if (isOwn(first)) return first;
    const base = result.id ?? idOfContent(first.record.hash);
    const formHash = this.#hash(JSON.stringify([first.record.hash, result.found.wrapping]));
    for (const suffix of [formHash.slice(0, 12), formHash]) {
      const other = await workspace.put({ ...input, artifactId: `${base}-${suffix}` }, options);
      if (isOwn(other)) return other;
    }
    throw new Error("this content is stored in every form but its own");
  }

  #inputOf({ content, toolName, isError, found }: PlacedResult): ArtifactInput {
    const { agentId, taskId } = this.#settings;
    return {
      content,
      metadata: {
        context_type: "tool_result",
        [OFFLOADED_KEY]: "reference",
        agent_id: agentId ?? null,
        task_id: taskId ?? null,
        tool_name: toolName ?? null,
        ...(isError ? { is_error: true } : {}),
        ...(found.wrapping === undefined ? {} : { [WRAPPING_KEY]: found.wrapping }),
      },
    };
  }

  #optionsFor({ id }: PlacedResult): PutOptions {
    const { sessionId, parentSessionId } = this.#settings;
    return { toolCallId: id, sessionId, parentSessionId };
  }
}

/** Fetches a stored content to be put back. */
export async function fetchContent(
  { workspace, sessionId }: OffloaderSettings,
  artifactId: string,
  slot: number,
  signal: AbortSignal | undefined,
): Promise<SlotContent> {
  const scope = { sessionId, signal };
  const { metadata } = await workspace.getArtifact(artifactId, scope);
  const content = (await workspace.getOriginal(artifactId, scope)) as SlotContent["content"];
  return { slot, content, wrapping: metadata[WRAPPING_KEY] };
}

/** Knows what the session holds already, by id and size: what left before is known again by these. */
export async function findOffloadedBefore(
  settings: OffloaderSettings,
): Promise<(result: FormatResult) => boolean> {
  const held = new Map<string, Set<number>>();
  for (const { metadata, size } of await listHeld(settings)) {
    if (metadata.biz_id === null || metadata[OFFLOADED_KEY] !== "reference") continue;
    held.set(metadata.biz_id, (held.get(metadata.biz_id) ?? new Set()).add(size.chars));
  }
  return ({ id, content }) => {
    const sizes = id === undefined ? undefined : held.get(id);
    return sizes !== undefined && sizes.has(serializeContent(content).length);
  };
}

async function listHeld({ workspace, sessionId }: OffloaderSettings): Promise<ArtifactRecord[]> {
  const artifacts: ArtifactRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await workspace.queryArtifacts(
      { session_id: sessionId },
      { sessionId, limit: 10_000, cursor },
    );
    artifacts.push(...page.artifacts);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return artifacts;
}
