import { parseJson } from "../../core/lib/json/plain-json.js";
import {
  addUsage,
  type ApiBlock,
  type ReadingTurn,
  type Reply,
  type Usage,
} from "./reading-turn.js";

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
      // The list of the event itself, which nobody else has: a copy for each citation would take long for many.
      if (Array.isArray(block["citations"])) block["citations"].push(delta["citation"]);
      else this.content[index] = { ...block, citations: [delta["citation"]] };
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

/** An event as it was sent, and its data if that is JSON. */
export interface ServerEvent {
  readonly raw: string;
  readonly data: unknown;
}

/** The longest end of an event, CR LF CR LF, may be split anywhere. */
const MAX_END_CHARS = 4;

/** The server-sent events of a response, as they arrive. Each character is looked at once, however large an event is. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  /** The event that has not ended: its searched parts, and its last characters, with which its end may begin. */
  let parts: string[] = [];
  let text = "";
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (const { index, 0: end } of text.matchAll(/\r?\n\r?\n/g)) {
      const raw = parts.join("") + text.slice(start, (start = index + end.length));
      parts = [];
      yield { raw, data: parseData(raw) };
    }
    const searched = Math.max(start, text.length - MAX_END_CHARS + 1);
    parts.push(text.slice(start, searched));
    text = text.slice(searched);
  }
  const raw = parts.join("") + text;
  if (raw !== "") yield { raw, data: parseData(raw) };
}

function parseData(raw: string): unknown {
  const lines = raw.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return parseJson(lines.map((line) => line.slice("data:".length)).join("\n"));
}

type Send = (body: unknown) => Promise<Response>;

/**
 * One stream of all replies: what is said to the host passes at once; calls of reading tools and what
 * ends a reply that makes them are held back.
 */
export function streamReplies(first: Response, turn: ReadingTurn, send: Send): Response {
  const events = spliceReplies(first, turn, send);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return();
    },
  });
  return new Response(body, { status: first.status, headers: first.headers });
}

async function* spliceReplies(
  first: Response,
  turn: ReadingTurn,
  send: Send,
): AsyncGenerator<string, void, void> {
  let response = first;
  let shown = 0;
  for (;;) {
    const reply = new StreamedReply();
    const indexes = new Map<number, number>();
    const held: StreamEvent[] = [];
    for await (const { raw, data } of readServerEvents(response)) {
      const event = data as StreamEvent | undefined;
      if (event) reply.add(event);
      const isLater = response !== first;
      if (event?.type === "message_start") {
        if (!isLater) yield raw;
      } else if (event?.index !== undefined) {
        if (
          event.type === "content_block_start" &&
          !turn.isReading(event.content_block as ApiBlock)
        ) {
          indexes.set(event.index, shown++);
        }
        const index = indexes.get(event.index);
        if (index !== undefined) yield index === event.index ? raw : render({ ...event, index });
      } else if (event?.type === "message_delta" || event?.type === "message_stop") {
        if (isLater || reply.content.some((block) => turn.isReading(block))) held.push(event);
        else yield raw;
      } else {
        yield raw;
      }
    }
    // Leave a truncated stream for the client to report.
    if (!reply.isComplete) return;
    const earlier = turn.earlierUsage;
    const body = await turn.take(reply.message());
    if (!body) {
      for (const event of held) yield render(withUsage(event, earlier));
      return;
    }
    response = await send(body);
    if (!response.ok) {
      yield render((await response.json()) as StreamEvent);
      return;
    }
  }
}

function withUsage(event: StreamEvent, earlier: Usage): StreamEvent {
  return event.usage ? { ...event, usage: addUsage(event.usage, earlier) } : event;
}

function render(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
