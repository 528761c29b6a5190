import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOffloader } from "../../../src/core/offloader/offloader.js";
import { createOffloader, createToolResultOffload } from "../../../src/index.js";
import { everything } from "../../../src/policies.js";
import { FIXTURES } from "../../conformance/fixtures.js";
import { logOf } from "../../support/conversation.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";

/** Every character is a token, so that the count shows the text that was counted. */
const countTokens = (text: string) => text.length;

describe.each(FIXTURES)("the tokens of a result in $name", ({ format, build }) => {
  it("are those of its text, however the format wraps it", async () => {
    const text = logOf(4_000);
    const workspace = openMemoryWorkspace({ countTokens });
    const offloader = wireOffloader({
      ...{ workspace, sessionId: "s", policy: everything, format, formats: [format], countTokens },
      pickFormat: () => format,
    });
    const results = [{ id: "call_1", toolName: "read", input: {}, text, isError: false }];
    const { report } = await offloader.offload(build([{ say: "Reading.", results }]));
    const [{ tokens = 0 } = {}] = report.results;
    // A wrapping adds a few names; line feeds are two characters in JSON.
    expect(tokens).toBeGreaterThanOrEqual(text.length);
    expect(tokens).toBeLessThan(JSON.stringify(JSON.stringify(text)).length + 200);
  });
});

const plain = { noNullPrototype: true };
const fields = { id: fc.nat(), name: fc.string(), tags: fc.array(fc.string()) };
const record = fc.record(fields, plain);
const rows = fc.array(record, { minLength: 200, maxLength: 250 });
const value = fc.record({ rows }, plain);

describe("the tokens of a result that is an object", () => {
  it.each<[string, (data: object) => unknown[]]>([
    [
      "ai-sdk",
      (data) => [
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "t", toolName: "q", input: {} }],
        },
        {
          role: "tool",
          content: [
            {
              ...{ type: "tool-result", toolCallId: "t", toolName: "q" },
              output: { type: "json", value: data },
            },
          ],
        },
      ],
    ],
    [
      "gemini",
      (data) => [
        { role: "model", parts: [{ functionCall: { name: "q", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "q", response: data } }] },
      ],
    ],
    [
      "bedrock",
      (data) => [
        { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "q", input: {} } }] },
        { role: "user", content: [{ toolResult: { toolUseId: "t", content: [{ json: data }] } }] },
      ],
    ],
  ])("in %s are those of its compact JSON, as it is sent", async (format, build) => {
    await fc.assert(
      fc.asyncProperty(value, async (data) => {
        const workspace = openMemoryWorkspace({ countTokens });
        const offloader = createOffloader({
          ...{ workspace, sessionId: "s", policy: everything, countTokens },
          format: format as "ai-sdk",
        });
        const { report } = await offloader.offload(build(data));
        const sent = JSON.stringify(data).length;
        expect(report.results[0]?.tokens).toBe(sent);
        expect((await workspace.queryArtifacts({})).artifacts[0]?.size.tokens).toBe(sent);
      }),
      { numRuns: 10 },
    );
  });

  it.each([
    ["OpenAI Responses", { type: "input_text" }],
    ["Anthropic", { type: "text" }],
    ["Bedrock and Gemini", {}],
  ])("are those of the texts in blocks, as the model reads them: %s", async (_, block) => {
    const text = JSON.stringify({ rows: Array.from({ length: 50 }, (_, id) => ({ id })) });
    for (const count of [1, 3]) {
      const { record } = await openMemoryWorkspace({ countTokens }).put(
        { content: Array.from({ length: count }, () => ({ ...block, text })) },
        { toolCallId: "t", sessionId: "s" },
      );
      expect(record.size.tokens).toBe(count * text.length + count - 1);
    }
  });

  /** As a tool returns a file, a signature or a picture among its data: all of it is sent. */
  const encoded = randomBytes(3_000).toString("base64");
  const cases: [string, object][] = [
    ["a field", { page: 1, data: encoded }],
    ["a data URL", { screenshot: `data:image/png;base64,${encoded}` }],
    ["a list of records", { files: [{ type: "file", name: "a", content: encoded }] }],
    ["a file of an API", { type: "file", encoding: "base64", content: encoded }],
  ];

  it.each(cases)("count encoded data that is sent as text: %s", async (_, data) => {
    const sent = JSON.stringify(data).length;
    for (const content of [data, [{ json: data }]]) {
      const { record } = await openMemoryWorkspace({ countTokens }).put(
        { content: content as Record<string, unknown> },
        { toolCallId: "t", sessionId: "s" },
      );
      expect(record.size.tokens).toBeGreaterThanOrEqual(sent);
    }
  });

  const media: Record<string, object> = {
    Anthropic: {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: encoded },
    },
    "OpenAI Chat": { type: "image_url", image_url: { url: `data:image/png;base64,${encoded}` } },
    MCP: { type: "resource", resource: { uri: "a:b", mimeType: "image/png", blob: encoded } },
    "AI SDK": { type: "file", mediaType: "application/pdf", data: encoded },
    Gemini: { inlineData: { mimeType: "image/png", data: encoded } },
    Bedrock: { image: { format: "png", source: { bytes: encoded } } },
  };

  it.each(Object.entries(media))("leave out media, which is no text: %s", async (_, block) => {
    const blocks = [{ type: "text", text: "a picture" }, block];
    for (const content of [blocks, { content: blocks, isError: false }]) {
      const { record } = await openMemoryWorkspace({ countTokens }).put(
        { content },
        { toolCallId: "t", sessionId: "s" },
      );
      expect(record.size.tokens).toBeLessThan(300);
    }
  });

  it("are what createToolResultOffload compares with its threshold", async () => {
    const data = [{ type: "data", rows: Array.from({ length: 50 }, (_, id) => ({ id })) }];
    const sent = JSON.stringify(data[0]).length;
    const workspace = openMemoryWorkspace({ countTokens });
    for (const [tokenThreshold, offloaded] of [
      [sent - 1, true],
      [sent, false],
    ] as const) {
      const { decision } = await createToolResultOffload({ workspace, tokenThreshold }).process({
        content: data,
      });
      expect(decision.offloaded).toBe(offloaded);
    }
  });
});
