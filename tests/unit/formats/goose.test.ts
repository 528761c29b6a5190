import { describe, expect, it } from "vitest";
import { gooseFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
const text = (words: string) => ({ type: "text", text: words });
const message = (role: string, ...content: object[]) => ({ id: "m", role, created: 1, content });
const response = (toolResult: object) =>
  message("user", { type: "toolResponse", id: "t1", toolResult, metadata: null });
const success = (value: unknown) => response({ status: "success", value });

describe("the format of Goose messages", () => {
  it.each<[string, (blocks: unknown[]) => object]>([
    ["what a server returned", (content) => success({ content, isError: false })],
    ["the blocks alone, in older sessions", (blocks) => success(blocks)],
  ])("replaces the blocks of a response and puts them back: %s", (_what, build) => {
    const before = build([text("words"), picture]);
    expect(readMessage(format, before).results).toMatchObject([
      { slot: 0, id: "t1", soleText: "words", isError: false },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, before);
    expect(offloaded).toEqual(build([text("reference 0"), picture]));
    expect(JSON.stringify(restored)).toBe(JSON.stringify(before));
  });

  it("reads errors, of the program and of a server", () => {
    const [failed] = readMessage(format, response({ status: "error", error: "no" })).results;
    expect(failed).toMatchObject({ content: "no", isError: true });
    const [refused] = readMessage(
      format,
      success({ content: [text("no")], isError: true }),
    ).results;
    expect(refused).toMatchObject({ isError: true });
  });

  it("reads calls, but none that the model got wrong", () => {
    const value = { name: "shell", arguments: { command: "ls" } };
    const request = (toolCall: object) => ({ type: "toolRequest", id: "t1", toolCall });
    const reading = readMessage(
      format,
      message(
        "assistant",
        request({ status: "success", value }),
        request({ status: "error", error: "no such tool" }),
      ),
    );
    expect(reading).toMatchObject({ fromModel: true, calls: [{ id: "t1", name: "shell" }] });
  });

  it("is found in an exported session, and below the head of a session file", () => {
    const conversation = [message("user", text("go on")), success([text("words")])];
    expect(parseConversation({ id: "s", conversation }).format).toBe("goose");
    const head = { working_dir: "/tmp", description: "a session" };
    expect(format.mismatch([head, ...conversation])).toBeUndefined();
  });

  it("knows its own messages", () => {
    expectToKnowItsOwn(format);
    const use = { type: "tool_use", id: "t1", name: "x", input: {} };
    expect(format.mismatch([message("assistant", use)])).toBe(
      'message 0 has a block of type "tool_use"',
    );
    expect(format.mismatch([{ role: "user", content: [text("x")] }])).toContain("creation");
  });
});
