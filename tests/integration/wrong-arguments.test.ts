import { describe, expect, it } from "vitest";
import {
  ContextOffloadError,
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  memoryStore,
} from "../../src/index.js";
import { CallerFailedError, InvalidArgumentError } from "../../src/errors.js";
import * as files from "../../src/files.js";
import * as formats from "../../src/formats/index.js";
import * as main from "../../src/index.js";
import * as telemetry from "../../src/open-telemetry.js";
import * as policies from "../../src/policies.js";
import * as stores from "../../src/stores.js";
import { longText } from "../../src/testing/format-fixture.js";
import { rejectionOf } from "../support/rejection.js";

const ENTRIES = { ...main, ...files, ...formats, ...policies, ...stores, ...telemetry };

type AnyFunction = (...args: readonly unknown[]) => unknown;

const WRONG: readonly unknown[] = [undefined, null, 5, "x", {}, { signal: "x" }];

/** The functions of an object by name, without its classes. */
function functionsOf(owner: object): (readonly [string, AnyFunction])[] {
  return Object.entries(owner).filter(
    (entry): entry is [string, AnyFunction] =>
      typeof entry[1] === "function" && !/^class\b/.test(String(entry[1])),
  );
}

/** A call may succeed; if it throws or rejects, then with a code. */
async function expectCoded(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(ContextOffloadError);
  }
}

function open() {
  const workspace = createWorkspace({ store: memoryStore() });
  const offloader = createOffloader({ workspace, sessionId: "s1" });
  return { workspace, offloader, results: createToolResultOffload({ workspace }) };
}

describe("an error because of wrong arguments has a code", () => {
  const functions = functionsOf(ENTRIES);

  it("for every function that is exported", () => {
    expect(functions.length).toBeGreaterThan(30);
  });

  it.each(functions)("%s", async (_, call) => {
    for (const first of WRONG) {
      await expectCoded(() => call(first));
      for (const second of WRONG) await expectCoded(() => call(first, second));
    }
  });
});

describe("an error because of wrong arguments of a method has a code", () => {
  const methods = Object.entries(open()).flatMap(([owner, value]) =>
    functionsOf(value).map(([name]) => [owner, name] as const),
  );

  it.each(methods)("%s.%s", async (owner, name) => {
    const opened = open();
    await opened.workspace.put({ content: "text" }, { sessionId: "default", toolCallId: "x" });
    const call = functionsOf(opened[owner as keyof typeof opened]).find(([one]) => one === name);
    // Wrong in each place, after arguments that some of the methods accept.
    const before = [
      [],
      ["x"],
      ["x", "text"],
      ["x", 1, 1],
      [{ content: "y" }],
      [[{ role: "user", content: "Look." }]],
    ];
    for (const args of before) {
      for (const wrong of WRONG) await expectCoded(() => call?.[1](...args, wrong));
    }
  });
});

describe("what a host passes in is checked where it is passed", () => {
  const untyped = ENTRIES as unknown as Readonly<Record<string, AnyFunction>>;
  const line = '{"role":"user","content":"Look."}\n';

  it.each<[string, string, () => unknown]>([
    ["estimateTokens", "text", () => untyped["estimateTokens"]?.(5)],
    ["digestText", "text", () => untyped["digestText"]?.(5)],
    ["redactSecrets", "text", () => untyped["redactSecrets"]?.(5)],
    ["parseKnowledgeList", "text", () => untyped["parseKnowledgeList"]?.(5)],
    ["parseFileReference", "text", () => untyped["parseFileReference"]?.(5)],
    ["readOffloadedFile", "path", () => untyped["readOffloadedFile"]?.(5)],
    ["candidateIds", "contentHash", () => untyped["candidateIds"]?.(5)],
    ["messageLines", "inner", () => untyped["messageLines"]?.(5)],
    ["openTelemetry", "options", () => untyped["openTelemetry"]?.()],
    [
      "openTelemetry",
      "meter.createCounter",
      () => telemetry.openTelemetry({ meter: {} as telemetry.TelemetryMeter }),
    ],
    ["objectStore", "options", () => untyped["objectStore"]?.()],
    ["joinStores", "metadata", () => untyped["joinStores"]?.()],
    ["cacheAware", "cacheAware", () => policies.cacheAware(5 as never)],
    ["freshAndStale", "freshAndStale", () => policies.freshAndStale(5 as never)],
    ["stringify", "messages", () => formats.parseConversation(line).stringify(5 as never)],
    ["result", "content", () => open().offloader.result(undefined as never)],
    ["result", "options", () => open().offloader.result("x", null as never)],
    ["offload", "options", () => open().offloader.offload([], null as never)],
    ["offload", "signal", () => open().offloader.offload([], { signal: "x" as never })],
    ["restore", "onUnknown", () => open().offloader.restore([], { onUnknown: "x" as never })],
    ["tools", "options", () => open().workspace.tools(null as never)],
    [
      "createOffloader",
      "shouldOffload",
      () =>
        createOffloader({
          workspace: open().workspace,
          sessionId: "s1",
          shouldOffload: "x" as never,
        }),
    ],
  ])("%s: %s", async (_, argument, call) => {
    const error = await rejectionOf(Promise.resolve().then(call));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ argument });
  });

  it("a message without a role has no tool result", async () => {
    const use = { type: "tool_use", id: "a", name: "bash", input: {} };
    const message = { content: [use] } as never;
    const error = await rejectionOf(
      main.offloadToolResult(message, { sessionId: "s1", outputDir: "never-made" }),
    );
    expect(error).toMatchObject({ code: "NO_TOOL_RESULT" });
    expect(error.message).toContain("(it has no role)");
  });
});

describe("what a host's function throws is the cause of an error with a code", () => {
  const thrown = new RangeError("the host's own");
  const fail = (): never => {
    throw thrown;
  };
  const history = [
    { role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: {} }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: longText("a") }],
    },
  ];

  async function expectCause(call: Promise<unknown>, what: string): Promise<void> {
    const error = await rejectionOf(call);
    expect(error).toBeInstanceOf(CallerFailedError);
    expect(error).toMatchObject({ what, cause: thrown });
  }

  it("shouldOffload", async () => {
    const options = { workspace: open().workspace, sessionId: "s1", shouldOffload: fail };
    await expectCause(createOffloader(options).offload(history), "shouldOffload");
  });

  it("the decide of a policy", async () => {
    const policy = { name: "own", perResult: true, needsTotalChars: false, decide: fail };
    const options = { workspace: open().workspace, sessionId: "s1", policy };
    await expectCause(createOffloader(options).offload(history), "policy.decide");
  });

  it("a counter that a policy asks", async () => {
    const options = { workspace: open().workspace, sessionId: "s1", countTokens: fail };
    await expectCause(createOffloader(options).offload(history), "countTokens");
  });

  it("onUnknown and onRedacted", async () => {
    const redact = (text: string): string => text.replaceAll("INFO", "[redacted]");
    const workspace = createWorkspace({ store: memoryStore(), redact });
    const offloader = createOffloader({ workspace, sessionId: "s1", policy: policies.everything });
    const { messages } = await offloader.offload(history);
    await expectCause(offloader.restore(messages, { onRedacted: fail }), "onRedacted");
    const other = createOffloader({ workspace, sessionId: "s2" });
    await expectCause(other.restore(messages, { onUnknown: fail }), "onUnknown");
  });

  it("onProgress", async () => {
    const from = open().workspace;
    await from.put({ content: "text" }, { sessionId: "default" });
    const call = main.copyWorkspace(from, open().workspace, { onProgress: fail });
    await expectCause(call, "onProgress");
  });
});
