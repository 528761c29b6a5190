import { describe, expect, it } from "vitest";
import {
  copyWorkspace,
  createOffloader,
  createWorkspace,
  type Workspace,
  type WorkspaceOptions,
} from "../../src/index.js";
import { offloadRequests } from "../../src/integrations/anthropic/index.js";
import { offloadClient, shortenAnswer } from "../../src/integrations/mcp/index.js";
import { openTelemetry } from "../../src/open-telemetry.js";
import { all, any, freshAndStale, minTokens, not } from "../../src/policies.js";
import { conversationOf, logOf } from "../support/conversation.js";
import { makeTempFolder } from "../support/temp-folder.js";

const LONG = "a line of a log\n".repeat(5_000);
const HISTORY = conversationOf({ id: "a", text: LONG });

/** Old enough for some of it to be offloaded as stale. */
const OLD = conversationOf(
  ...Array.from({ length: 40 }, (_, at) => ({ id: `a${at}`, text: logOf(8_000, `log ${at}`) })),
);

/** Fails at once, or later: as a promise, or as anything else with a `then`. */
const FAILURES: Readonly<Record<string, () => never>> = {
  "that throws": () => {
    throw new Error("away");
  },
  "that rejects": () => Promise.reject(new Error("away")) as never,
  "whose answer rejects": () => {
    const then = (_: unknown, reject: (reason: Error) => void) => {
      reject(new Error("away"));
    };
    return { then } as never;
  },
};

/** What happened meanwhile that would have ended the process. */
async function unhandledWhile(work: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  try {
    // Whether the call fails is for other tests; that it can be handled is what counts here.
    await work().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return unhandled;
  } finally {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  }
}

async function open(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  return createWorkspace({ root: await makeTempFolder(), ...options });
}

async function offload(
  options: Partial<Parameters<typeof createOffloader>[0]>,
  workspace?: Workspace,
  history = HISTORY,
) {
  const common = { workspace: workspace ?? (await open()), sessionId: "s", format: "anthropic" };
  return createOffloader({ ...common, ...options } as never).offload(history);
}

/** Every function that a host can pass, in a call that comes to it. */
const CALLBACKS: Readonly<Record<string, (fail: () => never) => Promise<unknown>>> = {
  logger: async (fail) => offload({}, await open({ logger: fail })),
  "logger.storeCall": async (fail) => {
    const logger = Object.assign(() => undefined, { storeCall: fail });
    return offload({}, await open({ logger }));
  },
  "the logger, tracer and meter of openTelemetry": async (fail) => {
    const span = { setStatus: fail, end: fail };
    const logger = openTelemetry({
      logger: Object.assign(fail, { storeCall: fail }),
      tracer: { startSpan: () => span },
      meter: {
        createCounter: () => ({ add: fail }),
        createHistogram: () => ({ record: fail }),
      },
    });
    return offload({}, await open({ logger }));
  },
  redact: async (fail) => offload({}, await open({ redact: fail })),
  "countTokens of a workspace": async (fail) => offload({}, await open({ countTokens: fail })),
  "countTokens of an offloader": (fail) => offload({ countTokens: fail }),
  "encryption.keyFor": (fail) => open({ encryption: { keyFor: fail } }),
  "encryption.keyFor, for an older key": async (fail) => {
    const root = await makeTempFolder();
    await offload({}, await open({ root, encryption: { key: new Uint8Array(32), keyId: "old" } }));
    const key = new Uint8Array(32).fill(1);
    const workspace = await open({ root, encryption: { key, keyFor: fail } });
    return workspace.getOriginal("a", { sessionId: "s" });
  },
  shouldOffload: (fail) => offload({ shouldOffload: fail }),
  "policy, a function": (fail) => offload({ policy: fail }),
  "policy, a function among others": (fail) => offload({ policy: any(not(fail), minTokens(1)) }),
  "policy.decide": (fail) =>
    offload({ policy: { name: "p", perResult: true, needsTotalChars: false, decide: fail } }),
  "policy.decide of one among others": (fail) =>
    offload({
      policy: all({ name: "p", perResult: true, needsTotalChars: false, decide: fail }),
    }),
  turnsAhead: (fail) => offload({ policy: freshAndStale({ turnsAhead: fail }) }, undefined, OLD),
  "onUnknown of restore": async (fail) => {
    const lie =
      '<knowledge_list>\n<knowledge id="a" hash="00000000">\nx\n</knowledge>\n</knowledge_list>';
    const offloader = createOffloader({
      ...{ workspace: await open(), sessionId: "s", format: "anthropic" },
    });
    return offloader.restore(conversationOf({ id: "a", text: lie }), { onUnknown: fail });
  },
  "onRedacted of restore": async (fail) => {
    const workspace = await open({ redact: (text) => text.replaceAll("log", "[redacted]") });
    const offloader = createOffloader({ workspace, sessionId: "s", format: "anthropic" });
    const { messages } = await offloader.offload(HISTORY);
    return offloader.restore(messages, { onRedacted: fail });
  },
  "onProgress of copyWorkspace": async (fail) => {
    const from = await open();
    await offload({}, from);
    return copyWorkspace(from, await open(), { onProgress: fail });
  },
  "sessionId of a drop-in": async (fail) => {
    const request = {
      url: "https://api.example.com/v1/messages",
      headers: new Headers(),
      body: JSON.stringify({ messages: HISTORY, tools: [{ name: "q" }] }),
    };
    const middleware = offloadRequests({ workspace: await open(), sessionId: fail });
    return middleware(request, () => Promise.resolve(Response.json({})));
  },
  "validate of an MCP client": async (fail) => {
    const structuredContent = { log: LONG };
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    const tools = [{ name: "q", outputSchema: { type: "object" } }];
    const client = {
      listTools: () => Promise.resolve({ tools }),
      callTool: ({ name }: { name: string }) =>
        Promise.resolve({ name, content, structuredContent }),
    };
    const options = { workspace: await open(), validate: fail };
    return offloadClient(client, options).callTool({ name: "q" });
  },
  "linkTo of an MCP answer": async (fail) => {
    const offloader = createOffloader({ workspace: await open(), sessionId: "s", format: "mcp" });
    const result = { content: [{ type: "text", text: LONG }] };
    return shortenAnswer(offloader, { name: "q", input: {}, result, linkTo: fail });
  },
};

describe.each(Object.entries(CALLBACKS))("a host's function: %s", (_, use) => {
  it.each(Object.entries(FAILURES))("%s cannot end the process", async (_, fail) => {
    let calls = 0;
    const unhandled = await unhandledWhile(() =>
      use(() => {
        calls += 1;
        return fail();
      }),
    );
    expect(unhandled).toEqual([]);
    expect(calls).toBeGreaterThan(0);
  });
});

describe("what is told of events", () => {
  it("reaches the others when one of them fails", async () => {
    for (const fail of Object.values(FAILURES)) {
      let spans = 0;
      const logger = openTelemetry({
        logger: fail,
        tracer: { startSpan: () => ({ setStatus: fail, end: () => void (spans += 1) }) },
      });
      const { report } = await offload({}, await open({ logger }));
      expect(report.totals.offloaded).toBe(1);
      expect(spans).toBeGreaterThan(0);
    }
  });
});
