import { describe, expect, it } from "vitest";
import { copilotCliFormat as format, parseConversation } from "../../../src/formats/index.js";
import { expectToKnowItsOwn, GREP, offloadAndRestore, readMessage } from "./offload-and-restore.js";

const event = (type: string, data: object) => ({ type, data, id: "e", timestamp: "t" });
const complete = (more: object) =>
  event("tool.execution_complete", { toolCallId: "c1", success: true, ...more });

describe("the format of Copilot CLI events", () => {
  it("reads requests, results and texts", () => {
    const request = { toolCallId: "c1", name: "bash", arguments: { a: 1 }, type: "function" };
    const said = event("assistant.message", { content: "Look.", toolRequests: [request] });
    expect(readMessage(format, said)).toMatchObject({
      fromModel: true,
      calls: [{ id: "c1", name: "bash" }],
      otherChars: "Look.".length + '{"a":1}'.length,
    });
    const asked = event("user.message", { content: "Go.", transformedContent: "It is noon. Go." });
    expect(readMessage(format, asked)).toMatchObject({ fromModel: false, otherChars: 15 });
    const repeated = event("tool.execution_start", { toolCallId: "c1", arguments: { a: 1 } });
    expect(readMessage(format, repeated)).toMatchObject({ calls: [], otherChars: 0 });
  });

  it("replaces what the model sees, and nothing else", () => {
    const done = complete({ result: { content: "printed", detailedContent: "in color" } });
    expect(readMessage(format, done).results).toMatchObject([
      { id: "c1", soleText: "printed", isError: false },
    ]);
    const { offloaded, restored } = offloadAndRestore(format, done);
    expect(offloaded).toEqual(
      complete({ result: { content: "reference 0", detailedContent: "in color" } }),
    );
    expect(restored).toEqual(done);
    const failed = complete({ success: false, error: { message: "no such file", code: "x" } });
    expect(readMessage(format, failed).results).toMatchObject([
      { soleText: "no such file", isError: true },
    ]);
    expect(offloadAndRestore(format, failed).restored).toEqual(failed);
    expect(readMessage(format, complete({}))).toMatchObject({ results: [], answers: ["c1"] });
  });

  it("takes the events of a session, one per line too", () => {
    const events = [event("session.start", {}), event("hook.start", {}), complete({})];
    expect(parseConversation(events).format).toBe("copilot-cli");
    const text = events.map((one) => JSON.stringify(one)).join("\n");
    expect(parseConversation(text).format).toBe("copilot-cli-jsonl");
    expectToKnowItsOwn(format);
    expect(format.mismatch([event("order.created", {})])).toBe(
      "message 0 and all others are not events of a Copilot session",
    );
  });

  it("has tools that run themselves", async () => {
    const [tool] = format.describeTools([GREP]);
    expect(tool).toMatchObject({ name: "grep", parameters: GREP.inputSchema });
    expect(await tool?.handler({})).toEqual({ textResultForLlm: "line 7", resultType: "success" });
    const invocation = { sessionId: "s", toolCallId: "c", toolName: "grep", arguments: {} };
    expect(format.readCall(invocation)).toEqual({ name: "grep", input: {} });
  });
});
