import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readServerEvents,
  type ServerEvent,
  StreamedReply,
} from "../../../src/integrations/anthropic/stream-replies.js";

async function eventsOf(chunks: Iterable<Uint8Array, void>): Promise<ServerEvent[]> {
  const iterator = chunks[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of readServerEvents(new Response(body))) events.push(event);
  return events;
}

function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) yield bytes.slice(at, at + size);
}

describe("the events of a stream", () => {
  it("are the same wherever the chunks end, and nothing between them is lost", async () => {
    const text = fc.string({
      unit: fc.constantFrom("\r\n", "\n", "\r", "data: 1", "a", "é", "😀"),
    });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (stream, size) => {
        const bytes = new TextEncoder().encode(stream);
        const events = await eventsOf(chunksOf(bytes, size));
        expect(events.map(({ raw }) => raw).join("")).toBe(stream);
        expect(events).toEqual(await eventsOf(chunksOf(bytes, bytes.length)));
        for (const { raw } of events.slice(0, -1)) {
          expect(raw.search(/\r?\n\r?\n/)).toBe(
            raw.length - (/\r?\n\r?\n$/.exec(raw)?.[0] ?? "").length,
          );
        }
      }),
    );
  });

  /** Work that grows with the square of these sizes takes much longer, and linear work about a second. */
  const PATIENCE_MS = 60_000;
  const LARGE = 40_000_000;
  const MANY = 400_000;

  it(
    "take time in proportion to their size, however large one is",
    async () => {
      const data = JSON.stringify({ type: "content_block_delta", text: "x".repeat(LARGE) });
      const bytes = new TextEncoder().encode(`data: ${data}\n\n`);
      const events = await eventsOf(chunksOf(bytes, 1_000));
      expect(events.map(({ raw }) => raw.length)).toEqual([bytes.length]);
    },
    PATIENCE_MS,
  );

  it(
    "are put together in proportion to their number, whatever they add",
    () => {
      const reply = new StreamedReply();
      reply.add({ type: "message_start", message: { id: "m", content: [], stop_reason: null } });
      reply.add({
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "" },
      });
      for (let count = 0; count < MANY; count++) {
        const citation = { cited_text: `line ${count}` };
        for (const delta of [
          { type: "text_delta", text: "x" },
          { type: "citations_delta", citation },
        ])
          reply.add({ type: "content_block_delta", index: 0, delta });
      }
      const [block] = reply.message().content;
      expect(block?.["text"]).toHaveLength(MANY);
      expect(block?.["citations"]).toHaveLength(MANY);
    },
    PATIENCE_MS,
  );
});
