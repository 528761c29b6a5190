import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, type WorkspaceEvent } from "../../../src/index.js";
import { type AnthropicMessage } from "../../../src/formats/index.js";
import { minChars } from "../../../src/policies.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { conversationOf, logOf } from "../../support/conversation.js";

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(200) },
} as const;

function withImages(text: string): AnthropicMessage[] {
  const messages = conversationOf({ id: "a", text: "" });
  const content = [{ type: "text", text } as const, image, image];
  return [
    ...messages.slice(0, 2),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
  ];
}

describe("media in a result", () => {
  it("is kept in the message by default while the text is offloaded, and comes back", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const offloader = createOffloader({ workspace, sessionId: "s1" });
    const history = withImages(logOf(20_000));
    const { messages, report } = await offloader.offload(history);
    const [block] = (messages[2] as { content: { content: object[] }[] }).content;
    expect(block?.content).toEqual([
      { type: "text", text: expect.stringContaining("<knowledge_list>") as string },
      image,
      image,
    ]);
    const { length: chars } = JSON.stringify([{ type: "text", text: logOf(20_000) }]);
    expect(report.results[0]).toMatchObject({ outcome: "offloaded", chars });
    expect(await offloader.restore(messages)).toEqual(history);
    expect((await offloader.offload(messages)).messages).toBe(messages);
  });

  it("is offloaded too with media: offload", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const offloader = createOffloader({ workspace, sessionId: "s1", media: "offload" });
    const history = withImages(logOf(20_000));
    const { messages } = await offloader.offload(history);
    expect(JSON.stringify(messages)).not.toContain(image.source.data);
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("is nothing to offload on its own", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const offloader = createOffloader({ workspace, sessionId: "s1", policy: minChars(1) });
    const history = withImages("");
    expect((await offloader.offload(history)).messages).toBe(history);
  });
});

describe("what cannot be stored", () => {
  async function brokenWorkspace(logger?: (event: WorkspaceEvent) => void) {
    const root = join(await makeTempFolder(), "root");
    await writeFile(root, "a file where the folder should be");
    return createWorkspace({ root, logger });
  }
  const history = conversationOf({ id: "a", text: logOf(20_000) }, { id: "b", text: "ok" });

  it("throws, and the history is as it was", async () => {
    const offloader = createOffloader({ workspace: await brokenWorkspace(), sessionId: "s1" });
    const before = structuredClone(history);
    expect(await rejectionOf(offloader.offload(history))).toMatchObject({ code: "WRITE_FAILED" });
    expect(history).toEqual(before);
  });

  it("is kept with onError: keep, and is logged and reported", async () => {
    const events: WorkspaceEvent[] = [];
    const workspace = await brokenWorkspace((event) => events.push(event));
    const offloader = createOffloader({ workspace, sessionId: "s1", onError: "keep" });
    const { messages, report } = await offloader.offload(history);
    expect(messages).toBe(history);
    expect(report.results[0]).toMatchObject({
      outcome: "failed",
      reference: undefined,
      error: expect.objectContaining({ code: "WRITE_FAILED" }) as object,
    });
    expect(report.totals).toMatchObject({ offloaded: 0, failed: 1 });
    expect(events).toContainEqual(
      expect.objectContaining({ event: "failure", verb: "put", biz_id: "a", code: "WRITE_FAILED" }),
    );
  });

  it("is tried again at the next turn", async () => {
    const root = join(await makeTempFolder(), "root");
    await writeFile(root, "in the way");
    const workspace = createWorkspace({ root });
    const offloader = createOffloader({ workspace, sessionId: "s1", onError: "keep" });
    expect((await offloader.offload(history)).report.totals).toMatchObject({ failed: 1 });
    await rm(root);
    const { messages, report } = await offloader.offload(history);
    expect(report.totals).toMatchObject({ offloaded: 1, failed: 0 });
    expect(await offloader.restore(messages)).toEqual(history);
  });
});

describe("the reading tools through an offloader", () => {
  it("see what was offloaded in this session alone", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const one = createOffloader({ workspace, sessionId: "one" });
    const two = createOffloader({ workspace, sessionId: "two" });
    await one.offload(conversationOf({ id: "a", text: logOf(20_000) }));
    const call = { type: "tool_use", id: "x", name: "get_knowledge_by_lines" };
    const input = { artifact_id: "a", start_line: 1, end_line: 1 };
    expect(await one.handleToolCall({ ...call, input })).toEqual({
      type: "tool_result",
      tool_use_id: "x",
      content: expect.stringContaining("log line 1: request 7919 served") as string,
    });
    expect(await two.handleToolCall({ ...call, input })).toMatchObject({
      is_error: true,
      content: expect.stringContaining("UNKNOWN_ARTIFACT") as string,
    });
  });

  it("come in the format's own shape", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const offloader = createOffloader({ workspace, sessionId: "one" });
    expect(offloader.tools("anthropic")).toContainEqual(
      expect.objectContaining({
        name: "read_stored",
        input_schema: expect.objectContaining({ type: "object" }) as object,
      }),
    );
    expect(() => offloader.tools("klingon" as "mcp")).toThrow('There is no format "klingon".');
    expect(() => offloader.tools()).toThrow("Pass a format to tools(), one of: ");
    await offloader.offload(conversationOf({ id: "a", text: "ok" }));
    expect(offloader.tools()).toEqual(offloader.tools("anthropic"));
  });

  it("refuse a call that is not one of theirs", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const offloader = createOffloader({ workspace, sessionId: "one" });
    const call = { type: "tool_use", id: "x", name: "rm_rf", input: {} };
    expect(offloader.handles(call)).toBe(false);
    expect(offloader.handles({ ...call, name: "grep_knowledge" })).toBe(true);
    expect(offloader.handles("grep_knowledge")).toBe(false);
    expect(await rejectionOf(offloader.handleToolCall(call))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("grep_knowledge") as string,
    });
    expect(await rejectionOf(offloader.handleToolCall(7))).toMatchObject({ argument: "call" });
  });
});
