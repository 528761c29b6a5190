import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOffloader, type OffloaderOptions, type PartKind } from "../../src/index.js";
import { freshAndStale, minTokens } from "../../src/policies.js";
import { createMemoryWorkspace } from "../../src/testing/index.js";
import { runs } from "../support/adversarial-runs.js";
import { EAGER } from "../support/aging-policy.js";
import { logOf } from "../support/conversation.js";

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** How messages of a vendor are made. */
interface Vendor {
  ask(text: string): object;
  say(text: string): object;
  /** A reply with calls, and their results. */
  work(calls: readonly ToolCall[]): object[];
}

const VENDORS: Readonly<Record<string, Vendor>> = {
  anthropic: {
    ask: (content) => ({ role: "user", content }),
    say: (content) => ({ role: "assistant", content }),
    work: (calls) => [
      {
        role: "assistant",
        content: calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
      },
      {
        role: "user",
        content: calls.map(({ id, text }) => ({
          ...{ type: "tool_result", tool_use_id: id, content: text },
        })),
      },
    ],
  },
  "openai-chat": {
    ask: (content) => ({ role: "user", content }),
    say: (content) => ({ role: "assistant", content }),
    work: (calls) => [
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ id, name, input }) => ({
          ...{ id, type: "function", function: { name, arguments: JSON.stringify(input) } },
        })),
      },
      ...calls.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
    ],
  },
  "openai-responses": {
    ask: (content) => ({ role: "user", content }),
    say: (text) => ({
      ...{ type: "message", role: "assistant", content: [{ type: "output_text", text }] },
    }),
    work: (calls) => [
      ...calls.map(({ id, name, input }) => ({
        ...{ type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
      })),
      ...calls.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
    ],
  },
  gemini: {
    ask: (text) => ({ role: "user", parts: [{ text }] }),
    say: (text) => ({ role: "model", parts: [{ text }] }),
    work: (calls) => [
      {
        role: "model",
        parts: calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
      },
      {
        role: "user",
        parts: calls.map(({ name, text }) => ({
          functionResponse: { name, response: { output: text } },
        })),
      },
    ],
  },
  "ai-sdk": {
    ask: (text) => ({ role: "user", content: [{ type: "text", text }] }),
    say: (text) => ({ role: "assistant", content: [{ type: "text", text }] }),
    work: (calls) => [
      {
        role: "assistant",
        content: calls.map(({ id, name, input }) => ({
          ...{ type: "tool-call", toolCallId: id, toolName: name, input },
        })),
      },
      {
        role: "tool",
        content: calls.map(({ id, name, text }) => ({
          ...{ type: "tool-result", toolCallId: id, toolName: name },
          output: { type: "text", value: text },
        })),
      },
    ],
  },
};

const SESSION = { sessionId: "s" };
const PARTS: readonly PartKind[] = ["results", "userMessages", "toolInputs"];

const POLICIES = [
  minTokens(200),
  freshAndStale({ ...EAGER, giantTokens: 1_200 }),
  freshAndStale({ ...EAGER, afterTurns: 2, gatherTokens: 700 }),
  freshAndStale({ ...EAGER, afterTurns: 3, gatherTokens: 900, giantTokens: 300 }),
];

/** Few texts, so that equal ones come often, or an earlier reference. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("one", "two", "three", "short") },
  { weight: 1, arbitrary: fc.nat(20) },
);

const call = fc.record({
  id: fc.constantFrom("call_0", "call_1", "own"),
  name: fc.constantFrom("bash", "bash", "write", "read_stored", "grep_knowledge"),
  path: fc.constantFrom("a", "b"),
  text,
});

const move = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }).map((calls) => ({ calls })),
  },
  { weight: 3, arbitrary: text.map((ask) => ({ ask })) },
  { weight: 3, arbitrary: fc.constant({ say: true }) },
  { weight: 1, arbitrary: fc.nat(4).map((drop) => ({ drop })) },
  { weight: 1, arbitrary: fc.nat(4).map((rewind) => ({ rewind })) },
  { weight: 1, arbitrary: fc.nat(40).map((edit) => ({ edit })) },
  { weight: 2, arbitrary: fc.constantFrom({ isNewProcess: true }, { isReloaded: true }) },
  { weight: 1, arbitrary: fc.boolean().map((passesOutput) => ({ passesOutput })) },
);

type Move = Partial<{
  calls: readonly (typeof call extends fc.Arbitrary<infer Value> ? Value : never)[];
  ask: string | number;
  say: boolean;
  drop: number;
  rewind: number;
  edit: number;
  isNewProcess: boolean;
  isReloaded: boolean;
  passesOutput: boolean;
}>;

const REFERENCE = /^<knowledge_list>\n[^]*<\/knowledge_list>$/;

/** The references in a message, however it holds them. */
function referencesIn(value: unknown): string[] {
  if (typeof value === "string") return REFERENCE.test(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(referencesIn);
}

/** Whether a message belongs to the one before it: an answer to its call, or another call of the same reply. */
function goesOn(messages: readonly object[], at: number): boolean {
  const has = (index: number, names: RegExp) =>
    index in messages && names.test(JSON.stringify(messages[index]));
  const isCall = (index: number) => has(index, /"type":"function_call"/);
  if (isCall(at) && isCall(at - 1)) return true;
  return has(at, /"(tool_use_id|tool_call_id|function_call_output|functionResponse|tool-result)"/);
}

describe.each(Object.entries(VENDORS))("a conversation of %s", (format, vendor) => {
  it("loses nothing, and is the same in every process, whatever its host does", async () => {
    const property = fc.asyncProperty(
      fc.array(move as fc.Arbitrary<Move>, { minLength: 3, maxLength: 14 }),
      fc.constantFrom(...POLICIES),
      fc.boolean(),
      async (moves, policy, withParts) => {
        const workspace = createMemoryWorkspace();
        const options = { workspace, ...SESSION, format, policy } as OffloaderOptions;
        const create = () =>
          createOffloader({ ...options, ...(withParts ? { parts: PARTS } : {}) });
        const references = new Set<string>();
        let offloader = create();
        /** What the tools and people said, and what the host has of it. */
        let originals: readonly object[] = [];
        let held: readonly object[] = [];
        let passesOutput = false;
        const been = { changed: false, quoted: false, pasteQuoted: false };
        let count = 0;
        const textOf = (given: string | number, isPaste = false): string => {
          if (given === "short") return "ok";
          if (typeof given === "string") return logOf(2_500, given);
          // Without what it quotes, nothing tells a quotation from the original there.
          const isTold = been.changed && (isPaste || format === "gemini");
          const quoted = isTold ? undefined : [...references][given % references.size];
          been.quoted ||= quoted !== undefined;
          been.pasteQuoted ||= isPaste && quoted !== undefined;
          return quoted ?? logOf(2_500, "other");
        };
        const work = async (calls: NonNullable<Move["calls"]>): Promise<object[]> => {
          const used = new Set<string>();
          const made: ToolCall[] = [];
          for (const { id: wanted, name, path, text: given } of calls) {
            const answer = textOf(given);
            const isQuotation = REFERENCE.test(answer);
            const isOwn = wanted === "own" || used.has(wanted) || (isQuotation && been.changed);
            const id = isOwn ? `own_${count++}` : wanted;
            used.add(id);
            const { artifacts } = await workspace.queryArtifacts({}, SESSION);
            const artifactId = artifacts[artifacts.length >> 1]?.artifactId;
            const reads: Readonly<Record<string, object>> = {
              read_stored: { id: artifactId },
              grep_knowledge: { artifact_id: artifactId, pattern: "line 1" },
            };
            const long = { content: logOf(1_600, path), deep: { list: ["x", logOf(1_500, path)] } };
            const input = {
              ...(artifactId === undefined ? { path } : (reads[name] ?? { path })),
              ...(name === "write" ? long : {}),
              ...(isQuotation ? { quotation: count++ } : {}),
            };
            made.push({ id, name, input, text: answer });
          }
          return vendor.work(made);
        };

        for (const { calls, ask, say, drop = 0, rewind = 0, edit, ...host } of moves) {
          const next = calls
            ? await work(calls)
            : ask !== undefined
              ? [vendor.ask(textOf(ask, true))]
              : say
                ? [vendor.say(`Reply ${count++}.`), vendor.ask("Go on.")]
                : [];
          if (host.isNewProcess) offloader = create();
          if (host.isReloaded) held = structuredClone(held);
          passesOutput = host.passesOutput ?? passesOutput;
          originals = [...originals, ...next];
          held = [...held, ...structuredClone(next)];
          if (!been.pasteQuoted && drop + rewind > 0) {
            been.changed = true;
            let from = drop;
            while (goesOn(originals, from)) from++;
            let to = Math.max(from, originals.length - rewind);
            while (goesOn(originals, to)) to++;
            [originals, held] = [originals.slice(from, to), held.slice(from, to)];
          }
          if (!been.pasteQuoted && edit !== undefined && originals.length > 0) {
            been.changed = true;
            const at = edit % originals.length;
            const json = JSON.stringify(originals[at]).replaceAll("served", "was served");
            const edited = () => JSON.parse(json) as object;
            originals = originals.map((message, index) => (index === at ? edited() : message));
            held = held.map((message, index) => (index === at ? edited() : message));
          }
          if (originals.length === 0) continue;

          const { messages } = await offloader.offload(held);
          for (const one of [offloader, create()]) {
            const told = new Set<number>();
            const back = await one.restore(messages, {
              onUnknown: ({ messageIndex }) => void told.add(messageIndex),
            });
            expect(back).toEqual(originals.map((one, at) => (told.has(at) ? back[at] : one)));
            if (!been.quoted && !been.changed) expect([...told]).toEqual([]);
          }
          if (!been.changed) {
            expect((await create().offload(messages)).messages).toEqual(messages);
            expect((await create().offload(structuredClone(held))).messages).toEqual(messages);
          }
          for (const reference of referencesIn(messages)) references.add(reference);
          if (passesOutput) held = messages;
        }
      },
    );
    await fc.assert(property, { numRuns: runs(20) });
  });
});
