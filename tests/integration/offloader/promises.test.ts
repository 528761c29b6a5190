import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  createOffloader,
  createWorkspace,
  DEFAULTS,
  type OffloaderOptions,
} from "../../../src/index.js";
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
  // A token for every ten characters, so that a limit can be met exactly.
  const countTokens = (text: string) => text.length / 10;
  const giant = 10 * DEFAULTS.giantTokens;
  /** So many results of half a giant that they are worth a step. */
  const results = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `t${i}`, text: logOf(giant / 2, `${i}`) }));

  it("offloads giants when they arrive, with a digest, and keeps the rest", async () => {
    const offloader = await makeOffloader({ countTokens });
    const history = conversationOf(
      { id: "small", text: logOf(10 * DEFAULTS.staleTokens - 10) },
      { id: "under", text: logOf(giant - 10) },
      { id: "at", text: logOf(giant) },
      { id: "error", text: logOf(giant - 10), isError: true },
      { id: "log", text: logOf(giant), isError: true },
    );
    const { report } = await offloader.offload(history);
    expect(report.results.map(({ outcome, state }) => [outcome, state])).toEqual([
      ["kept", "small"],
      ["kept", "fresh"],
      ["offloaded", "giant"],
      ["kept", "fresh"],
      ["offloaded", "giant"],
    ]);
    expect(report.results[2]?.reference).toContain("line 1:");
    expect(report).not.toHaveProperty("step");
    expect(report.gathered).toEqual({ results: 0, tokens: 0 });
  });

  it("offloads what is stale in steps, with short references, and tells of each", async () => {
    const offloader = await makeOffloader({ countTokens });
    const all = conversationOf(...results(40));
    let [before, steps]: [unknown[], number] = [[], 0];
    for (let length = 1; length <= all.length; length += 2) {
      const history = all.slice(0, length);
      const { nextStep, step: planned } = await offloader.estimate(history);
      const { messages, report } = await offloader.offload(history);
      const { step, results: reports, gathered } = report;
      expect(planned).toEqual(step);
      if (step) {
        steps++;
        const going = reports.filter((result) => result.tokens !== undefined);
        expect(step).toMatchObject({ turn: (length - 1) / 2, results: going.length });
        expect(step.freedTokens).toBeGreaterThan(going.length * DEFAULTS.staleTokens);
        expect(going.every(({ state }) => state === "stale")).toBe(true);
        expect(going[0]?.reference).not.toContain("line 1:");
        expect(gathered).toEqual({ results: 0, tokens: 0 });
      } else expect(messages.slice(0, before.length)).toEqual(before);
      // The newest are whole, whatever their size.
      const kept = DEFAULTS.staleTurns - 1;
      const newest = history.slice(-2 * kept);
      expect(messages.slice(-newest.length)).toEqual(newest);
      expect(nextStep.tokens).toBe(nextStep.results * (giant / 20));
      before = messages;
    }
    expect(steps).toBeGreaterThan(1);
    expect(await offloader.restore(before)).toEqual(all);
  });

  it("offloads giants alone where it sees one result at a time", async () => {
    const offloader = await makeOffloader({ countTokens });
    for (const { text } of results(20)) {
      expect(await offloader.result(text)).toMatchObject({
        content: text,
        report: { state: "fresh" },
      });
    }
    const { content, report } = await offloader.result(logOf(giant));
    expect(content).toContain("line 1:");
    expect(report.state).toBe("giant");
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
    await parent.offload(conversationOf({ id: "p", text: logOf(60_000, "parent") }));
    await child.offload(conversationOf({ id: "c", text: logOf(60_000, "child") }));
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
