import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOffloader } from "../../src/core/offloader/offloader.js";
import { createOffloader, estimateTokens, type UnknownReference } from "../../src/index.js";
import type { AnthropicMessage } from "../../src/formats/index.js";
import { freshAndStale, minTokens } from "../../src/policies.js";
import {
  createMemoryWorkspace,
  type FormatFixture,
  type SampleTurn,
} from "../../src/testing/index.js";
import { FIXTURES } from "../conformance/fixtures.js";
import { runs } from "../support/adversarial-runs.js";
import { EAGER } from "../support/aging-policy.js";
import { logOf } from "../support/conversation.js";

type Workspace = ReturnType<typeof createMemoryWorkspace>;

const POLICIES = [minTokens(200), freshAndStale(EAGER)];

function open(workspace: Workspace, { format }: FormatFixture, policy = POLICIES[0]) {
  return wireOffloader({
    ...{ workspace, sessionId: "s", policy: policy ?? minTokens(200), format, formats: [format] },
    countTokens: estimateTokens,
    pickFormat: () => format,
  });
}

function turn(id: string, text: string, toolName = "read", input = {}): SampleTurn {
  return { say: `Calling ${id}.`, results: [{ id, toolName, input, text, isError: false }] };
}

/** What came back differs from what went in only where it was told, and there it is what was sent. */
async function expectNothingLost(
  offloader: ReturnType<typeof open>,
  sent: readonly unknown[],
  originals: readonly unknown[],
): Promise<void> {
  const told = new Set<number>();
  const onUnknown = ({ messageIndex }: UnknownReference) => void told.add(messageIndex);
  const back = await offloader.restore(sent, { onUnknown });
  expect(back).toEqual(originals.map((original, at) => (told.has(at) ? back[at] : original)));
  for (const at of told) expect([sent[at], originals[at]]).toContainEqual(back[at]);
}

/** Only what tools returned may be stored: a reference that is stored was not recognized. */
async function expectNoneStoredAgain(workspace: Workspace, given: readonly string[]) {
  const stored = await Promise.all(
    (await workspace.queryArtifacts({}, { sessionId: "s" })).artifacts.map(({ artifactId }) =>
      workspace.getOriginal(artifactId, { sessionId: "s" }),
    ),
  );
  for (const content of stored) {
    const text = JSON.stringify(content);
    const isReference = text.includes("<knowledge_list>");
    if (isReference) expect(given.some((one) => text.includes(inJson(one)))).toBe(true);
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What a tool returns: one of few texts, so that equal ones come often, or an earlier reference. */
const output = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("first", "second", "third") },
  { weight: 1, arbitrary: fc.constant("quotation" as const) },
  { weight: 1, arbitrary: fc.constant("short" as const) },
);

const steps = fc.array(
  fc.record({
    output,
    id: fc.constantFrom("call_0", "call_1"),
    /** The reading tools, too: what they answer is kept at first and grows old, whatever the host has made of it. */
    call: fc.constantFrom<{ toolName: string; input: Record<string, unknown> }>(
      { toolName: "read", input: { path: "a" } },
      { toolName: "list", input: { path: "b", deep: [1] } },
      { toolName: "read", input: { path: "b", deep: [1] } },
      { toolName: "get_knowledge_by_id", input: { artifact_id: "call_0" } },
      { toolName: "grep_knowledge", input: { artifact_id: "call_1", pattern: "line" } },
    ),
    /** So many turns are dropped from the start. */
    drop: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
    isNewProcess: fc.boolean(),
  }),
  { minLength: 3, maxLength: 8 },
);

describe.each(FIXTURES)("references in $name", (fixture) => {
  it("are known again or told, and none is stored again, whatever ids, order and windows do", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.boolean(),
        fc.constantFrom(...POLICIES),
        async (moves, passesOutput, policy) => {
          const workspace = createMemoryWorkspace();
          let offloader = open(workspace, fixture, policy);
          /** The turns of the window, as the tools answered, and the messages of each as the host has them. */
          let turns: SampleTurn[] = [];
          let kept: unknown[][] = [];
          const given: string[] = [];
          let quoted: string | undefined;
          let isQuoted = false;
          let isDropped = false;
          for (const [at, move] of moves.entries()) {
            if (move.isNewProcess) offloader = open(workspace, fixture, policy);
            // Without calls and ids, nothing but the result itself shows that it is quoted.
            const isPlaceless = fixture.hasReplies === false;
            const isQuotation: boolean =
              move.output === "quotation" && quoted !== undefined && !(isPlaceless && isDropped);
            const text = isQuotation
              ? (quoted ?? "")
              : move.output === "short"
                ? "ok"
                : logOf(3_000, move.output);
            // A quotation by another call: one by an equal call has a test of its own.
            const input = isQuotation ? { quotation: at } : move.call.input;
            given.push(text);
            isQuoted ||= isQuotation;
            const drop: number = isPlaceless && isQuoted ? 0 : move.drop;
            isDropped ||= drop > 0;
            const next = turn(move.id, text, move.call.toolName, input);
            const whole = fixture.build([next]);
            turns = [...turns, next].slice(drop);
            kept = [...kept, whole].slice(drop);
            if (turns.length === 0) continue;
            const originals = turns.map((one) => fixture.build([one]));
            const history = kept.flat();
            const { messages, report } = await offloader.offload(history);
            await expectNothingLost(offloader, messages, originals.flat());
            quoted ??= report.results.find(({ reference }) => reference)?.reference;
            if (!passesOutput) continue;
            let from = 0;
            kept = kept.map((part) => messages.slice(from, (from += part.length)));
          }
          await expectNoneStoredAgain(workspace, given);
        },
      ),
      { numRuns: runs(12) },
    );
  }, 120_000);

  it("that are quoted by an equal call are content, and both come back", async () => {
    const workspace = createMemoryWorkspace();
    const first = turn("call_0", logOf(9_000));
    const seed = await open(workspace, fixture).offload(fixture.build([first]));
    const reference = seed.report.results[0]?.reference ?? "";
    expect(reference).not.toBe("");
    const history = fixture.build([first, turn("call_0", reference)]);
    const offloader = open(workspace, fixture);
    const { messages, report } = await offloader.offload(history);
    expect(report.results[1]?.outcome).toBe("kept");
    expect(await offloader.restore(messages)).toEqual(history);
    expect(await open(workspace, fixture).restore(messages)).toEqual(history);
    expect((await open(workspace, fixture).offload(messages)).messages).toEqual(messages);
  });

  it("are known after any prefix of messages is dropped, or told by restore", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("same", "other"), fc.nat(40), async (kind, cut) => {
        const workspace = createMemoryWorkspace();
        const turns = [0, 1, 2, 3].map((at) =>
          turn(`call_${at}`, logOf(3_000, kind === "same" ? "log" : `log ${at}`)),
        );
        const history = fixture.build(turns);
        const { messages } = await open(workspace, fixture).offload(history);
        const from = cut % messages.length;
        const offloader = open(workspace, fixture);
        const left = messages.slice(from);
        const again = await offloader.offload(left);
        expect(again.messages).toEqual(left);
        await expectNothingLost(offloader, left, history.slice(from));
        await expectNoneStoredAgain(workspace, []);
      }),
      { numRuns: runs(12) },
    );
  });
});

it("a quotation in an MCP response is content, though two servers use the same ids", async () => {
  const respond = (text: string) => ({
    ...{ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } },
  });
  const workspace = createMemoryWorkspace();
  const create = () =>
    createOffloader({ workspace, sessionId: "s", format: "mcp", policy: minTokens(200) });
  const first = respond(logOf(9_000));
  const { report } = await create().offload([first]);
  const reference = report.results[0]?.reference ?? "";
  expect(reference).not.toBe("");
  const history = [first, respond(reference), first];
  for (const one of [create(), create()]) {
    const { messages } = await one.offload(history);
    expect(JSON.stringify(messages).length).toBeLessThan(5 * reference.length);
    expect(await one.restore(messages)).toEqual(history);
    expect((await create().offload(messages)).messages).toEqual(messages);
  }
});

describe("references in place of what users paste", () => {
  const goOn = (replies: number): AnthropicMessage[] =>
    Array.from({ length: replies }, (_, at): AnthropicMessage[] => [
      { role: "assistant", content: `Reply ${at}.` },
      { role: "user", content: `Go on ${at}.` },
    ]).flat();
  const create = (workspace: Workspace) =>
    createOffloader({
      ...{ workspace, sessionId: "s", format: "anthropic", policy: freshAndStale(EAGER) },
      parts: ["results", "userMessages", "toolInputs"],
    });

  it("are content where a user pastes one, and equal texts all come back", async () => {
    const workspace = createMemoryWorkspace();
    const offloader = create(workspace);
    const paste: AnthropicMessage = { role: "user", content: logOf(9_000) };
    const start = [paste, ...goOn(4)];
    const first = await offloader.offload(start);
    const reference = first.messages[0]?.content as string;
    expect(reference).toMatch(/^<knowledge_list>/);
    const history = [
      ...start,
      ...[{ role: "user" as const, content: reference }, ...goOn(4), paste, ...goOn(4)],
    ];
    for (const one of [offloader, create(workspace)]) {
      const { messages } = await one.offload(history);
      expect(messages.at(-9)?.content).toMatch(/^<knowledge_list>/);
      expect(await one.restore(messages)).toEqual(history);
      const again = await create(workspace).offload(messages);
      expect(again.messages).toEqual(messages);
      expect(await create(workspace).restore(again.messages)).toEqual(history);
    }
  });

  it("are content where a model writes one into another call of the same id", async () => {
    const workspace = createMemoryWorkspace();
    const write = (path: string, content: string): AnthropicMessage[] => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "call_0", name: "write", input: { path, content } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: "ok" }] },
    ];
    const start = [...write("a.ts", logOf(9_000)), ...goOn(4)];
    const { messages } = await create(workspace).offload(start);
    const [block] = messages[0]?.content as unknown as [{ input: { content: string } }];
    const imitated = block.input.content;
    expect(imitated).toMatch(/^\[Stored: /);
    const more = [...write("b.ts", imitated), ...goOn(4)];
    for (const history of [[...start, ...more], more]) {
      const offloader = create(workspace);
      const sent = (await offloader.offload(history)).messages;
      expect(await offloader.restore(sent)).toEqual(history);
    }
  });
});
