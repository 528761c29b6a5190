import { FunctionResponseScheduling, type Content, type Tool } from "@google/genai";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { geminiFormat as format } from "../../../src/formats/index.js";
import { GREP, expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const KEEP = { media: "keep" } as const;
const OFFLOAD = { media: "offload" } as const;
const picture = { inlineData: { mimeType: "image/png", data: "AAAA", displayName: "a.png" } };

const results = (message: unknown, options: { media: "keep" | "offload" } = KEEP) =>
  readMessage(format, message, options).results;

const parallel = {
  role: "user",
  parts: [
    { functionResponse: { id: "c1", name: "list", response: { output: "one\ntwo" } } },
    { text: "between" },
    {
      functionResponse: {
        name: "fetch",
        parts: [picture],
        response: { rows: [1, 2], more: { a: null } },
        scheduling: FunctionResponseScheduling.SILENT,
      },
      thoughtSignature: "s",
    },
    { functionResponse: { id: "c3", name: "wrapping", response: { error: "no such file" } } },
  ],
} satisfies Content;

describe("the Gemini format", () => {
  it("finds responses with their place, id where there is one, name and error", () => {
    expect(results(parallel)).toEqual([
      {
        slot: 0,
        id: "c1",
        toolName: "list",
        content: { output: "one\ntwo" },
        soleText: "one\ntwo",
        chars: JSON.stringify({ output: "one\ntwo" }).length,
        isError: false,
      },
      {
        slot: 2,
        id: undefined,
        toolName: "fetch",
        content: { rows: [1, 2], more: { a: null } },
        soleText: undefined,
        chars: '{"rows":[1,2],"more":{"a":null}}'.length,
        isError: false,
      },
      {
        slot: 3,
        id: "c3",
        toolName: "wrapping",
        content: { error: "no such file" },
        soleText: "no such file",
        chars: JSON.stringify({ error: "no such file" }).length,
        isError: true,
      },
    ]);
  });

  it("takes an error beside an output for no failure, and an empty id for none", () => {
    const [result] = results({
      role: "function",
      parts: [{ functionResponse: { id: "", name: "", response: { output: "x", error: null } } }],
    });
    expect(result).toMatchObject({ id: undefined, isError: false, soleText: undefined });
    expect(result?.toolName).toBeUndefined();
  });

  it("keeps what is not a response, and what JSON would not give back", () => {
    const parts = [
      { functionResponse: { name: "x" } },
      { functionResponse: { name: "x", response: "text" } },
      { functionResponse: { name: "x", response: { when: new Date(0) } } },
      { functionCall: { name: "x" } },
    ];
    expect(results({ role: "user", parts })).toEqual([]);
    expect(results({ role: "user" })).toEqual([]);
    expect(results("text")).toEqual([]);
  });

  it("reads calls and who speaks, and counts what stands outside of results", () => {
    const message = {
      role: "model",
      parts: [
        { text: "12345" },
        { functionCall: { id: "c1", name: "list", args: { path: "." } } },
        { functionCall: { name: "now" } },
        { executableCode: { code: "1" } },
      ],
    } satisfies Content;
    const reading = readMessage(format, message, KEEP);
    expect(reading.fromModel).toBe(true);
    expect(reading.calls).toEqual([
      { id: "c1", name: "list" },
      { id: undefined, name: "now" },
    ]);
    expect(reading.otherChars).toBe(
      5 + '{"path":"."}'.length + 2 + '{"executableCode":{"code":"1"}}'.length,
    );
    expect(readMessage(format, parallel, KEEP).otherChars).toBe("between".length);
    expect(readMessage(format, parallel, KEEP).fromModel).toBe(false);
  });

  it("replaces the response alone; id, media, marks and unknown fields are kept", () => {
    const { offloaded, restored } = offloadAndRestore<Content>(format, parallel);
    expect(offloaded).toEqual({
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "list", response: { output: "reference 0" } } },
        { text: "between" },
        {
          functionResponse: {
            name: "fetch",
            parts: [picture],
            response: { output: "reference 2" },
            scheduling: "SILENT",
          },
          thoughtSignature: "s",
        },
        { functionResponse: { id: "c3", name: "wrapping", response: { error: "reference 3" } } },
      ],
    });
    expect(offloaded.parts?.[1]).toBe(parallel.parts[1]);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(parallel));
  });

  it("knows an error's reference as an error", () => {
    const { offloaded } = offloadAndRestore<Content>(format, parallel);
    expect(results(offloaded).map(({ isError }) => isError)).toEqual([false, false, true]);
  });

  it("takes media along when told to, and brings it back to its place", () => {
    const [, fetched] = results(parallel, OFFLOAD);
    const response = { rows: [1, 2], more: { a: null } };
    expect(fetched?.content).toEqual([response, picture]);
    expect(fetched?.chars).toBe(JSON.stringify([response, picture]).length);
    const { offloaded, restored } = offloadAndRestore<Content>(format, parallel, "offload");
    expect(offloaded.parts?.[2]?.functionResponse?.parts).toEqual([]);
    expect(JSON.stringify(restored)).toBe(JSON.stringify(parallel));
  });

  it("gives back exactly whatever was there", () => {
    const part = fc.record(
      {
        id: fc.string(),
        parts: fc.array(fc.constant(picture), { maxLength: 2 }),
        name: fc.string(),
        response: fc.dictionary(fc.string(), fc.jsonValue()).map(toPlain),
        unknown: fc.jsonValue().map(toPlain),
      },
      { requiredKeys: ["name", "response"], noNullPrototype: true },
    );
    const message = fc.record(
      { role: fc.constantFrom("user", "function"), parts: fc.array(part) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(message, fc.constantFrom("keep", "offload"), ({ role, parts }, media) => {
        const content = { role, parts: parts.map((functionResponse) => ({ functionResponse })) };
        const { restored } = offloadAndRestore(format, content, media);
        expect(JSON.stringify(restored)).toBe(JSON.stringify(content));
      }),
    );
  });

  it("knows its own messages, and refuses others' with a reason", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([parallel, { parts: [{ text: "no role" }] }])).toBeUndefined();
    expect(format.mismatch([{ role: "user", parts: [{ function_response: {} }] }])).toBe(
      `message 0 has a part that is not Gemini's: an object with keys ["function_response"]`,
    );
    expect(format.mismatch([parallel, { role: "assistant", parts: [] }])).toBe(
      'message 1 has the role "assistant" instead of user or model',
    );
  });

  it("describes tools as declarations, and answers a call by its id and name", () => {
    const tools = format.describeTools([GREP]);
    expect(tools).toEqual([
      {
        functionDeclarations: [
          { name: "grep", description: "Searches.", parametersJsonSchema: GREP.inputSchema },
        ],
      },
    ] satisfies Tool[]);

    const call = { functionCall: { id: "c9", name: "grep", args: { pattern: "x" } } };
    expect(format.readCall(call)).toEqual({ name: "grep", input: { pattern: "x" } });
    expect(format.readCall(call.functionCall)).toEqual(format.readCall(call));
    expect(format.readCall({ name: "info" })).toEqual({ name: "info", input: {} });
    expect(format.answerCall(call, { text: "found", isError: false })).toEqual({
      functionResponse: { id: "c9", name: "grep", response: { output: "found" } },
    });
    expect(format.answerCall({ name: "grep" }, { text: "bad", isError: true })).toEqual({
      functionResponse: { name: "grep", response: { error: "bad" } },
    });
  });

  it.each([
    [{ type: "tool_use", name: "grep", input: {} }],
    [{ name: "grep", arguments: {} }],
    [{ name: "grep", args: "x" }],
    [{ functionCall: {} }],
    [null],
  ])("takes %j for no call", (call) => {
    expect(format.readCall(call)).toBeUndefined();
  });
});

/** Without what JSON does not hold, such as the sign of a zero. */
function toPlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
