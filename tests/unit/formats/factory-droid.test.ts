import { describe, expect, it } from "vitest";
import { detectFormat } from "../../../src/formats/detect-format.js";
import { factoryDroidFormat as format, piFormat } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore } from "./offload-and-restore.js";

const line = (message: object) =>
  JSON.stringify({ type: "message", id: "m", timestamp: "t", message });
const start = JSON.stringify({ type: "session_start", id: "s", title: "A title", cwd: "/tmp" });
const said = (role: string) => line({ role, content: [{ type: "text", text: "words" }] });

describe("the format of Factory Droid sessions", () => {
  it("replaces a result in the text of its line", () => {
    const block = { type: "tool_result", tool_use_id: "t1", content: "a\nb" };
    const text = `${line({ role: "user", content: [block] }).replaceAll(":", " :")}\r\n`;
    const { offloaded, restored } = offloadAndRestore(format, text);
    expect(offloaded).toBe(text.replace("a\\nb", "reference 0"));
    expect(restored).toBe(text);
  });

  it("is told from pi, which has lines of the same type", () => {
    const use = line({
      role: "assistant",
      content: [{ type: "tool_use", id: "t1", name: "ls", input: {} }],
    });
    const call = line({
      role: "assistant",
      content: [{ type: "toolCall", id: "t1", name: "ls", arguments: {} }],
    });
    const result = line({ role: "toolResult", toolCallId: "t1", content: "a" });
    expect(detectFormat([said("user"), use])).toEqual({ format });
    expect(detectFormat([said("user"), said("user"), said("user"), use])).toEqual({ format });
    expect(detectFormat([said("user"), call, result])).toEqual({ format: piFormat });
    expect(detectFormat([start, said("user"), said("assistant")])).toEqual({ format });
    expect(piFormat.mismatch([use])).toMatch(/^0 of the first 1 lines/);
    expect(format.mismatch([said("user"), call])).toMatch(/^0 of the first 2 lines/);
  });

  it("knows its own lines", () => {
    expectToKnowItsOwn(format);
    expect(format.mismatch([start])).toBeUndefined();
  });
});
