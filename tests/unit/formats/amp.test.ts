import { describe, expect, it } from "vitest";
import { ampFormat as format, anthropicFormat } from "../../../src/formats/index.js";
import { detectFormat } from "../../../src/formats/detect-format.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const message = (role: string, ...content: object[]) => ({ role, messageId: 1, content });
const result = (run: object) => message("user", { type: "tool_result", toolUseID: "t1", run });

describe("the format of Amp threads", () => {
  it.each<[string, object, string]>([
    ["a text", { status: "done", result: "words" }, "result"],
    [
      "an object",
      { status: "done", result: { output: "words", exitCode: 0 }, trackFiles: [] },
      "result",
    ],
    ["an error", { status: "error", error: { message: "no" } }, "error"],
    ["what a tool had printed", { status: "cancelled", progress: "words" }, "progress"],
  ])("replaces what a run returned and puts it back: %s", (_what, run, key) => {
    const before = result(run);
    const { offloaded, restored } = offloadAndRestore(format, before);
    expect(offloaded).toEqual(result({ ...run, [key]: "reference 0" }));
    expect(JSON.stringify(restored)).toBe(JSON.stringify(before));
    expect(readMessage(format, before).results).toMatchObject([
      { id: "t1", isError: key !== "result" },
    ]);
  });

  it("reads calls, and runs that have not returned", () => {
    const use = { type: "tool_use", complete: true, id: "t1", name: "Bash", input: { cmd: "ls" } };
    expect(readMessage(format, message("assistant", use))).toMatchObject({
      fromModel: true,
      calls: [{ id: "t1", name: "Bash" }],
    });
    expect(readMessage(format, result({ status: "in-progress" }))).toMatchObject({
      results: [],
      answers: ["t1"],
    });
  });

  it("is told from Anthropic's messages", () => {
    const use = { type: "tool_use", id: "t1", name: "Bash", input: {} };
    const plain = { role: "assistant", content: [use] };
    const own = { type: "tool_result", tool_use_id: "t1", content: "words" };
    expect(format.mismatch([plain])).toMatch(/^message 0 /);
    expect(anthropicFormat.mismatch([plain, result({})])).toMatch(/^message 1 /);
    expect(format.mismatch([message("user", own)])).toContain('"tool_result" that is not Amp');
    expect(detectFormat([plain, result({ status: "done", result: "words" })])).toEqual({ format });
  });

  it("knows its own messages", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([{ role: "user", meta: {}, content: "x" }])).toContain("array");
    expect(format.mismatch([message("tool")])).toBe('message 0 has the role "tool"');
    expect(readMessage(format, message("info", { type: "new" })).unknownTypes).toEqual(["new"]);
  });
});
