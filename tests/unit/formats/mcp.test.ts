import {
  CallToolResultSchema,
  ListToolsResultSchema,
  type CallToolResult,
} from "@modelcontextprotocol/sdk/types.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOffloader, minChars } from "../../../src/index.js";
import { createMemoryWorkspace } from "../../../src/testing/index.js";
import { mcpFormat as dialect } from "../../../src/formats/mcp.js";
import { expectToKnowItsOwn, leaveAndReturn } from "./offload-and-restore.js";

const KEEP = { media: "keep" } as const;
const OFFLOAD = { media: "offload" } as const;

const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const sound = { type: "audio", data: "BBBB", mimeType: "audio/wav" } as const;
const bytes = { type: "resource", resource: { uri: "f://a", blob: "CCCC" } } as const;
const file = { type: "resource", resource: { uri: "f://b", text: "in a file" } } as const;
const link = { type: "resource_link", uri: "f://c", name: "c" } as const;

const twice = {
  _meta: { trace: 7 },
  content: [{ type: "text", text: '{"rows":[1,2]}' }],
  structuredContent: { rows: [1, 2] },
  isError: false,
} satisfies CallToolResult;

const mixed = {
  content: [image, { type: "text", text: "words" }, link, sound, bytes, file],
} satisfies CallToolResult;

const rpc = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result });

describe("the MCP dialect", () => {
  it("takes content and structured content together [DESIGN-O-mcp]", () => {
    expect(dialect.read(twice, KEEP).results).toEqual([
      {
        slot: 0,
        id: undefined,
        content: { content: twice.content, structuredContent: { rows: [1, 2] } },
        soleText: undefined,
        chars: 14 + 14,
        isError: false,
      },
    ]);
    const { left, back } = leaveAndReturn<CallToolResult>(dialect, twice);
    expect(left).toEqual({
      _meta: { trace: 7 },
      content: [{ type: "text", text: "reference 0" }],
      isError: false,
    });
    expect(CallToolResultSchema.parse(left)).toEqual(left);
    expect(JSON.stringify(back)).toBe(JSON.stringify(twice));
  });

  it("takes content alone where there is nothing else, and structured content as well", () => {
    const alone = { content: [{ type: "text", text: "words" }] } satisfies CallToolResult;
    expect(dialect.read(alone, KEEP).results[0]).toMatchObject({
      content: alone.content,
      soleText: "words",
      chars: 5,
    });
    const structured = { first: 1, structuredContent: { a: "b" }, last: 2 };
    expect(dialect.read(structured, KEEP).results[0]?.content).toEqual({
      structuredContent: { a: "b" },
    });
    for (const message of [alone, structured]) {
      const { back } = leaveAndReturn(dialect, message);
      expect(JSON.stringify(back)).toBe(JSON.stringify(message));
    }
  });

  it("keeps pictures, sound, bytes and links; text files leave", () => {
    const [result] = dialect.read(mixed, KEEP).results;
    expect(result?.chars).toBe("words".length + JSON.stringify([file]).length);
    const { left, back } = leaveAndReturn<CallToolResult>(dialect, mixed);
    expect(left.content).toEqual([
      { type: "text", text: "reference 0" },
      image,
      link,
      sound,
      bytes,
    ]);
    expect(CallToolResultSchema.parse(left)).toEqual(left);
    expect(back).toEqual(mixed);
  });

  it("takes media along when told to; links stay even then", () => {
    const { left, back } = leaveAndReturn<CallToolResult>(dialect, mixed, "offload");
    expect(left.content).toEqual([{ type: "text", text: "reference 0" }, link]);
    expect(back).toEqual(mixed);
    const keep = dialect.read(mixed, KEEP).results[0]?.chars ?? 0;
    expect(dialect.read(mixed, OFFLOAD).results[0]?.chars).toBeGreaterThan(keep);
    expect(dialect.read({ content: [image, link] }, KEEP).results[0]?.chars).toBe(0);
  });

  it("keeps the error flag and fields that it does not know", () => {
    const failed = { isError: true, content: [{ type: "text", text: "no" }], extra: [1] };
    expect(dialect.read(failed, KEEP).results[0]?.isError).toBe(true);
    const { left, back } = leaveAndReturn(dialect, failed);
    expect(left).toEqual({ ...failed, content: [{ type: "text", text: "reference 0" }] });
    expect(JSON.stringify(back)).toBe(JSON.stringify(failed));
  });

  it("reads JSON-RPC: the id of an answer, the name of a call", () => {
    const call = {
      jsonrpc: "2.0",
      id: 4,
      method: "tools/call",
      params: { name: "list", arguments: { a: 1 } },
    };
    const reading = dialect.read(call, KEEP);
    expect(reading).toMatchObject({ fromModel: true, calls: [{ id: "rpc-4", name: "list" }] });
    expect(reading.otherChars()).toBe('{"a":1}'.length);
    const answer = rpc(4, twice);
    expect(dialect.read(answer, KEEP).results[0]?.id).toBe("rpc-4");
    expect(dialect.read(rpc("x", twice), KEEP).results[0]?.id).toBe("rpc-x");
    expect(dialect.read(rpc(undefined, twice), KEEP).results[0]?.id).toBeUndefined();
    const { left, back } = leaveAndReturn(dialect, answer);
    expect(left).toMatchObject({ jsonrpc: "2.0", id: 4, result: { isError: false } });
    expect(JSON.stringify(back)).toBe(JSON.stringify(answer));
  });

  it.each([
    [rpc(1, { tools: [] })],
    [rpc(1, { role: "assistant", content: [{ type: "text", text: "sampled" }] })],
    [{ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }],
    [{ content: [{ type: "text", text: "x" }], structuredContent: { when: new Date(0) } }],
    ["text"],
  ])("finds no result in %j", (message) => {
    const { results, calls, otherChars } = dialect.read(message, KEEP);
    expect([results, calls, otherChars()]).toEqual([[], [], 0]);
    expect(dialect.replace(message, [], KEEP)).toBe(message);
    expect(dialect.restore(message, [])).toBe(message);
  });

  it("gives back exactly whatever was there, in whatever order its fields stood [DESIGN-O-mcp]", () => {
    const fields = fc.record(
      {
        content: fc.array(
          fc.constantFrom(image, sound, bytes, file, link, { type: "text", text: "t" }),
        ),
        structuredContent: fc.dictionary(fc.string(), fc.jsonValue()),
        isError: fc.boolean(),
        _meta: fc.dictionary(fc.string(), fc.jsonValue()),
        other: fc.jsonValue(),
      },
      { requiredKeys: ["content"] },
    );
    const message = fields
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
          const { left, back } = leaveAndReturn(dialect, sent, media);
          expect(JSON.stringify(back)).toBe(JSON.stringify(sent));
          expect(JSON.stringify(left)).not.toContain("structuredContent");
        },
      ),
    );
  });

  it("comes back from a workspace, with ids used again and without any", async () => {
    const long = (seed: string) => `${seed} ${"and so on, line after line\n".repeat(80)}`;
    const result = (seed: string) => ({
      content: [image, { type: "text", text: long(seed) }],
      isError: false,
      structuredContent: { text: long(seed) },
    });
    const sent = [result("a"), result("b"), rpc(1, result("c")), rpc(1, result("d")), mixed];
    const workspace = createMemoryWorkspace();
    const settings = { workspace, sessionId: "s", format: dialect, policy: minChars(500) };
    const { messages, report } = await createOffloader(settings).offload(sent);
    expect(report.totals).toMatchObject({ results: 5, offloaded: 4 });
    expect(messages[4]).toBe(mixed);
    const restored = await createOffloader(settings).restore(messages);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(sent));
    expect((await createOffloader(settings).offload(messages)).messages).toBe(messages);
    await workspace.close();
  });

  it("knows its own messages, and refuses others' with a reason", () => {
    expectToKnowItsOwn(dialect);
    expect(dialect.mismatch([twice, mixed, rpc(1, {}), { jsonrpc: "2.0", method: "x" }])).toBe(
      undefined,
    );
    expect(dialect.mismatch([twice, { type: "tool_result", content: [] }])).toBe(
      "message 1 is neither a CallToolResult nor JSON-RPC",
    );
  });

  it("describes tools as a server lists them, and answers as a server does", () => {
    const inputSchema = { type: "object", properties: {} };
    const tools = dialect.describeTools([{ name: "grep", description: "d", inputSchema }]);
    expect(ListToolsResultSchema.parse({ tools }).tools).toEqual(tools);

    const params = { name: "grep", arguments: { pattern: "x" } };
    const read = { name: "grep", input: { pattern: "x" } };
    expect(dialect.readCall({ method: "tools/call", params })).toEqual(read);
    expect(dialect.readCall(params)).toEqual(read);
    expect(dialect.readCall({ name: "info" })).toEqual({ name: "info", input: {} });
    const answer = dialect.answerCall(params, { text: "found", isError: false });
    expect(CallToolResultSchema.parse(answer)).toEqual({
      content: [{ type: "text", text: "found" }],
    });
    const request = { jsonrpc: "2.0", id: 3, method: "tools/call", params };
    expect(dialect.answerCall(request, { text: "bad", isError: true })).toEqual(
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
    expect(dialect.readCall(call)).toBeUndefined();
  });
});
