import { addUsage, type ApiBlock, type Reply, type Usage } from "./messages-api.js";

/** An event of a streamed reply. */
export interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly message?: Reply;
  readonly content_block?: ApiBlock;
  readonly delta?: Readonly<Record<string, unknown>>;
  readonly usage?: Usage;
}

/** The lists and texts that deltas add to, by type of the delta. */
const TEXTS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  compaction_delta: "content",
};

/** A reply put together from its events. */
export class StreamedReply {
  readonly content: ApiBlock[] = [];
  readonly #inputs = new Map<number, string>();
  #message: Reply | undefined;
  #isComplete = false;

  get isComplete(): boolean {
    return this.#isComplete && this.#message !== undefined;
  }

  add({ type, index = 0, message, content_block, delta, usage }: StreamEvent): void {
    if (type === "message_start") this.#message = message;
    if (type === "message_stop") this.#isComplete = true;
    if (type === "content_block_start" && content_block) this.content[index] = content_block;
    if (type === "content_block_delta" && delta) this.#addDelta(index, delta);
    if (type === "content_block_stop") this.#readInput(index);
    if (type === "message_delta" && this.#message) {
      const used = { ...this.#message.usage, ...usage };
      this.#message = { ...this.#message, ...delta, usage: addUsage(used, {}) };
    }
  }

  message(): Reply {
    const { id = "", ...rest } = this.#message ?? { stop_reason: null };
    return { ...rest, id, content: this.content.filter(Boolean) };
  }

  #addDelta(index: number, delta: Readonly<Record<string, unknown>>): void {
    const block = this.content[index];
    if (!block) return;
    const type = String(delta["type"]);
    if (type === "input_json_delta") {
      const input = this.#inputs.get(index) ?? "";
      this.#inputs.set(index, input + String(delta["partial_json"]));
      return;
    }
    const field = TEXTS[type];
    if (field !== undefined) {
      const before = typeof block[field] === "string" ? block[field] : "";
      this.content[index] = { ...block, [field]: before + String(delta[field]) };
    } else if (type === "citations_delta") {
      const before = Array.isArray(block["citations"]) ? (block["citations"] as unknown[]) : [];
      this.content[index] = { ...block, citations: [...before, delta["citation"]] };
    }
  }

  #readInput(index: number): void {
    const json = this.#inputs.get(index);
    const block = this.content[index];
    if (block && json !== undefined && json !== "") {
      this.content[index] = { ...block, input: parseInput(json) };
    }
  }
}

/** The reading tools explain what is wrong with an input that is not an object. */
function parseInput(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
