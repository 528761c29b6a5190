import type { Format, FormatResult } from "../core/engine/format.js";
import type { Offloader } from "../core/offloader/offloader-types.js";
import { wireOffloader } from "../core/offloader/offloader.js";
import { minChars } from "../core/policies/min-chars.js";
import { estimateTokens } from "../core/lib/tokens/estimate-tokens.js";
import type { Workspace } from "../core/workspace/workspace-types.js";
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
  readonly results: readonly FormatResult[];
  readonly expect: Expectation;
  readonly offload: (history: readonly unknown[]) => ReturnType<Offloader["offload"]>;
  readonly restore: (messages: readonly unknown[]) => Promise<readonly unknown[]>;
  /** Another offloader on the same workspace. */
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
  const { dialect: format } = fixture;
  const offloaderOn = (workspace: Workspace) =>
    wireOffloader({
      workspace,
      sessionId: "suite",
      policy: minChars(1_000),
      countTokens: estimateTokens,
      format,
      formats: [format],
      pickFormat: () => format,
    });
  const read = (messages: readonly unknown[]) => collect(messages, format);

  return (name, turns, run) => ({
    name,
    async run() {
      const history = fixture.build(turns);
      const results = read(history);
      const workspace = createMemoryWorkspace();
      const fresh = () => offloaderOn(workspace);
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

/** The results, each with the name of the tool that was called. */
function collect(messages: readonly unknown[], format: Format): FormatResult[] {
  const results: FormatResult[] = [];
  const names = new Map<string | undefined, string>();
  const visitor = {
    modelMessage: () => undefined,
    other: () => undefined,
    call: (id: string | undefined, name: string) => void names.set(id, name),
    result: (found: FormatResult) =>
      void results.push({ ...found, toolName: found.toolName ?? names.get(found.id) }),
  };
  for (const message of messages) {
    format.read(message, visitor, { media: "keep", countOther: false });
  }
  return results;
}

/** Data as text; what a class instance holds counts as data. */
function canonical(value: unknown): string {
  return value === undefined ? "undefined" : JSON.stringify(value);
}

function shown(value: unknown): string {
  const text = canonical(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
