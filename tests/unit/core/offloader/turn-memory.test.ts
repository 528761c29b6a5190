import { describe, expect, it } from "vitest";
import { ContentMemory } from "../../../../src/core/offloader/turn-memory.js";
import { EMPTY_SESSION, type SessionIndex } from "../../../../src/core/offloader/session-index.js";
import { createReadingCalls } from "../../../../src/core/offloader/reads.js";
import type { ResultReport } from "../../../../src/core/offloader/report.js";
import type { ToolResult, Format } from "../../../../src/core/engine/format.js";
import {
  finishMessages,
  TurnMemory,
  type SeenMessage,
} from "../../../../src/core/offloader/turn-memory.js";
import { anthropicFormat } from "../../../../src/formats/anthropic.js";
import { geminiFormat } from "../../../../src/formats/gemini.js";
import { conversationOf } from "../../../support/conversation.js";
import { countReads } from "../../../support/count-reads.js";
import { deepFreeze } from "../../../support/shared-objects.js";

function createMemory(format: Format = anthropicFormat): TurnMemory {
  return new TurnMemory({
    format,
    read: { media: "keep", countOther: false },
    contents: new ContentMemory(
      (data) => String(data),
      (text) => text.length,
    ),
    readingCalls: createReadingCalls({}),
  });
}

const NO_MESSAGES: ReadonlySet<number> = new Set();

/** What was returned for all messages; `isOpen` are those that may still change. */
function finish(
  taken: readonly SeenMessage[],
  output: readonly unknown[],
  reports: readonly ResultReport[],
  isOpen = NO_MESSAGES,
): void {
  finishMessages(taken, [...output], reports, isOpen, NO_MESSAGES);
}

const reportOfKept = ({ messageIndex, id, toolName, chars }: ToolResult): ResultReport => ({
  ...{ messageIndex, toolCallId: id, toolName, chars, outcome: "kept", reason: "" },
  ...{ tokens: undefined, reference: undefined, referenceTokens: undefined },
  ...{ artifactId: undefined, error: undefined },
});

describe("the memory of a turn", () => {
  it("knows the messages that it has seen, and names results by the calls before them", () => {
    const history = conversationOf({ id: "a", text: "one", tool: "bash" });
    const memory = createMemory();
    memory.take(history, 0);
    expect(memory.countKnown(history, EMPTY_SESSION)).toBe(history.length);
    expect(memory.countKnown([...history, { role: "user", content: "more" }], EMPTY_SESSION)).toBe(
      history.length,
    );
    expect(memory.survey().results).toMatchObject([{ id: "a", toolName: "bash", content: "one" }]);
    finish(
      memory.take(history, history.length),
      history,
      memory.survey().results.map(reportOfKept),
    );
    expect(memory.survey()).toMatchObject({ results: [], from: history.length });
  });

  it("sees a change in place, at any depth that a message can have", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const innermost = { f: "old" };
    const deep = { a: [{ b: { c: [{ d: { e: innermost } }] } }] };
    Object.assign(history[1] ?? {}, { extra: deep });
    const memory = createMemory();
    memory.take(history, 0);
    innermost.f = "new";
    expect(memory.countKnown(history, EMPTY_SESSION)).toBe(1);
  });

  it("takes what it returned for what it read only where that is final", () => {
    const history = conversationOf({ id: "a", text: "one" });
    for (const isFinal of [true, false]) {
      const memory = createMemory();
      const taken = memory.take(history, 0);
      const output = history.map((message) => ({ ...message, content: "a reference" }));
      finish(taken, output, [], new Set(isFinal ? [] : history.keys()));
      expect(memory.countKnown(output, EMPTY_SESSION)).toBe(isFinal ? history.length : 0);
    }
  });

  it("matches results without ids with their own calls, also after the history was changed", () => {
    const turn = (path: string) => [
      { role: "model", parts: [{ functionCall: { name: "ls", args: { path } } }] },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: path } } }] },
    ];
    const history = [...turn("one"), ...turn("two")];
    const changed = [...history.slice(0, 3), turn("three")[1]];
    const memory = createMemory(geminiFormat);
    memory.take(history, 0);
    const taken = memory.take(changed, 3);
    expect(memory.survey().results).toMatchObject([{ about: "one" }, { about: "two" }]);
    // A host that passes on what was returned: the results are released.
    const reports = memory.survey().results.map(reportOfKept);
    const output = changed.map((message) => ({ ...message, note: "short" }));
    finish(taken, output, reports);
    expect(memory.countKnown(output, EMPTY_SESSION)).toBe(4);
    memory.take([...output.slice(0, 3), turn("four")[1]], 3);
    expect(memory.survey().results).toMatchObject([{ about: "two" }]);
  });

  it("knows what a message refers to, also once it was replaced again and its content released", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    const taken = memory.take(history, 0);
    const offloaded = { outcome: "offloaded", artifactId: "a", reference: "r" } as const;
    const reports = memory.survey().results.map((result) => ({
      ...reportOfKept(result),
      ...offloaded,
    }));
    const output = history.map((message) => ({ ...message, note: "short" }));
    finish(taken, output, reports);
    const session = { artifacts: new Map([["a", { hash: "one" }]]) } as unknown as SessionIndex;
    expect(memory.countKnown(output, session)).toBe(3);
    expect(taken[2]).toMatchObject({ results: [], resultCount: 1 });
    expect(taken[2]?.hashAt(0)).toBe("one");
    expect(memory.countKnown(output, EMPTY_SESSION)).toBe(2);
  });

  it("returns the same object for a message whose references are the same", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    const taken = memory.take(history, 0);
    const reports = memory.survey().results.map(reportOfKept);
    const output = history.map((message) => ({ ...message, note: "short" }));
    const isOpen = new Set(history.keys());
    finish(taken, output, reports, isOpen);
    finish(
      taken,
      output.map((message) => ({ ...message })),
      reports,
      isOpen,
    );
    expect(taken.map((seen) => seen.output)).toEqual(output);
    expect(taken.every((seen, index) => seen.output === output[index])).toBe(true);
  });

  it("forgets what was changed while it was being stored", () => {
    const history = conversationOf({ id: "a", text: "one" }, { id: "b", text: "two" });
    const memory = createMemory();
    const taken = memory.take(history, 0);
    expect(taken[2]?.isCurrent).toBe(true);
    Object.assign(history[2] ?? {}, { content: "something else" });
    expect(taken[2]?.isCurrent).toBe(false);
    finish(taken, history, []);
    expect(memory.countKnown(history, EMPTY_SESSION)).toBe(2);
  });

  it("tells calls that nothing answers from those that are still open", () => {
    const [user, call] = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    memory.take([user, call], 0);
    expect(memory.looksMisread(false)).toBe(false);
    memory.take([user, call, { role: "assistant", content: "done" }], 2);
    // Both messages are one reply; a later reply closes its calls.
    memory.take([user, call, user, { role: "assistant", content: "done" }], 2);
    expect(memory.looksMisread(false)).toBe(true);
  });

  it("recognizes an equal history that was loaded anew, and takes its objects over", () => {
    const history = conversationOf({ id: "a", text: "one" });
    const memory = createMemory();
    memory.take(history, 0);
    const anew = structuredClone(history);
    expect(memory.countKnown(anew, EMPTY_SESSION)).toBe(history.length);
    expect(memory.take(anew, 3).map(({ output }, index) => output === anew[index])).toEqual([
      true,
      true,
      true,
    ]);
    const other = conversationOf({ id: "a", text: "two" });
    expect(memory.countKnown(other, EMPTY_SESSION)).toBe(2);
  });

  it("does not take an object of a class for another one that looks alike", () => {
    const at = (time: number) => [{ role: "user", content: "hi", sentAt: new Date(time) }];
    const memory = createMemory();
    const history = at(0);
    memory.take(history, 0);
    expect(memory.countKnown(history, EMPTY_SESSION)).toBe(1);
    expect(memory.countKnown(at(1), EMPTY_SESSION)).toBe(0);
  });
});

describe("what a further turn costs, in looks at the messages of earlier ones", () => {
  const turns = (count: number) =>
    conversationOf(...Array.from({ length: count }, (_, at) => ({ id: `t${at}`, text: "one" })));
  const readsAgain = (history: object[]) => {
    const counted = countReads(history);
    // The array is the host's own and is not frozen; its messages are what counts.
    const messages = [...counted.value];
    const memory = createMemory();
    memory.take(messages, 0);
    counted.reads = 0;
    expect(memory.countKnown(messages, EMPTY_SESSION)).toBe(messages.length);
    return counted.reads;
  };

  it("is one for each object and property, however often that happens", () => {
    const countSlots = (value: unknown): number =>
      typeof value !== "object" || value === null
        ? 0
        : Object.values(value).reduce<number>((sum, item) => sum + 1 + countSlots(item), 1);
    const history = turns(100);
    expect(readsAgain(history)).toBeLessThanOrEqual(countSlots(history));
  });

  it("is nothing for messages that are frozen", () => {
    expect(readsAgain(turns(100).map((message) => deepFreeze(message)))).toBe(0);
  });

  it("is nothing for what was returned, once the host has frozen it", () => {
    const history = turns(10);
    const memory = createMemory();
    const taken = memory.take(history, 0);
    const outputs = countReads(
      history.map((message) => deepFreeze({ ...structuredClone(message), content: "reference" })),
    );
    finish(taken, outputs.value, []);
    memory.countKnown([...outputs.value], EMPTY_SESSION);
    outputs.reads = 0;
    const again = [...outputs.value];
    outputs.reads = 0;
    expect(memory.countKnown(again, EMPTY_SESSION)).toBe(history.length);
    expect(outputs.reads).toBe(0);
  });

  it("and the store is asked for what it holds only after a removal", () => {
    const history = turns(3);
    const memory = createMemory();
    const taken = memory.take(history, 0);
    const hash = (text: string) => JSON.stringify(text).slice(1, -1);
    const reports = memory.survey().results.map(({ messageIndex, id }) => ({
      ...{ messageIndex, toolCallId: id, toolName: "bash", outcome: "offloaded" as const },
      ...{ reason: "", chars: 3, tokens: 1, reference: "r", referenceTokens: 1 },
      ...{ artifactId: id ?? "", error: undefined },
    }));
    finish(taken, history, reports);
    let asked = 0;
    const listing = (lastRemoval: object | undefined, held = true) => ({
      artifacts: {
        get: () => {
          asked++;
          return held ? { hash: hash("one") } : undefined;
        },
      } as unknown as (typeof EMPTY_SESSION)["artifacts"],
      removed: EMPTY_SESSION.removed,
      lastRemoval,
    });
    const ask = (session: ReturnType<typeof listing>) => {
      asked = 0;
      const known = memory.countKnown(history, session);
      memory.take(history, known);
      return { known, asked };
    };
    const [first, second] = [{}, {}];
    expect(ask(listing(first))).toEqual({ known: 7, asked: 3 });
    expect(ask(listing(first))).toEqual({ known: 7, asked: 0 });
    expect(ask(listing(second))).toEqual({ known: 7, asked: 3 });
    // A store that cannot tell is asked every time.
    expect(ask(listing(undefined))).toEqual({ known: 7, asked: 3 });
    expect(ask(listing(undefined))).toEqual({ known: 7, asked: 3 });
    // A call that fails before anything is taken leaves nothing unchecked.
    memory.countKnown(history, listing(first, false));
    expect(ask(listing(first, false)).known).toBe(2);
  });
});
