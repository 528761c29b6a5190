import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { minTokens } from "../../src/policies.js";
import {
  copyWorkspace,
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  redactSecrets,
  type Workspace,
  type WorkspaceEvent,
  type WorkspaceOptions,
} from "../../src/index.js";
import { openTelemetry } from "../../src/open-telemetry.js";
import { sqliteStore } from "../../src/stores.js";
import { PLANTED_SECRETS, type PlantedSecret } from "../support/planted-secrets.js";
import { makeTempFolder } from "../support/temp-folder.js";

/** All that was written below a folder: the bytes of every file, and its name. */
async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path}\n${entry.isFile() ? await readFile(path, "latin1") : ""}`;
    }),
  );
  return texts.join("\n");
}

/** Each secret as it is, and as it stands in JSON. */
function leaksIn(written: string, planted: readonly PlantedSecret[]): string[] {
  return planted
    .filter(({ secret }) => {
      return written.includes(secret) || written.includes(JSON.stringify(secret).slice(1, -1));
    })
    .map(({ kind, text }) => `${kind}: ${text}`);
}

const LINES = Array.from(
  { length: 120 },
  (_, i) => `line ${i}, value ${(i * 7_919) % 1_000}\n`,
).join("");

/** As json.dumps writes it: JSON in another style than JSON.stringify's. */
const python = (value: unknown) => `${JSON.stringify(value, null, 1).replace(/\n */g, " ")}\n`;

/** One conversation with the secret wherever a conversation has room for it, in a number of formats. */
function conversations({ text }: PlantedSecret, id: string): Record<string, readonly unknown[]> {
  const log = `${LINES}${text}\n${LINES}`;
  const value = { log, nested: [{ deep: { text, [text]: 1 } }] };
  const use = { type: "tool_use", id, name: `tool ${text}`, input: { text, content: log } };
  const anthropic = [
    { role: "user", content: log },
    { role: "assistant", content: [use] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: log }, value] },
      ],
    },
    ...Array.from({ length: 6 }, (_, i) => [
      { role: "assistant", content: `reply ${i}` },
      { role: "user", content: "next" },
    ]).flat(),
  ];
  const call = { type: "tool-call", toolCallId: id, toolName: "q", input: { text } };
  const output = { type: "json", value };
  const aiSdk = [
    { role: "assistant", content: [call] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: "q", output }] },
  ];
  const bedrock = [
    { role: "assistant", content: [{ toolUse: { toolUseId: id, name: "q", input: { text } } }] },
    { role: "user", content: [{ toolResult: { toolUseId: id, content: [{ json: value }] } }] },
  ];
  const structured = {
    content: [{ type: "text", text: JSON.stringify(value) }],
    structuredContent: value,
  };
  return {
    anthropic,
    "ai-sdk": aiSdk,
    bedrock,
    mcp: [{ jsonrpc: "2.0", id: 1, result: structured }],
    "ai-sdk-jsonl": aiSdk.map(python),
    "bedrock-jsonl": bedrock.map(python),
  };
}

/** Every verb, with the secret in whatever it takes; what a verb throws is its own affair. */
async function useEverything(
  workspace: Workspace,
  planted: PlantedSecret,
  turn: number,
): Promise<void> {
  const { text } = planted;
  const quiet = async (run: () => unknown) => {
    try {
      return await run();
    } catch {
      return undefined;
    }
  };
  const sessionId = `session ${text}`;
  const scope = { sessionId };
  const metadata = {
    tool_name: `tool ${text}`,
    action_name: text,
    url: text,
    nested: [{ [text]: text }],
  };
  const owner = { sessionId, toolCallId: `call-${text}`, parentSessionId: `parent ${text}` };
  const { record } = await workspace.put({ content: `${LINES}${text}`, metadata }, owner);
  await workspace.put({ content: "clean", artifactId: text, metadata }, scope);
  await workspace.put({ content: [{ type: "text", text, at: { toJSON: () => text } }] }, owner);
  async function* stream(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    yield bytes.subarray(0, 7);
    await Promise.resolve();
    yield bytes.subarray(7);
  }
  await workspace.put({ content: stream() }, { sessionId });
  await workspace.offloadByWorkspace({ content: text, metadata: { biz_id: text } }, scope);
  await createToolResultOffload({ workspace, tokenThreshold: 0 }).process(
    { toolCallId: text, toolName: text, actionName: text, content: `${LINES}${text}`, metadata },
    { sessionId, agentId: text, taskId: text },
  );
  // Each kind in another format, and one of them in all, which share a session and an id.
  const all = Object.entries(conversations(planted, `id ${text}`));
  for (const [format, messages] of turn === 0 ? all : all.slice(turn % all.length).slice(0, 1)) {
    const offloader = createOffloader({
      ...{ workspace, sessionId, agentId: text, taskId: text, format: format as "anthropic" },
      policy: minTokens(100),
      ...(format === "anthropic"
        ? { parts: ["results", "userMessages", "toolInputs"] as const }
        : {}),
    });
    const { messages: sent } = await offloader.offload(messages);
    await offloader.estimate(messages);
    // What was sent is known again, so that nothing is stored twice.
    const again = await offloader.offload(sent);
    expect(again.messages, format).toEqual(sent);
    const unknown: unknown[] = [];
    await offloader.restore(sent, { onUnknown: (reference) => unknown.push(reference) });
    expect(unknown, format).toEqual([]);
  }
  for (const id of [record.artifactId, `call-${text}`, text]) {
    await quiet(() => workspace.getKnowledgeById(id, scope));
    await quiet(() => workspace.getKnowledgeByLines(id, 1, 5, scope));
    await quiet(() => workspace.grepKnowledge(id, "line 1|redacted", scope));
    await quiet(() => workspace.grepKnowledge(id, text, { ...scope, literal: true }));
    await quiet(() => workspace.queryKnowledge(id, { ...scope, pointer: `/${text}` }));
    await quiet(() => workspace.getArtifact(id, scope));
    await quiet(() => workspace.getOriginal(id, scope));
  }
  await quiet(() => workspace.getArtifact("none", { sessionId: text }));
  await quiet(() => workspace.grepSession(text, { ...scope, literal: true }));
  await quiet(() => workspace.put({ content: 7 as never, metadata }, owner));
  await workspace.queryArtifacts({ tool_name: `tool ${text}` }, scope);
  await workspace.getToolResultOffloadInfo(scope);
  await workspace.sessions();
  await workspace.verify();
  await workspace.prune({ maxArtifacts: 1_000, dryRun: true });
  await workspace.remove(record.artifactId, scope);
  for (const tool of workspace.tools(scope)) await quiet(() => tool.execute({ artifact_id: text }));
}

const STORES: Record<string, (folder: string) => Pick<WorkspaceOptions, "root" | "store">> = {
  files: (folder) => ({ root: join(folder, "root") }),
  "files that are read by path": (folder) =>
    ({ root: join(folder, "root"), readBy: "path" }) as const,
  SQLite: (folder) => ({ store: sqliteStore(new Database(join(folder, "offload.db"))) }),
};

describe("what was redacted is nowhere", () => {
  it.each(Object.keys(STORES))("in %s, after every verb", async (name) => {
    const folder = await makeTempFolder();
    const [at, copied] = [join(folder, "at"), join(folder, "copied")];
    for (const path of [at, copied]) await mkdir(path);
    const logged: unknown[] = [];
    const span = { setStatus: (status: unknown) => logged.push(status), end: () => undefined };
    const meter = {
      add: (...args: unknown[]) => logged.push(args),
      record: (...args: unknown[]) => logged.push(args),
    };
    const logger = openTelemetry({
      logger: (event: WorkspaceEvent) => void logged.push(event),
      tracer: { startSpan: (...args) => (logged.push(args), span) },
      meter: { createCounter: () => meter, createHistogram: () => meter },
    });
    const open = STORES[name] ?? (() => ({}));
    const options = { redact: redactSecrets, redactionKey: Buffer.alloc(32, 1), logger };
    const workspace = createWorkspace({ ...open(at), ...options });
    // One of each kind: a verb treats all texts alike.
    const planted = [...new Map(PLANTED_SECRETS.map((one) => [one.kind, one])).values()];
    for (const [turn, one] of planted.entries()) await useEverything(workspace, one, turn);
    const copy = createWorkspace({ ...open(copied), ...options });
    await copyWorkspace(workspace, copy);
    expect((await workspace.verify()).damaged).toEqual([]);
    await workspace.close();
    await copy.close();
    const written = await everythingIn(folder);
    expect(written.length).toBeGreaterThan(100_000);
    expect(leaksIn(written, planted)).toEqual([]);
    expect(logged.length).toBeGreaterThan(100);
    expect(leaksIn(JSON.stringify(logged), planted)).toEqual([]);
  });

  it("whatever the kind of secret, in content, metadata and ids", async () => {
    const folder = await makeTempFolder();
    const workspace = createWorkspace({ root: folder, redact: redactSecrets });
    for (const { text } of PLANTED_SECRETS) {
      const metadata = { tool_name: text, own: { text } };
      await workspace.put({ content: text, metadata }, { toolCallId: text, sessionId: text });
      await workspace.put({ content: [{ text }], metadata }, { sessionId: "s" });
    }
    expect(leaksIn(await everythingIn(folder), PLANTED_SECRETS)).toEqual([]);
  });
});
