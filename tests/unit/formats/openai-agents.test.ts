import { describe, expect, it } from "vitest";
import {
  openaiAgentsFormat as format,
  openaiResponsesFormat,
  parseConversation,
} from "../../../src/formats/index.js";
import { expectToKnowItsOwn, GREP, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const call = { type: "function_call", callId: "c1", name: "ls", arguments: '{"a":1}' };
const result = (output: unknown) => ({
  ...{ type: "function_call_result", callId: "c1", name: "ls", status: "completed", output },
});
const picture = { type: "input_image", image: "data:," };

describe("the format of the OpenAI Agents SDK", () => {
  it.each<[string, unknown, unknown]>([
    ["a text", "printed", "reference 0"],
    [
      "a text part",
      { type: "text", text: "printed", x: 1 },
      { type: "text", text: "reference 0", x: 1 },
    ],
    [
      "parts",
      [{ type: "input_text", text: "printed" }, picture],
      [{ type: "input_text", text: "reference 0" }, picture],
    ],
  ])("reads, replaces and restores %s", (_what, output, reference) => {
    const item = result(output);
    expect(readMessage(format, item).results).toMatchObject([
      { slot: 0, id: "c1", toolName: "ls", soleText: "printed", isError: false },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, item);
    expect(offloaded).toEqual(result(reference));
    expect(restored).toEqual(item);
  });

  it("keeps a picture, and reads calls", () => {
    const image = result({ type: "image", image: "data:," });
    expect(readMessage(format, image)).toMatchObject({ results: [], answers: ["c1"] });
    expect(readMessage(format, call)).toMatchObject({
      fromModel: true,
      calls: [{ id: "c1", name: "ls" }],
      otherChars: 7,
    });
  });

  it("is told from the Responses API", () => {
    expectToKnowItsOwn(format);
    const asked = { role: "user", content: "What is there?" };
    expect(parseConversation([asked, call, result("x")]).format).toBe("openai-agents");
    expect(openaiResponsesFormat.mismatch([call])).toContain("callId");
    expect(openaiResponsesFormat.mismatch([{ type: "hosted_tool_call" }])).toContain("Agents");
    expect(format.mismatch([{ type: "function_call", call_id: "c1" }])).toContain("call_id");
    const others = ["reasoning", "program_output", "tool_search_call", "shell_call_output"];
    expect(format.mismatch(others.map((type) => ({ type })))).toBeUndefined();
  });

  it("has tools that run themselves, and answers as items", async () => {
    const [tool] = format.describeTools([GREP]);
    expect(await tool?.invoke({}, '{"pattern":"x"}')).toBe("line 7");
    expect(await tool?.needsApproval()).toBe(false);
    expect(await tool?.isEnabled()).toBe(true);
    expect(format.answerCall(call, { text: "x", isError: false })).toEqual(
      result({ type: "text", text: "x" }),
    );
  });
});
