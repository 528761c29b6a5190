import { describe, expect, it } from "vitest";
import { parseConversation, qwenCodeFormat as format } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const line = (type: string, more: object) =>
  JSON.stringify({ uuid: "u", parentUuid: null, sessionId: "s", type, ...more });
const picture = { inlineData: { mimeType: "image/png", data: "AAAA" } };
const result = (response: object) =>
  line("tool_result", {
    message: {
      role: "user",
      parts: [{ functionResponse: { id: "c1", name: "ls", response, parts: [picture] } }],
    },
    toolCallResult: { callId: "c1", resultDisplay: "two files" },
  });

describe("the format of Qwen Code chats", () => {
  it("replaces a response in the text of its line", () => {
    const text = result({ output: "three files" });
    expect(readMessage(format, text).results).toMatchObject([
      { slot: 0, id: "c1", toolName: "ls", soleText: "three files", isError: false },
    ]);
    const kept = offloadAndRestore(format, text);
    expect(kept.offloaded).toBe(text.replace("three files", "reference 0"));
    expect(kept.restored).toBe(text);
    const odd = text.replace('"three files"', ' "three\\u0020files"').replace('"AAAA"', ' "AAAA" ');
    const taken = offloadAndRestore(format, odd, "offload");
    expect(taken.offloaded).not.toContain("AAAA");
    expect(taken.restored).toBe(odd);
  });

  it("is told from Claude Code, whose lines look alike", () => {
    const asked = line("user", { message: { role: "user", parts: [{ text: "Go." }] } });
    const notes = ["custom_title", "rewind", "snapshot"].map((subtype) =>
      line("system", { subtype, systemPayload: {} }),
    );
    const call = { functionCall: { id: "c1", name: "ls", args: {} } };
    const said = line("assistant", { message: { role: "model", parts: [call] } });
    const text = [...notes, asked, said, result({ output: "x" })].join("\n");
    expect(parseConversation(text).format).toBe("qwen-code-jsonl");
    expectToKnowItsOwn(format);
  });
});
