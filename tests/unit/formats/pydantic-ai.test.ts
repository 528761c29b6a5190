import { describe, expect, it } from "vitest";
import { pydanticAiFormat as format } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const picture = { kind: "binary", data: "AAAA", media_type: "image/png" };
const request = (...parts: object[]) => ({ kind: "request", parts, instructions: null });
const result = (content: unknown, more: object = {}) =>
  request({
    part_kind: "tool-return",
    tool_name: "look",
    tool_call_id: "c1",
    content,
    metadata: { kept: true },
    ...more,
  });

describe("the format of Pydantic AI messages", () => {
  it.each<[string, unknown]>([
    ["a text", "words"],
    ["an object", { rows: [1, 2] }],
    ["a list", [{ a: 1 }, { b: 2 }]],
  ])("replaces content that is %s and puts it back", (_what, content) => {
    const message = result(content);
    expect(readMessage(format, message).results).toMatchObject([
      { slot: 0, id: "c1", toolName: "look", content, isError: false },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, message);
    expect(offloaded).toEqual(result("reference 0"));
    expect(JSON.stringify(restored)).toBe(JSON.stringify(message));
  });

  it("keeps media beside the reference, or takes it along", () => {
    const mixed = result(["words", picture]);
    const kept = offloadAndRestore(format, mixed);
    expect(kept.offloaded).toEqual(result(["reference 0", picture]));
    expect(kept.restored).toEqual(mixed);
    expect(offloadAndRestore(format, mixed, "offload").offloaded).toEqual(result("reference 0"));
    expect(readMessage(format, result(picture))).toMatchObject({ results: [], answers: ["c1"] });
    expect(readMessage(format, result(picture), { media: "offload" }).results).toHaveLength(1);
  });

  it("knows failures, and retries that answer a call", () => {
    const isError = (message: object) => readMessage(format, message).results[0]?.isError;
    expect(isError(result("no", { outcome: "denied" }))).toBe(true);
    expect(isError(result("no", { outcome: "failed" }))).toBe(true);
    expect(isError(result("yes", { outcome: "success" }))).toBe(false);
    const retry = { part_kind: "retry-prompt", content: [{ type: "missing" }], tool_call_id: "c2" };
    expect(isError(request({ ...retry, tool_name: "look" }))).toBe(true);
    expect(readMessage(format, request({ ...retry, tool_name: null })).results).toEqual([]);
  });

  it("keeps what has no content, and what the provider's own tools returned", () => {
    expect(readMessage(format, result(7))).toMatchObject({ results: [], answers: ["c1"] });
    const own = { part_kind: "builtin-tool-return", tool_name: "web", content: { hits: 3 } };
    const reading = readMessage(format, { kind: "response", parts: [own, { part_kind: "new" }] });
    expect(reading).toMatchObject({ fromModel: true, results: [], unknownTypes: ["new"] });
  });

  it("reads arguments as JSON or as an object", () => {
    const call = { part_kind: "tool-call", tool_name: "look", tool_call_id: "c1" };
    expect(format.readCall({ ...call, args: '{"at":1}' })).toEqual({
      name: "look",
      input: { at: 1 },
    });
    expect(format.readCall({ ...call, args: { at: 1 } })?.input).toEqual({ at: 1 });
  });

  it("knows its own messages", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([{ kind: "request", parts: [{ text: "x" }] }])).toContain("part_kind");
  });
});
