import type { Format, FormatResult } from "../core/engine/format.js";
import type { Offloader } from "../core/offloader/offloader-types.js";
import { wireOffloader } from "../core/offloader/offloader.js";
import { minChars } from "../core/policies/by-size.js";
import { estimateTokens } from "../core/estimate-tokens.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
import { createMemoryWorkspace } from "./memory-store.js";
import { type FormatFixture, type SampleTurn, longText, PARALLEL } from "./format-fixture.js";
import { readConversation, type ConversationReading } from "./read-conversation.js";

/** One check of a suite. `run` rejects if it fails. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface Expectation {
  /** Throws unless both are equal as JSON, including the order of keys. */
  readonly equal: (actual: unknown, expected: unknown, what: string) => void;
}

/** What a check gets. */
export interface CheckContext {
  readonly history: unknown[];
  /** The results of the history, with the names of their tools. */
  readonly results: readonly FormatResult[];
  readonly expect: Expectation;
  readonly offload: (history: readonly unknown[]) => ReturnType<Offloader["offload"]>;
  readonly restore: (messages: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Another offloader on its own workspace. */
  readonly fresh: () => Offloader;
  /** Another offloader on the same workspace, as after a restart. */
  readonly reopened: () => Offloader;
  readonly read: (messages: readonly unknown[]) => ConversationReading;
}

const expectation: Expectation = {
  equal(actual, expected, what) {
    if (canonical(actual) === canonical(expected)) return;
    throw new Error(`${what}: expected ${shown(expected)} but got ${shown(actual)}`);
  },
};

/** Makes checks that each get their own conversation and offloader. */
export function createConversationCheck({
  format,
  build,
}: FormatFixture): (
  name: string,
  turns: readonly SampleTurn[],
  run: (context: CheckContext) => void | Promise<void>,
) => Check {
  const fresh = () => openOffloader(format, createMemoryWorkspace());
  const read = (messages: readonly unknown[]) => readConversation(format, messages);
  return (name, turns, run) => ({
    name,
    async run() {
      const history = build(turns);
      const workspace = createMemoryWorkspace();
      const reopened = () => openOffloader(format, workspace);
      const offloader = reopened();
      await run({
        history,
        results: read(history).results,
        expect: expectation,
        offload: (messages) => offloader.offload(messages),
        restore: (messages) => offloader.restore(messages),
        fresh,
        reopened,
        read,
      });
    },
  });
}

function openOffloader(format: Format, workspace: Workspace): Offloader {
  return wireOffloader({
    workspace,
    sessionId: "suite",
    policy: minChars(1_000),
    countTokens: estimateTokens,
    format,
    formats: [format],
    pickFormat: () => format,
  });
}

/** Data as JSON; class instances count by their own properties. */
function canonical(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

function shown(value: unknown): string {
  const text = canonical(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** The model's replies are told apart from everything else. */
export function checkReplies({ history, read, expect }: CheckContext): void {
  const { replies, modelMessages } = read(history);
  expect.equal(replies, PARALLEL.length, "replies of the model");
  for (const { say } of PARALLEL) {
    const at = history.findIndex((message) => JSON.stringify(message).includes(say));
    expect.equal(modelMessages.includes(at), true, `message ${at} as one of the model`);
  }
  for (const [index, message] of history.entries()) {
    const { results, calls } = read([message]);
    // A message may hold calls together with their results.
    if (results.length === 0 || calls.length > 0) continue;
    expect.equal(modelMessages.includes(index), false, `message ${index} as one of the model`);
  }
}

/** Cache marks survive when a result is replaced. */
export function checkMarks(fixture: FormatFixture, { read, expect }: CheckContext): void {
  const mark = "suite-cache-mark";
  const marked = fixture.buildMarked?.(longText("marked"), mark);
  const results = read([marked]).results;
  expect.equal(results.length, 1, "results in a message with a cache mark");
  const texts = results.map(({ slot }) => ({ slot, text: "reference" }));
  const replaced = fixture.format.replace(marked, texts, { media: "keep" });
  const count = (message: unknown) => JSON.stringify(message).split(mark).length - 1;
  expect.equal(count(replaced), count(marked), "cache marks");
  expect.equal(read([replaced]).results[0]?.soleText, "reference", "the reference beside a mark");
}
