import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, type OffloaderOptions } from "../../../src/index.js";
import { all, flagged, keepErrors, minChars, minTokens, byTool } from "../../../src/policies.js";
import { listTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { conversationOf, logOf, readSample } from "./conversation.js";

async function makeOffloader(options: Partial<OffloaderOptions> = {}) {
  const root = join(await makeTempFolder(), "workspace");
  const workspace = createWorkspace({ root });
  return {
    root,
    workspace,
    offloader: createOffloader({ workspace, sessionId: "s1", ...options }),
  };
}

describe("an offloader", () => {
  it("takes long results out, leaves a short reference, and puts everything back [DESIGN-O-offload] [DESIGN-O-restore]", async () => {
    const { offloader } = await makeOffloader();
    const history = await readSample();
    const before = structuredClone(history);
    const { messages, report } = await offloader.offload(history);
    expect(history).toEqual(before);
    expect(report.totals.offloaded).toBeGreaterThan(5);
    expect(JSON.stringify(messages).length).toBeLessThan(JSON.stringify(history).length / 2);
    expect(await offloader.restore(messages)).toEqual(history);
  });

  it("restores in another process's workspace on the same folder [DESIGN-O-restore-elsewhere]", async () => {
    const { root, offloader } = await makeOffloader();
    const history = await readSample();
    const { messages } = await offloader.offload(history);
    const other = createOffloader({ workspace: createWorkspace({ root }), sessionId: "s1" });
    expect(await other.restore(structuredClone(messages))).toEqual(history);
  });

  it("says of every result whether it left, why, its size, its reference and its artifact [DESIGN-O-report]", async () => {
    const { offloader } = await makeOffloader();
    const history = conversationOf(
      { id: "a", text: logOf(50_000), tool: "read_log" },
      { id: "b", text: "ok" },
      { id: "c", text: logOf(50_000, "trace"), isError: true },
    );
    const { messages, report } = await offloader.offload(history);
    const { content } = messages[2] as { content: { content: string }[] };
    expect(report.results).toEqual([
      {
        messageIndex: 2,
        toolCallId: "a",
        toolName: "read_log",
        outcome: "offloaded",
        reason: expect.stringContaining("minTokens(1000): large enough") as string,
        chars: 50_000,
        tokens: expect.any(Number) as number,
        reference: content[0]?.content,
        referenceTokens: expect.any(Number) as number,
        artifactId: "a",
        error: undefined,
      },
      expect.objectContaining({ toolCallId: "b", outcome: "kept", chars: 2 }),
      expect.objectContaining({
        toolCallId: "c",
        outcome: "kept",
        reason: "keepErrors: an error",
      }),
    ]);
    expect(report.totals).toMatchObject({
      results: 3,
      offloaded: 1,
      kept: 2,
      references: 0,
      failed: 0,
    });
    expect(report.totals.charsSaved).toBe(50_000 - (content[0]?.content.length ?? 0));
    expect(report.totals.tokensSaved).toBeGreaterThan(5_000);
  });

  it("tells beforehand what would leave and what it would save, and writes nothing [DESIGN-O-estimate]", async () => {
    const { root, offloader } = await makeOffloader();
    const history = await readSample();
    const plan = await offloader.estimate(history);
    expect(await listTree(root).catch(() => [])).toEqual([]);
    const { report } = await offloader.offload(history);
    expect(plan.totals).toEqual(report.totals);
    expect(plan.results.map(({ outcome, reference }) => [outcome, reference])).toEqual(
      report.results.map(({ outcome, reference }) => [outcome, reference]),
    );
  });

  it("lets a policy that is given replace the default altogether [DESIGN-O-replaced]", async () => {
    const { offloader } = await makeOffloader({ policy: minChars(2_000) });
    const history = conversationOf({ id: "a", text: logOf(3_000), isError: true });
    expect((await offloader.offload(history)).report.totals.offloaded).toBe(1);
  });

  it("keeps a result whose reference would not be shorter [DESIGN-O-pays]", async () => {
    const { root, offloader } = await makeOffloader({ policy: minChars(1) });
    const history = conversationOf({ id: "a", text: "a few words that no digest makes shorter" });
    const { messages, report } = await offloader.offload(history);
    expect(messages).toBe(history);
    expect(report.results[0]).toMatchObject({
      outcome: "kept",
      reason: "its reference would save too little",
    });
    expect(await listTree(root).catch(() => [])).toEqual([]);
  });

  it("gives a short reference whatever the content's length: no inline rule [DESIGN-O-short]", async () => {
    const { offloader } = await makeOffloader();
    const history = conversationOf(
      { id: "a", text: logOf(39_000) },
      { id: "b", text: logOf(900_000) },
    );
    const { report } = await offloader.offload(history);
    for (const { reference } of report.results) expect(reference?.length).toBeLessThan(2_500);
  });

  it("never offloads answers of the reading tools, under any name, nor references [DESIGN-O-reading-tools] [DESIGN-O-references]", async () => {
    const root = await makeTempFolder();
    const toolNames = { grep_knowledge: "mcp__x__grep" };
    const make = () =>
      createOffloader({
        workspace: createWorkspace({ root, toolNames }),
        sessionId: "s1",
        policy: minChars(1),
      });
    const history = conversationOf(
      { id: "a", text: logOf(30_000), tool: "get_knowledge_by_lines" },
      { id: "b", text: logOf(30_000), tool: "mcp__x__grep" },
      { id: "c", text: logOf(30_000) },
    );
    const { messages, report } = await make().offload(history);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["kept", "kept", "offloaded"]);
    const again = await make().offload(structuredClone(messages).slice(5));
    expect(again.report.results.map(({ outcome }) => outcome)).toEqual(["reference"]);
  });

  it("composes policies, each with its reason [DESIGN-O-all]", async () => {
    const policy = all(byTool({ never: ["read_file"] }), minChars(5_000), keepErrors);
    const { offloader } = await makeOffloader({ policy });
    const history = conversationOf(
      { id: "a", text: logOf(9_000), tool: "read_file" },
      { id: "b", text: logOf(3_000) },
      { id: "c", text: logOf(9_000), isError: true },
      { id: "d", text: logOf(9_000) },
    );
    const { report } = await offloader.offload(history);
    expect(report.results.map(({ reason }) => reason)).toEqual([
      "byTool(-read_file): a tool whose results are kept",
      "minChars(5000): too small",
      "keepErrors: an error",
      "byTool(-read_file): a tool whose results are offloaded; minChars(5000): large enough; keepErrors: not an error",
    ]);
  });

  it("says which formats it tried when none fits [DESIGN-O-auto-refusal]", async () => {
    const { offloader } = await makeOffloader();
    const error = await rejectionOf(offloader.offload([{ what: "ever" }]));
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
    expect(String(error)).toMatch(/No format fits these messages\.\n- anthropic: message 0 /);
    await expect(makeOffloader({ format: "klingon" as never })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      argument: "format",
    });
    const broken = [...conversationOf({ id: "a", text: "ok" }), null];
    expect(await rejectionOf(offloader.offload(broken))).toMatchObject({
      code: "INVALID_ARGUMENT",
      message: "history[3] must be a message, but it is null.",
    });
  });

  it("refuses messages that are not of the format it was given", async () => {
    const { offloader } = await makeOffloader({ format: "gemini" });
    const error = await rejectionOf(offloader.offload(conversationOf({ id: "a", text: "ok" })));
    expect(error).toMatchObject({ code: "UNKNOWN_FORMAT" });
    expect(String(error)).toContain("These messages are not in the format gemini: ");
  });

  it("lets the host flag results", async () => {
    const { offloader } = await makeOffloader({
      policy: flagged,
      shouldOffload: ({ toolCallId, toolName }) => toolName === "read_log" && toolCallId !== "b",
    });
    const history = conversationOf(
      { id: "a", text: logOf(9_000), tool: "read_log" },
      { id: "b", text: logOf(9_000), tool: "read_log" },
      { id: "c", text: logOf(9_000) },
    );
    const { report } = await offloader.offload(history);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(["offloaded", "kept", "kept"]);
  });

  it("counts tokens of what can be read, not of pictures that stay", async () => {
    const { offloader } = await makeOffloader();
    const source = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(5_000) };
    const content = [
      { type: "text", text: logOf(1_500) },
      { type: "image", source },
    ];
    const history = [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "shot", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content }] },
    ];
    expect((await offloader.offload(history)).messages).toBe(history);
  });

  it("names a policy whose answer is none", async () => {
    for (const answer of [null, [], [true], [{ leaves: "yes" }]]) {
      const policy = {
        name: "mine",
        perResult: true,
        needsTotalChars: false,
        decide: () => answer as never,
      };
      const { offloader } = await makeOffloader({ policy });
      const error = await rejectionOf(offloader.offload(conversationOf({ id: "a", text: "long" })));
      expect(error).toMatchObject({ code: "INVALID_ARGUMENT", argument: "what mine decided" });
    }
  });

  it("has nothing to do with an empty history", async () => {
    const { offloader } = await makeOffloader();
    const history: never[] = [];
    expect((await offloader.offload(history)).messages).toBe(history);
  });

  it.each([
    [{ sessionId: "" }, "sessionId"],
    [{ workspace: {} }, "workspace"],
    [{ root: "somewhere" }, "root"],
    [{ media: "drop" }, "media"],
    [{ onError: "ignore" }, "onError"],
    [{ policy: {} }, "policy"],
    [{ policy: minTokens }, "policy"],
    [{ policy: { ...minTokens(1), perResult: undefined } }, "policy"],
    [{ policy: { ...minTokens(1), needsTotalChars: undefined } }, "policy"],
    [{ format: { name: "x" } }, "format"],
  ])("refuses %j [DESIGN-O-arguments]", async (options, argument) => {
    const { workspace } = await makeOffloader();
    const given = { workspace, sessionId: "s1", ...options } as unknown as OffloaderOptions;
    expect(() => createOffloader(given)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument }),
    );
  });

  it("refuses a history that is no array, and stops when it is called off [DESIGN-O-arguments] [DESIGN-O-signal]", async () => {
    const { offloader, root } = await makeOffloader();
    expect(await rejectionOf(offloader.offload("no" as never))).toMatchObject({
      argument: "history",
    });
    const reason = new Error("called off");
    const signal = AbortSignal.abort(reason);
    await expect(offloader.offload(await readSample(), { signal })).rejects.toBe(reason);
    expect(await readdir(root).catch(() => [])).toEqual([]);
  });
});
