import type { FormatResult } from "../core/engine/format.js";
import type { Offloader } from "../core/offloader/offloader-types.js";
import { wireOffloader } from "../core/offloader/offloader.js";
import { FormatReader } from "../core/offloader/survey-format.js";
import { minChars } from "../core/policies/min-chars.js";
import type { ToolResult } from "../core/engine/tool-result.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import { checkHash } from "./check-hash.js";
import { createMemoryWorkspace } from "./memory-workspace.js";
import type { FormatFixture, SampleTurn } from "./format-fixture.js";

/** One thing that must hold. `run` throws when it does not. */
export interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export interface Expectation {
  /** Throws unless both are equal as data: same JSON, same keys, same order. */
  readonly equal: (actual: unknown, expected: unknown, what: string) => void;
}

/** What a check has at hand. */
export interface CheckContext {
  readonly history: unknown[];
  /** The results of the history, placed and named. */
  readonly results: readonly ToolResult[];
  readonly expect: Expectation;
  readonly offload: (history: readonly unknown[]) => ReturnType<Offloader["offload"]>;
  readonly restore: (messages: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Another offloader on a workspace of its own. */
  readonly fresh: () => Offloader;
  readonly read: (messages: readonly unknown[]) => readonly FormatResult[];
}

const expectation: Expectation = {
  equal(actual, expected, what) {
    if (canonical(actual) === canonical(expected)) return;
    throw new Error(`${what}: expected ${shown(expected)} but got ${shown(actual)}`);
  },
};

/** Makes checks that each get a conversation and an offloader of their own. */
export function createConversationCheck(
  fixture: FormatFixture,
): (
  name: string,
  turns: readonly SampleTurn[],
  run: (context: CheckContext) => void | Promise<void>,
) => Check {
  const options = { media: "keep" } as const;
  const fresh = () =>
    wireOffloader({
      workspace: createMemoryWorkspace(),
      sessionId: "suite",
      policy: minChars(1_000),
      countTokens: estimateTokens,
      format: fixture.dialect,
      dialects: [fixture.dialect],
      hash: checkHash,
    });
  const read = (messages: readonly unknown[]) =>
    messages.flatMap((message) => fixture.dialect.read(message, options).results);

  return (name, turns, run) => ({
    name,
    async run() {
      const history = fixture.build(turns);
      const format = new FormatReader(fixture.dialect, options).formatFrom({
        messageIndex: 0,
        callNames: new Map(),
        offloadedBefore: () => false,
      });
      const { results } = format.survey(history, { countOther: false });
      const offloader = fresh();
      await run({
        history,
        results,
        expect: expectation,
        offload: (messages) => offloader.offload(messages),
        restore: (messages) => offloader.restore(messages),
        fresh,
        read,
      });
    },
  });
}

/** Data as text; what a class instance holds counts as data. */
function canonical(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

function shown(value: unknown): string {
  const text = canonical(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
