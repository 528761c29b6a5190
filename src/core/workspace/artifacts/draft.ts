import { DEFAULTS } from "../../defaults.js";
import { serializeContent, type Content, type Hash } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { CallerFailedError } from "../../errors/storage-errors.js";
import { stopOnAbort } from "../../lib/concurrency.js";
import { scanSampled, type Digest, type DigestHints } from "../../lib/digest/digest.js";
import { sampleOfStream, sampleText, type SampledText } from "../../lib/digest/sampled-text.js";
import { isData, nonEmptyText } from "../../lib/json/plain-json.js";
import { countLines, createTextIndexer } from "../../lib/text/text-index.js";
import { encodeWtf8 } from "../../lib/text/wtf8.js";
import type { CountTokens } from "../../lib/tokens/estimate-tokens.js";
import { renderSent, renderValue } from "../../lib/wrapping/render-value.js";
import {
  renderKnowledgeList,
  type KnowledgeEntry,
  type NoticeOptions,
} from "../reference/knowledge-list.js";
import { escapeMarkup } from "../reference/markup.js";
import type { ArtifactInput, StoreOptions } from "../workspace-types.js";
import {
  completeMetadata,
  idOfContent,
  readMetadata,
  type ArtifactMetadata,
  type ArtifactRecord,
  type ArtifactType,
  type ContentSource,
  type TextSize,
} from "./artifact.js";
import type { NewArtifact } from "./artifact-store.js";
import { redactContent, redactMetadata, storedId, type Redact } from "./redaction.js";
import { readableOf } from "./readable-view.js";
import { createSampler } from "./stream-sample.js";

/** What a draft needs of its workspace. */
export interface DraftWiring {
  readonly hash: Hash;
  readonly countTokens: CountTokens;
  readonly digestChars: number;
  readonly notice: NoticeOptions;
  readonly redact?: Redact | undefined;
}

/** Where a draft belongs, and what its caller knows of it already. */
export interface DraftOptions extends StoreOptions {
  readonly hash?: string | undefined;
  readonly tokens?: number | undefined;
  /** Counts the tokens of its reference. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
  /** What its digest may take from the conversation. */
  readonly hints?: DigestHints | undefined;
  /** Whether its reference has no digest. */
  readonly isShort?: boolean | undefined;
  /** How many equal ones came before it, for its reference. Default 0. */
  readonly equalBefore?: number | undefined;
}

/** What is measured in one pass over the content, and what its digest is made from. */
interface Measured {
  readonly size: Omit<TextSize, "tokens">;
  /** Lines and characters of the readable view; `undefined` if counting them would take too long. */
  readonly viewLines: number | undefined;
  readonly viewChars: number | undefined;
  readonly sampled: SampledText;
  /** The length of what the digest describes. */
  readonly chars: number;
  /** Of a stream, estimated from what was kept of it. */
  readonly tokens?: number;
}

interface Owner {
  readonly sessionId: string;
  readonly wantedId: string | undefined;
  readonly metadata: ArtifactMetadata;
}

/**
 * Content on its way into a store, with everything that the store and the reference need to know of
 * it. Each value is made once, on first use; for a stream, only after all of it has been read.
 */
export abstract class Draft implements Owner {
  abstract readonly type: ArtifactType;
  /** The content as it is stored; `undefined` for a stream. */
  abstract readonly content: Content | undefined;
  /** What was stored, once it was. */
  record: ArtifactRecord | undefined;
  /** Where an agent that reads by path finds it, once it was stored. */
  path = "";
  readonly sessionId: string;
  readonly wantedId: string | undefined;
  readonly metadata: ArtifactMetadata;
  #measured: Measured | undefined;
  #scan: ((budgetChars: number) => Digest) | undefined;
  #digest: Digest | undefined;
  #entry: KnowledgeEntry | undefined;
  #reference: string | undefined;
  #referenceTokens: number | undefined;

  constructor(
    protected readonly wiring: DraftWiring,
    readonly options: DraftOptions,
    { sessionId, wantedId, metadata }: Owner,
  ) {
    this.sessionId = sessionId;
    this.wantedId = wantedId;
    this.metadata = metadata;
  }

  abstract get bytes(): Uint8Array | AsyncIterable<Uint8Array>;
  /** `undefined` for a stream, which the store hashes while reading it. */
  abstract get hash(): string | undefined;
  abstract get tokens(): number;
  protected abstract measure(): Measured;

  protected get measured(): Measured {
    return (this.#measured ??= this.measure());
  }

  get digest(): Digest {
    if (this.#digest) return this.#digest;
    const { chars, sampled } = this.measured;
    const make = (this.#scan ??= scanSampled(sampled, this.options.hints));
    // A share of the content, within limits.
    const share = Math.max(Math.round(chars * DEFAULTS.digestShare), DEFAULTS.digestMinChars);
    const maxChars = this.options.isShort ? 0 : Math.min(this.wiring.digestChars, share);
    let digest = make(maxChars);
    let budget = maxChars;
    // It must fit after escaping; content full of markup gets a shorter one.
    for (;;) {
      const escaped = escapeMarkup(digest.text).length;
      if (escaped <= maxChars || budget <= 1) break;
      budget = Math.min(budget - 1, Math.floor((budget * maxChars) / escaped));
      digest = make(budget);
    }
    return (this.#digest = digest);
  }

  /** The text that replaces the content. Before it was stored, with the id that it should have. */
  get reference(): string {
    const hash = this.record?.hash ?? this.hash ?? "";
    const artifactId = this.record?.artifactId ?? this.wantedId ?? idOfContent(hash);
    const { path } = this;
    const last = this.#entry;
    const isSame = last?.artifactId === artifactId && last.hash === hash && last.path === path;
    if (isSame && this.#reference !== undefined) return this.#reference;
    const { viewLines, viewChars } = this.measured;
    const { digest } = this;
    const { equalBefore } = this.options;
    const about = { chars: viewChars, lines: viewLines, tokens: this.tokens, digest };
    const { sessionId } = this;
    this.#entry = { artifactId, hash, ...about, equalBefore, path, sessionId };
    this.#referenceTokens = undefined;
    return (this.#reference = renderKnowledgeList([this.#entry], this.wiring.notice));
  }

  /** What the reference says about it. */
  get entry(): KnowledgeEntry {
    // Made together with the reference, which is never empty.
    return (this.reference && this.#entry) as KnowledgeEntry;
  }

  get referenceTokens(): number {
    const { reference } = this;
    const count = this.options.countTokens ?? this.wiring.countTokens;
    return (this.#referenceTokens ??= count(reference));
  }

  /** What the store gets. */
  toArtifact(createdAt: string): NewArtifact {
    const isStream = this.content === undefined;
    // A stream has a size and a digest only at its end.
    const isReady = isStream || this.#reference !== undefined;
    // While a file is created, which takes the longest of short content, and while its line is written;
    // in between, it is hashed and measured.
    const steps = [() => this.digest, () => this.reference];
    return {
      sessionId: this.sessionId,
      wantedId: this.wantedId,
      type: this.type,
      content: this.bytes,
      hash: isStream ? undefined : () => this.hash ?? "",
      size: () => ({ ...this.measured.size, tokens: this.tokens }),
      computeAhead: isReady
        ? undefined
        : () => {
            try {
              steps.shift()?.();
            } catch {
              // Ignored here: the same error is thrown when the value is read.
            }
          },
      createdAt,
      metadata: this.metadata,
    };
  }
}

/** A draft that was stored. */
export type StoredDraft = Draft & { readonly record: ArtifactRecord };

class ValueDraft extends Draft {
  readonly type: ArtifactType;
  #stored: string | undefined;
  #shown: string | undefined;
  #bytes: Uint8Array | undefined;
  #hash: string | undefined;
  #tokens: number | undefined;

  constructor(
    wiring: DraftWiring,
    options: DraftOptions,
    owner: Owner,
    readonly content: Content,
  ) {
    super(wiring, options, owner);
    this.type = typeof content === "string" ? "TEXT" : "JSON";
    this.#hash = options.hash;
    this.#tokens = options.tokens;
  }

  get bytes(): Uint8Array {
    this.#stored ??= serializeContent(this.content);
    return (this.#bytes ??= encodeWtf8(this.#stored));
  }

  get hash(): string {
    return (this.#hash ??= this.wiring.hash(this.bytes));
  }

  get tokens(): number {
    const { content } = this;
    return (this.#tokens ??= this.wiring.countTokens(
      typeof content === "string" ? content : renderSent(content),
    ));
  }

  get #readableValue(): string {
    const { content } = this;
    return (this.#shown ??= typeof content === "string" ? content : renderValue(content));
  }

  protected measure(): Measured {
    const { bytes } = this;
    const stored = this.#stored ?? "";
    const readable = readableOf(stored, bytes.length);
    const text = readable.body ?? this.#readableValue;
    const sampled = sampleText(text);
    // The lines of a plain text are counted once, for the digest and for the size.
    const isPlain = this.type === "TEXT" && readable.body === undefined;
    const lines = isPlain ? sampled.lines : countLines(stored);
    const seen = readable.text === undefined ? undefined : countLines(readable.text);
    return {
      size: {
        bytes: bytes.length,
        chars: stored.length,
        lines,
        ...viewSize(readable.text, seen, lines),
      },
      viewLines: seen ?? (readable.isKnown ? lines : undefined),
      viewChars: readable.text?.length ?? (readable.isKnown ? stored.length : undefined),
      ...{ sampled, chars: text.length },
    };
  }
}

class StreamDraft extends Draft {
  readonly type = "TEXT";
  readonly content = undefined;
  readonly hash = undefined;
  readonly #indexer = createTextIndexer();
  readonly #sampler = createSampler();

  constructor(
    wiring: DraftWiring,
    options: DraftOptions,
    owner: Owner,
    readonly source: AsyncIterable<Uint8Array>,
  ) {
    super(wiring, options, owner);
  }

  get bytes(): AsyncIterable<Uint8Array> {
    return this.#tap();
  }

  get tokens(): number {
    return this.measured.tokens ?? 0;
  }

  protected measure(): Measured {
    const index = this.#indexer.end();
    const sample = this.#sampler.sample(index);
    const { head, tail, complete } = sample;
    const seen = head.length + tail.length;
    const { bytes, chars, lines } = index;
    const tokens = seen === 0 ? 0 : this.wiring.countTokens(head + tail) * (chars / seen);
    const readable = readableOf(head, bytes, complete);
    const viewLines = readable.text === undefined ? undefined : countLines(readable.text);
    return {
      size: { bytes, chars, lines, ...viewSize(readable.text, viewLines, lines) },
      viewLines: viewLines ?? (readable.isKnown ? lines : undefined),
      viewChars: readable.text?.length ?? (readable.isKnown ? chars : undefined),
      sampled: readable.body === undefined ? sampleOfStream(sample) : sampleText(readable.body),
      ...{ chars, tokens: Math.round(tokens) },
    };
  }

  async *#tap(): AsyncGenerator<Uint8Array> {
    for await (const chunk of readSource(this.source)) {
      requireBytes(chunk);
      this.#indexer.push(chunk);
      this.#sampler.push(chunk);
      yield chunk;
    }
  }
}

/** The lines of the readable view, where the lines of the content do not tell. */
function viewSize(
  view: string | undefined,
  viewLines: number | undefined,
  lines: number,
): Pick<TextSize, "viewLines" | "viewChars"> {
  if (view === undefined || viewLines === undefined) return {};
  return viewLines === lines && lines === 1 ? {} : { viewLines, viewChars: view.length };
}

/** A failure of the caller's stream is reported as such, not as one of the store. */
async function* readSource(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) yield chunk;
  } catch (cause) {
    throw new CallerFailedError("content", cause);
  }
}

/** A stream with an encoding yields strings, from which the original bytes cannot be recovered. */
function requireBytes(chunk: unknown): void {
  if (ArrayBuffer.isView(chunk) && "length" in chunk && chunk.length === chunk.byteLength) return;
  throw new InvalidArgumentError("content", chunk, "a stream of bytes, each chunk a Uint8Array");
}

const TEXTS = ["artifactId", "toolCallId", "sessionId", "parentSessionId"] as const;

/** Checks what a caller wants to store, and redacts it. */
export function createDraft(
  wiring: DraftWiring,
  input: ArtifactInput,
  options: DraftOptions = {},
): Draft {
  const texts: Partial<Record<(typeof TEXTS)[number], unknown>> = { ...options, ...input };
  for (const name of TEXTS) {
    const value = texts[name] ?? "";
    if (typeof value !== "string") throw new InvalidArgumentError(name, value, "a string");
  }
  const given = readMetadata(input.metadata);
  const { redact } = wiring;
  const toolCallId = options.toolCallId ?? nonEmptyText(given["biz_id"]);
  const session = options.sessionId ?? nonEmptyText(given["session_id"]);
  const idOf = (id: string | undefined) => (id === undefined ? id : storedId(id, wiring));
  const ownerOf = (metadata: Readonly<Record<string, unknown>>): Owner => ({
    sessionId: idOf(session) ?? DEFAULTS.session,
    wantedId: idOf(input.artifactId || toolCallId || undefined),
    metadata: completeMetadata(metadata, idOf(toolCallId), idOf(session)),
  });
  const content = requireSource(input.content);
  if (typeof content !== "string" && Symbol.asyncIterator in content) {
    const stream = content as AsyncIterable<Uint8Array>;
    const source = options.signal ? stopOnAbort(stream, options.signal) : stream;
    return new StreamDraft(wiring, options, ownerOf(given), source);
  }
  if (!redact) return new ValueDraft(wiring, options, ownerOf(given), content);
  const context = { sessionId: session, toolCallId, toolName: nonEmptyText(given["tool_name"]) };
  const { content: rest, redactions } = redactContent(content, redact, context);
  const metadata = redactMetadata(given, { ...wiring, redact }, context, redactions);
  // It is known by what it was, so that the next turn knows it again.
  const hash = options.hash ?? wiring.hash(serializeContent(content));
  const tokens = redactions === 0 ? options.tokens : undefined;
  return new ValueDraft(wiring, { ...options, hash, tokens }, ownerOf(metadata), rest);
}

function requireSource(content: unknown): ContentSource {
  if (typeof content === "string" || Array.isArray(content)) return content;
  if (typeof content === "object" && content !== null) {
    if (Symbol.asyncIterator in content) return content as AsyncIterable<Uint8Array>;
    if (isData(content)) return content as Readonly<Record<string, unknown>>;
  }
  const expected = "a string, an array of blocks, a JSON object, or an async iterable of bytes";
  throw new InvalidArgumentError("content", content, expected);
}
