import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createOffloader, createWorkspace, type OffloaderOptions } from "../../../src/index.js";
import { type Format } from "../../../src/formats/index.js";
import { afterTurns, all, cacheAware } from "../../../src/policies.js";
import { formatSuite, type SampleTurn } from "../../../src/testing/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { conversationOf, logOf, readSample } from "../../support/conversation.js";

async function makeOffloader(options: Partial<OffloaderOptions> = {}) {
  const workspace = createWorkspace({ root: join(await makeTempFolder(), "workspace") });
  return createOffloader({ workspace, sessionId: "s1", ...options });
}

describe("an offloader without a policy", () => {
  it("offloads from 400 tokens on, and errors from 800 on", async () => {
    // A token for every ten characters, so that the limit can be met exactly.
    const offloader = await makeOffloader({ countTokens: (text) => text.length / 10 });
    const history = conversationOf(
      { id: "under", text: logOf(3_990) },
      { id: "at", text: logOf(4_000) },
      { id: "error", text: logOf(7_990), isError: true },
      { id: "log", text: logOf(8_000), isError: true },
    );
    const { report } = await offloader.offload(history);
    const outcomes = report.results.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["kept", "offloaded", "kept", "offloaded"]);
  });
});

describe("the outcome", () => {
  it("has the same bytes in another process", async () => {
    const { messages } = await (await makeOffloader()).offload(await readSample());
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const program = `
      import { readFileSync } from "node:fs";
      import { createOffloader, createWorkspace } from ${JSON.stringify(`${root}dist/index.js`)};
      const sample = ${JSON.stringify(`${root}examples/conversations/checkout-outage.json`)};
      const workspace = createWorkspace({ root: process.argv[1] });
      const offloader = createOffloader({ workspace, sessionId: "s1" });
      const { messages } = await offloader.offload(JSON.parse(readFileSync(sample, "utf8")));
      process.stdout.write(JSON.stringify(messages));
    `;
    const args = ["--input-type=module", "--eval", program, await makeTempFolder()];
    const printed = execFileSync(process.execPath, args, { encoding: "utf8" });
    expect(printed === JSON.stringify(messages)).toBe(true);
  });

  it("takes no real output for a reference that merely quotes one", async () => {
    const offloader = await makeOffloader();
    const { report } = await offloader.offload(conversationOf({ id: "a", text: logOf(20_000) }));
    const reference = report.results[0]?.reference ?? "";
    const history = conversationOf(
      { id: "a", text: `${reference}\n${logOf(20_000, "after")}` },
      // A reference as a whole, but to another call.
      { id: "b", text: reference },
    );
    const outcome = await offloader.offload(history);
    expect(outcome.report.results.map(({ outcome: what }) => what)).not.toContain("reference");
    expect(await offloader.restore(outcome.messages)).toEqual(history);
  });

  it("says in the report what a rewrite gained", async () => {
    const policy = all(afterTurns(1), cacheAware({ turnsAhead: 20 }));
    const offloader = await makeOffloader({ policy });
    const history = conversationOf({ id: "a", text: logOf(50_000) }, { id: "b", text: "ok" });
    const { report } = await offloader.offload(history);
    expect(report.results[0]).toMatchObject({
      outcome: "offloaded",
      reason: expect.stringMatching(/cacheAware\(.*\): pays, gains \d+ token prices/) as string,
    });
  });
});

describe("the offloader of a subagent", () => {
  it("lets its parent read, and reads nothing of it", async () => {
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const parent = createOffloader({ workspace, sessionId: "parent" });
    const child = createOffloader({ workspace, sessionId: "child", parentSessionId: "parent" });
    await parent.offload(conversationOf({ id: "p", text: logOf(20_000, "parent") }));
    await child.offload(conversationOf({ id: "c", text: logOf(20_000, "child") }));
    const readLine = (artifact_id: string) => ({
      type: "tool_use",
      id: "x",
      name: "get_knowledge_by_lines",
      input: { artifact_id, start_line: 1, end_line: 1 },
    });
    expect(await parent.handleToolCall(readLine("c"))).toMatchObject({
      content: expect.stringContaining("child line 1") as string,
    });
    expect(await child.handleToolCall(readLine("p"))).toMatchObject({
      is_error: true,
      content: expect.stringContaining("UNKNOWN_ARTIFACT") as string,
    });
  });
});

interface Note {
  readonly by: string;
  readonly text: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
  }[];
  readonly call?: string;
}

/** A format that the package does not know. */
const notes: Format = {
  name: "notes",
  mismatch: (messages) =>
    messages.every((note) => typeof (note as Partial<Note>).by === "string")
      ? undefined
      : "a note is by nobody",
  read(message, visitor) {
    const { by, text, calls = [], call: id } = message as Note;
    if (by === "model") visitor.modelMessage();
    for (const call of calls) visitor.call(call.id, call.name, call.input);
    const result = { slot: 0, id, content: text, soleText: text, chars: text.length };
    if (by === "tool") visitor.result({ ...result, isError: false });
    else visitor.other(text.length);
  },
  replace: (message, [reference]) => ({ ...(message as Note), text: reference?.text }),
  restore: (message, [stored]) => ({ ...(message as Note), text: stored?.content }),
  describeTools: (tools) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  readCall(call) {
    const { call: id, name, input } = call as { call?: string; name: string; input: unknown };
    return id === undefined ? undefined : { name, input };
  },
  answerCall: (call, { text }) => ({ by: "tool", call: (call as { call: string }).call, text }),
};

function buildNotes(turns: readonly SampleTurn[]): Note[] {
  return turns.flatMap(({ say, results }) => [
    {
      by: "model",
      text: say,
      calls: results.map(({ id, toolName, input }) => ({ id, name: toolName, input })),
    },
    ...results.map(({ id, text }) => ({ by: "tool", call: id, text })),
  ]);
}

describe("a format of somebody else", () => {
  const suite = formatSuite({
    format: notes,
    build: buildNotes,
    buildCall: ({ id, name, input }) => ({ call: id, name, input }),
    hasErrorFlag: false,
  });
  for (const { name, run } of suite) it(name, run);

  it("is used by an offloader that is given it", async () => {
    const offloader = await makeOffloader({ format: notes });
    const result = { id: "c1", toolName: "bash", input: {}, text: logOf(20_000), isError: false };
    const history = buildNotes([{ say: "Look.", results: [result] }]);
    const { messages, report } = await offloader.offload(history);
    expect(report.results[0]).toMatchObject({ outcome: "offloaded", toolName: "bash" });
    expect(await offloader.restore(messages)).toEqual(history);
    expect(offloader.tools()).toContainEqual(expect.objectContaining({ name: "read_stored" }));
  });
});
