import { describe, expect, it } from "vitest";
import * as main from "../../src/index.js";
import * as policies from "../../src/policies.js";
import { makeTempFolder } from "../support/temp-folder.js";

const WRONG: readonly unknown[] = [undefined, null, 5, "x", {}];

/** Exported functions that are not called with wrong arguments, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  // The folder would be made in the working directory.
};

const isClass = (value: unknown): boolean => /^class\b/.test(String(value));

const FUNCTIONS = Object.entries({ ...main, ...policies } as Record<string, unknown>).filter(
  (entry): entry is [string, (...args: unknown[]) => unknown] =>
    typeof entry[1] === "function" && !isClass(entry[1]) && !(entry[0] in LEFT_OUT),
);

/** What is thrown by a call or its promise. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function expectCoded(call: () => unknown): Promise<void> {
  const failure = await failureOf(call);
  if (failure !== undefined) expect(failure).toBeInstanceOf(main.ContextOffloadError);
}

describe("every error of a wrong argument has a code [DESIGN-9]", () => {
  it("finds the functions", () => {
    expect(FUNCTIONS.length).toBeGreaterThan(30);
  });

  it.each(FUNCTIONS)("%s", async (_, call) => {
    for (const first of WRONG) {
      await expectCoded(() => call(first));
      for (const second of WRONG) await expectCoded(() => call(first, second));
    }
  });
});

const MESSAGES = [{ role: "user", content: "Look." }];

/** Methods with the arguments that are right before the options, or `undefined` for a wrong first. */
const METHODS: Readonly<Record<string, (wrong: never) => unknown>> = {};

describe("every error of a wrong argument of a method has a code [DESIGN-9]", () => {
  const open = () => {
    const workspace = main.createWorkspace({ store: main.memoryStore() });
    const offloader = main.createOffloader({ workspace, sessionId: "s1" });
    return { workspace, offloader, op: main.createToolResultOffload({ workspace }) };
  };
  const { workspace, offloader, op } = open();
  const owners = { workspace, offloader, op };

  const methods = Object.entries(owners).flatMap(([owner, methodsOf]) =>
    Object.entries(methodsOf as unknown as Record<string, unknown>)
      .filter(([, method]) => typeof method === "function")
      .map(([name]) => [`${owner}.${name}`, owner, name] as const),
  );

  it.each(methods)("%s", async (_, owner, name) => {
    const opened = open() as unknown as Record<
      string,
      Record<string, (...args: unknown[]) => unknown>
    >;
    const call = (...args: unknown[]) => opened[owner]?.[name]?.(...args);
    await opened["workspace"]?.["put"]?.({ content: "text" }, { toolCallId: "x" });
    for (const wrong of [...WRONG, { signal: "x" }]) {
      for (const args of [
        [wrong],
        ["x", wrong],
        [MESSAGES, wrong],
        ["x", 1, 1, wrong],
        ["x", "text", wrong],
        [{ content: "y" }, wrong],
        [wrong, {}],
      ]) {
        await expectCoded(() => call(...args));
      }
    }
  });
});
