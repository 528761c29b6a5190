import { parseJson } from "../../core/lib/json/plain-json.js";
import { addUsage, type ApiBlock, type Usage } from "./messages-api.js";
import { StreamedReply, type StreamEvent } from "./streamed-reply.js";
import type { ReadingTurn } from "./reading-turn.js";

/** An event as it was sent, and its data if that is JSON. */
export interface ServerEvent {
  readonly raw: string;
  readonly data: unknown;
}

/** The server-sent events of a response, as they arrive. */
export async function* readServerEvents(response: Response): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = /\r?\n\r?\n/.exec(text); end; end = /\r?\n\r?\n/.exec(text)) {
      const length = end.index + end[0].length;
      const raw = text.slice(0, length);
      text = text.slice(length);
      yield { raw, data: readData(raw) };
    }
  }
  if (text !== "") yield { raw: text, data: readData(text) };
}

function readData(raw: string): unknown {
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
    // A broken stream is the client's to notice.
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
