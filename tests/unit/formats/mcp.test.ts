import {
  CallToolResultSchema,
  ListToolsResultSchema,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcpFormat as format } from "../../../src/formats/index.js";
import { parseJson } from "../../../src/core/lib/json/plain-json.js";
import { GREP, expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const KEEP = { media: "keep" } as const;
const OFFLOAD = { media: "offload" } as const;

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const sound = { type: "audio", data: "BBBB", mimeType: "audio/wav" } as const;
const bytes = { type: "resource", resource: { uri: "f://a", blob: "CCCC" } } as const;
const file = { type: "resource", resource: { uri: "f://b", text: "in a file" } } as const;
const link = { type: "resource_link", uri: "f://c", name: "c" } as const;

const twice = {
  _meta: { trace: 7 },
  content: [{ type: "text", text: "two rows, the first of which is 1" }],
  structuredContent: { rows: [1, 2] },
  isError: false,
} satisfies CallToolResult;

const mixed = {
  content: [image, { type: "text", text: "words" }, link, sound, bytes, file],
} satisfies CallToolResult;

const rpc = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });

describe("the MCP format", () => {
  it("takes content and structured content together", () => {
    expect(readMessage(format, twice, KEEP).results).toEqual([
      {
        slot: 0,
        id: undefined,
        content: { content: twice.content, structuredContent: { rows: [1, 2] } },
        soleText: undefined,
        chars: JSON.stringify(twice.content).length + 14,
        isError: false,
      },
    ]);
    const { offloaded, restored } = offloadAndRestore<CallToolResult>(format, twice);
    expect(offloaded).toEqual({
      _meta: { trace: 7 },
      content: [{ type: "text", text: "reference 0" }],
      isError: false,
    });
    expect(CallToolResultSchema.parse(offloaded)).toEqual(offloaded);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(twice));
  });

  const rows = { rows: [1, { "a/b": "ü" }, null] };
  it.each<[string, string, Record<string, unknown>]>([
    ["its JSON", JSON.stringify(rows), rows],
    ["its JSON on several lines", `${JSON.stringify(rows, null, 2)}\n`, rows],
    ["the text itself", "a file\nof two lines", { content: "a file\nof two lines" }],
    ["the text under another key", "words", JSON.parse('{"__proto__":"words"}') as typeof rows],
    ["the text beside small fields", "words", { path: "/a", content: "words", lines: 1 }],
    ["its JSON under a key", JSON.stringify(rows), { result: rows }],
    ["the list of its lines", "a\nb\n", { lines: ["a", "b", ""] }],
  ])("stores text and structured content once where they are the same: %s", (_, text, value) => {
    const block = { type: "text", text, annotations: { audience: ["user"] } };
    for (const message of [
      { content: [block], structuredContent: value },
      { content: [image, block, link], isError: false, structuredContent: value, other: 1 },
      { structuredContent: value, content: [block] },
      rpc(1, { first: 1, structuredContent: value, isError: false, content: [block, image] }),
    ]) {
      const [result] = readMessage(format, message).results;
      expect(result?.content).toEqual("result" in message ? [block, image] : message.content);
      const { offloaded, restored } = offloadAndRestore(format, message);
      expect(JSON.stringify(offloaded)).not.toContain("structuredContent");
      expect(restored).toEqual(message);
      expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
    }
  });

  it.each([
    ["-0 is not 0", '{"a":-0}', { a: 0 }],
    ["the order of keys", '{"b":1,"a":2}', { a: 2, b: 1 }],
    ["much more than the text", "words", { content: "words", more: "more ".repeat(500) }],
    ["other lines", "a\nb", { lines: ["a", "c"] }],
    ["a part of the text", "words", { content: "word" }],
    ["not JSON", "{", {}],
  ])("stores both where they differ: %s", (_, text, structuredContent) => {
    const message = { content: [{ type: "text", text }], structuredContent };
    expect(readMessage(format, message).results[0]?.content).toEqual(message);
    expect(offloadAndRestore(format, message).restored).toEqual(message);
  });

  it("stores a text without its block, so that sizes and lines are those of the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.constantFrom(undefined, "key", "beside"),
        (text, as) => {
          const structured = as === "key" ? { text } : { id: 7, text };
          const message = {
            content: [{ type: "text", text }],
            ...(as === undefined ? {} : { structuredContent: structured }),
          };
          const [result] = readMessage(format, message, KEEP).results;
          expect(result).toMatchObject({ content: text, soleText: text, chars: text.length });
          const { restored } = offloadAndRestore(format, message);
          expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
        },
      ),
    );
  });

  it("restores what earlier versions stored", () => {
    const offloaded = { content: [{ type: "text", text: "reference" }], isError: false };
    const content = { content: [{ type: "text", text: "{}" }], structuredContent: {} };
    const keys = ["structuredContent", "isError", "content"];
    const restored = format.restore(offloaded, [{ slot: 0, content, wrapping: keys }]);
    expect(JSON.stringify(restored)).toBe(
      '{"structuredContent":{},"isError":false,"content":[{"type":"text","text":"{}"}]}',
    );
  });

  it("takes content alone where there is nothing else, and structured content as well", () => {
    const alone = { content: [{ type: "text", text: "words" }] } satisfies CallToolResult;
    expect(readMessage(format, alone, KEEP).results[0]).toMatchObject({
      content: "words",
      soleText: "words",
      chars: "words".length,
    });
    const structured = { first: 1, structuredContent: { a: "b" }, last: 2 };
    expect(readMessage(format, structured, KEEP).results[0]?.content).toEqual({
      structuredContent: { a: "b" },
    });
    for (const message of [alone, structured]) {
      const { restored } = offloadAndRestore(format, message);
      expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
    }
  });

  it("keeps images, audio, bytes and links; text files are offloaded", () => {
    const [result] = readMessage(format, mixed, KEEP).results;
    expect(result?.chars).toBe(JSON.stringify([{ type: "text", text: "words" }, file]).length);
    const { offloaded, restored } = offloadAndRestore<CallToolResult>(format, mixed);
    expect(offloaded.content).toEqual([
      { type: "text", text: "reference 0" },
      image,
      link,
      sound,
      bytes,
    ]);
    expect(CallToolResultSchema.parse(offloaded)).toEqual(offloaded);
    expect(restored).toEqual(mixed);
  });

  it("offloads media when told to; links are kept even then", () => {
    const { offloaded, restored } = offloadAndRestore<CallToolResult>(format, mixed, "offload");
    expect(offloaded.content).toEqual([{ type: "text", text: "reference 0" }, link]);
    expect(restored).toEqual(mixed);
    const keep = readMessage(format, mixed, KEEP).results[0]?.chars ?? 0;
    expect(readMessage(format, mixed, OFFLOAD).results[0]?.chars).toBeGreaterThan(keep);
    expect(readMessage(format, { content: [image, link] }, KEEP).results[0]?.chars).toBe(0);
  });

  it("keeps the error flag and fields that it does not know", () => {
    const failed = { isError: true, content: [{ type: "text", text: "no" }], extra: [1] };
    expect(readMessage(format, failed, KEEP).results[0]?.isError).toBe(true);
    const { offloaded, restored } = offloadAndRestore(format, failed);
    expect(offloaded).toEqual({ ...failed, content: [{ type: "text", text: "reference 0" }] });
    expect(JSON.stringify(restored)).toBe(JSON.stringify(failed));
  });

  it("reads JSON-RPC: the id of an answer, the name of a call", () => {
    const call = {
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "list", arguments: { a: 1 } },
    };
    const reading = readMessage(format, call, KEEP);
    expect(reading).toMatchObject({ fromModel: true, calls: [{ id: "rpc-4", name: "list" }] });
    expect(reading.otherChars).toBe('{"a":1}'.length);
    const answer = rpc(4, twice);
    expect(readMessage(format, answer, KEEP).results[0]?.id).toBe("rpc-4");
    expect(readMessage(format, rpc("x", twice), KEEP).results[0]?.id).toBe("rpc-x");
    expect(readMessage(format, rpc(undefined, twice), KEEP).results[0]?.id).toBeUndefined();
    const { offloaded, restored } = offloadAndRestore(format, answer);
    expect(offloaded).toMatchObject({ jsonrpc: "2.0", id: 4, result: { isError: false } });
    expect(JSON.stringify(restored)).toBe(JSON.stringify(answer));
  });

  it.each([
    [rpc(1, { tools: [] })],
    [rpc(1, { role: "assistant", content: [{ type: "text", text: "sampled" }] })],
    [{ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }],
    [{ content: [{ type: "text", text: "x" }], structuredContent: { when: new Date(0) } }],
    ["text"],
  ])("finds no result in %j", (message) => {
    const { results, calls, otherChars } = readMessage(format, message, KEEP);
    expect([results, calls, otherChars]).toEqual([[], [], 0]);
    expect(format.replace(message, [], KEEP)).toBe(message);
    expect(format.restore(message, [])).toBe(message);
  });

  it("gives back exactly whatever was there, in whatever order its fields stood", () => {
    const data = fc.dictionary(fc.string(), fc.jsonValue());
    const text = fc.oneof(
      fc.constant("t"),
      data.map((value) => JSON.stringify(value)),
    );
    const textBlock = text.map((value) => ({ type: "text", text: value }));
    const fields = fc.record(
      {
        content: fc.array(
          fc.oneof(textBlock, fc.constantFrom<object>(image, sound, bytes, file, link)),
          { maxLength: 3 },
        ),
        structuredContent: fc.oneof(
          data,
          fc.dictionary(fc.string(), fc.constant("t"), { maxKeys: 2 }),
        ),
        isError: fc.boolean(),
        _meta: fc.dictionary(fc.string(), fc.jsonValue()),
        other: fc.jsonValue(),
      },
      { requiredKeys: ["content"] },
    );
    const message = fields
      .chain((record) => {
        // Half of them hold the same data twice.
        const [first] = record.content;
        const same = first && "text" in first ? parseJson(first.text) : undefined;
        return fc.constantFrom(record, same ? { ...record, structuredContent: same } : record);
      })
      .chain((record) => {
        const entries = Object.entries(record);
        return fc.shuffledSubarray(entries, { minLength: entries.length });
      })
      .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))) as object);
    fc.assert(
      fc.property(
        message,
        fc.constantFrom("keep", "offload"),
        fc.boolean(),
        (result, media, bare) => {
          const sent = bare ? result : rpc(1, result);
          const { offloaded, restored } = offloadAndRestore(format, sent, media);
          expect(JSON.stringify(restored)).toBe(JSON.stringify(sent));
          expect(JSON.stringify(offloaded)).not.toContain("structuredContent");
        },
      ),
    );
  });

  it("knows its own messages, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([twice, mixed, rpc(1, {}), { jsonrpc: "2.0", method: "x" }])).toBe(
      undefined,
    );
    expect(format.mismatch([twice, { type: "tool_result", content: [] }])).toBe(
      "message 1 is neither a CallToolResult nor JSON-RPC",
    );
  });

  it("describes tools as a server lists them, and answers as a server does", () => {
    const tools = format.describeTools([GREP]);
    expect(ListToolsResultSchema.parse({ tools }).tools).toEqual(tools);

    const params = { name: "grep", arguments: { pattern: "x" } };
    const read = { name: "grep", input: { pattern: "x" } };
    expect(format.readCall({ method: "tools/call", params })).toEqual(read);
    expect(format.readCall(params)).toEqual(read);
    expect(format.readCall({ name: "info" })).toEqual({ name: "info", input: {} });
    const answer = format.answerCall(params, { text: "found", isError: false });
    expect(CallToolResultSchema.parse(answer)).toEqual({
      content: [{ type: "text", text: "found" }],
    });
    const request = { jsonrpc: "2.0", id: 3, method: "tools/call", params };
    expect(format.answerCall(request, { text: "bad", isError: true })).toEqual(
      rpc(3, { content: [{ type: "text", text: "bad" }], isError: true }),
    );
  });

  it.each([
    [{ method: "tools/list" }],
    [{ type: "toolCall", name: "grep", arguments: {} }],
    [{ name: "grep", args: {} }],
    [{ name: "grep", arguments: "{}" }],
    [null],
  ])("takes %j for no call", (call) => {
    expect(format.readCall(call)).toBeUndefined();
  });
});
