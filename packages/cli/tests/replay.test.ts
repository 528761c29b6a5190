import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import * as zlib from "node:zlib";
import type { SourceFigures } from "@context-offload/replay";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { conversationOf, ONE_SENTENCE, TestFolder, SAMPLE } from "./support/command.js";

const LOG = Array.from({ length: 3_000 }, (_, at) => `row ${at}: value-${at * 7_919}`).join("\n");
/** Replies that use what a result said, and many requests that carry it. */
const REPLIES = Array.from({ length: 12 }, (_, at) => `Step ${at} is done.`);

const lines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** In Claude Code, lines of one message are one reply. */
const numbered = (values: readonly { type: string; message: object }[]): object[] =>
  values.map(({ type, message }, at) => ({
    ...{ type, uuid: `u${at}`, message: { id: `m${at}`, ...message } },
  }));

/** Sessions as the coding agents record them, each with one large result. */
function writeSessions(place: TestFolder): void {
  place.write(
    "home/.claude/projects/-project/1.jsonl",
    lines(
      numbered([
        { type: "user", message: { role: "user", content: "Look." } },
        {
          type: "assistant",
          message: {
            role: "assistant",
            content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }],
          },
        },
        {
          type: "user",
          message: {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "t1", content: LOG }],
          },
        },
        ...REPLIES.flatMap((text) => [
          { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } },
          { type: "user", message: { role: "user", content: "Go on." } },
        ]),
      ]),
    ),
  );
  place.write(
    "home/.codex/sessions/2026/01/02/rollout-1.jsonl",
    lines([
      {
        type: "response_item",
        payload: {
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "Look." }],
        },
      },
      {
        type: "response_item",
        payload: { type: "function_call", call_id: "c1", name: "shell", arguments: "{}" },
      },
      {
        type: "response_item",
        payload: { type: "function_call_output", call_id: "c1", output: LOG },
      },
      ...REPLIES.flatMap((text) => [
        {
          type: "response_item",
          payload: { type: "message", role: "assistant", content: [{ type: "output_text", text }] },
        },
        {
          type: "response_item",
          payload: {
            type: "message",
            role: "user",
            content: [{ type: "input_text", text: "Go on." }],
          },
        },
      ]),
    ]),
  );
  const call = {
    id: "g1",
    name: "run_shell",
    args: {},
    status: "success",
    result: [{ functionResponse: { id: "g1", name: "run_shell", response: { output: LOG } } }],
  };
  place.write(
    "home/.gemini/tmp/abc/chats/session-1.json",
    JSON.stringify({
      sessionId: "s",
      messages: [
        { type: "user", content: "Look." },
        { type: "gemini", content: "", toolCalls: [call] },
        ...REPLIES.flatMap((content) => [
          { type: "gemini", content },
          { type: "user", content: "Go on." },
        ]),
      ].map((message) => ({ ...message, timestamp: "2026-01-01T00:00:00Z" })),
    }),
  );
  const storage = "home/.local/share/opencode/storage";
  const messages = [
    { role: "user", parts: [{ type: "text", text: "Look." }] },
    {
      role: "assistant",
      parts: [
        {
          type: "tool",
          callID: "o1",
          tool: "bash",
          state: { status: "completed", input: {}, output: LOG },
        },
      ],
    },
    ...REPLIES.flatMap((text) => [
      { role: "assistant", parts: [{ type: "text", text }] },
      { role: "user", parts: [{ type: "text", text: "Go on." }] },
    ]),
  ];
  for (const [at, { role, parts }] of messages.entries()) {
    const id = `msg_${String(at).padStart(3, "0")}`;
    place.write(
      `${storage}/message/ses_1/${id}.json`,
      JSON.stringify({ id, role, sessionID: "ses_1", time: { created: at } }),
    );
    for (const part of parts) place.write(`${storage}/part/${id}/prt_1.json`, JSON.stringify(part));
  }
  // A place where a session of OpenCode is listed is not one.
  place.write(`${storage}/session/p/ses_1.json`, "{}");
}

type Part = Record<string, unknown>;

/** The database in which newer versions of OpenCode keep their sessions, with one that is not closed yet. */
function writeOpenCodeDatabase(place: TestFolder): { close(): unknown } {
  const path = place.path("home/.local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)`);
  const addMessage = database.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?)");
  const addPart = database.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?)");
  const state = { status: "completed", input: {}, output: LOG };
  const messages: [string, Part[]][] = [
    ["user", [{ type: "text", text: "Look." }]],
    ["assistant", [{ type: "step-start" }, { type: "tool", callID: "o1", tool: "bash", state }]],
    ...REPLIES.flatMap((text): [string, Part[]][] => [
      ["assistant", [{ type: "text", text }]],
      ["user", [{ type: "text", text: "Go on." }]],
    ]),
  ];
  for (const [at, [role, parts]] of messages.entries()) {
    addMessage.run(`msg_${String(at)}`, at, JSON.stringify({ role, time: { created: at } }));
    for (const [nth, part] of parts.entries()) {
      addPart.run(`prt_${String(at)}_${String(nth)}`, `msg_${String(at)}`, JSON.stringify(part));
    }
  }
  return database;
}

interface Figures {
  sources: SourceFigures[];
}

/** One result of about 60,000 tokens, of which no reader reads much, and many requests that carry it. */
function longSession(): object[] {
  const log = Array.from({ length: 10_000 }, (_, at) => `row ${at}: value-${at * 7_919}`);
  return [
    ...conversationOf("t1", log.join("\n"), 1),
    ...REPLIES.flatMap((text) => [
      { role: "assistant", content: text },
      { role: "user", content: "Go on." },
    ]),
  ];
}

describe("context-offload replay", () => {
  it("shows in one table what would have been saved with both readers, and draws it", async () => {
    const place = new TestFolder();
    place.write("long.json", JSON.stringify(longSession()));
    const { status, stdout, stderr } = await place.run(
      "replay",
      "long.json",
      "--picture",
      "out/saved.svg",
    );
    expect([status, stderr]).toEqual([0, "wrote out/saved.svg\n"]);
    expect(stdout).toMatch(
      /sessions +replies +tokens sent +now +cost +now +saved +read-backs +lost +if names were enough/,
    );
    expect(stdout).toMatch(
      /^long\.json +1 +14 +[\d,]+ +[\d,]+ +\$\d\.\d+ +\$\d\.\d+ +\d\d % +█\S* .* \d\d %$/m,
    );
    expect(stdout).toMatch(
      /^context-offload would have saved \$\d+\.\d+ of \$\d+\.\d+ at \$3 per million .* live agents did\.$/m,
    );
    expect(stdout).toMatch(/^If a name in a reference were as good .* it would have saved \$/m);
    expect(stdout).not.toContain("cost more");
    expect(place.read("out/saved.svg")).toMatch(/^<svg [^]*context-offload[^]*<\/svg>\s*$/);
    const dollars = (text: string) => Number(/would have saved \$([\d.]+)/.exec(text)?.[1]);
    const twice = (await place.run("replay", "long.json", "--price", "6")).stdout;
    expect(dollars(twice) / dollars(stdout)).toBeCloseTo(2, 1);
  });

  it("says in plain words when it costs more than sending everything, and where it does worst", async () => {
    const place = new TestFolder();
    place.write("all/short.json", JSON.stringify(conversationOf("t1", "three files", 1)));
    const alone = (await place.run("replay", "all")).stdout;
    expect(alone).toMatch(/^all +1 +\d+ .* -\d\.\d % /m);
    expect(alone).toMatch(
      /^context-offload costs more here than sending everything: \$\d\.\d+ more than \$\d\.\d+ /m,
    );
    expect(alone).toMatch(/^If a name .* it would still have cost \$\d\.\d+ more\.$/m);
    // One that pays does not hide one that does not.
    place.write("all/long.json", JSON.stringify(longSession()));
    const both = (await place.run("replay", "all")).stdout;
    expect(both).toMatch(/^context-offload would have saved /m);
    expect(both).toMatch(
      /^1 of 2 sessions would have cost more than without it, the worst \d\.\d % more \(short\.json\)\.$/m,
    );
  });

  it("counts the recorded replies as part of the bill", async () => {
    const place = new TestFolder();
    place.write("long.json", JSON.stringify(longSession()));
    const { sources } = JSON.parse(
      (await place.run("replay", "long.json", "--json")).stdout,
    ) as Figures;
    const { everything } = sources[0]?.outcomes.live ?? {};
    const cost = Number(
      / \$([\d.]+) +\$/.exec((await place.run("replay", "long.json")).stdout)?.[1],
    );
    const bill = ((everything?.price ?? 0) + (everything?.replyPrice ?? 0)) * 3e-6;
    expect(cost).toBeCloseTo(bill, 2);
    expect(everything?.replyPrice).toBeGreaterThan(0);
  });

  it("finds the sessions of coding agents, and only reads them", async () => {
    const place = new TestFolder();
    writeSessions(place);
    const files = () =>
      readdirSync(place.path("home"), { recursive: true, encoding: "utf8" })
        .sort()
        .map((name) => {
          const stats = statSync(place.path(`home/${name}`));
          return [
            name,
            stats.mtimeMs,
            stats.isFile() ? readFileSync(place.path(`home/${name}`), "utf8") : "",
          ];
        });
    const before = files();
    const { sources } = JSON.parse(
      (await place.run("replay", "--find", "--json")).stdout,
    ) as Figures;
    expect(
      sources.map(({ name, conversations, largeResults }) => [
        ...[name, conversations.length, largeResults],
      ]),
    ).toEqual(["Claude Code", "Codex", "Gemini CLI", "OpenCode"].map((name) => [name, 1, 1]));
    for (const { outcomes } of sources) {
      const { everything, ours } = outcomes.live;
      expect(everything?.turns).toBeGreaterThan(REPLIES.length - 1);
      expect(ours?.tokens).toBeLessThan(everything?.tokens ?? 0);
      expect(ours?.lost).toBe(0);
    }
    expect(files()).toEqual(before);
    expect((await place.run("replay", "--find")).stdout).toMatch(/^together +4 /m);
    expect(readdirSync(place.folder)).toEqual(["home"]);
  });

  it("reads the database of a newer OpenCode, which may be open, instead of the files that it was made from", async () => {
    const place = new TestFolder();
    writeSessions(place);
    const database = writeOpenCodeDatabase(place);
    const folder = place.path("home/.local/share/opencode");
    const before = readdirSync(folder);
    const { sources } = JSON.parse(
      (await place.run("replay", "--find", "--json")).stdout,
    ) as Figures;
    const [openCode] = sources.filter(({ name }) => name === "OpenCode");
    expect(openCode).toMatchObject({ largeResults: 1, unread: 0, files: 1 });
    expect(openCode?.conversations).toHaveLength(1);
    const { everything, ours } = openCode?.outcomes.live ?? {};
    expect(everything?.turns).toBeGreaterThan(REPLIES.length - 1);
    expect(ours?.lost).toBe(0);
    expect(readdirSync(folder)).toEqual(before);
    database.close();
  });

  it("says in a sentence what is missing to read a database or a compressed file", () => {
    const place = new TestFolder();
    writeOpenCodeDatabase(place).close();
    const refuse =
      "export function resolve(name, context, next) { if (/sqlite|libsql/.test(name)) throw new Error(); return next(name, context) }";
    const preload = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(refuse)}`)})`;
    const env = { NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(preload)}"` };
    const missing = /OpenCode keeps its sessions in SQLite; .* use Node 22 or later/;
    const alone = place.spawn(["replay", "--find"], { env });
    expect([alone.status, alone.stderr]).toEqual([2, expect.stringMatching(missing)]);
    expect(alone.stderr).toMatch(ONE_SENTENCE);
    const beside = place.spawn(["replay", "--find", SAMPLE], { env });
    expect([beside.status, beside.stderr]).toEqual([0, expect.stringMatching(missing)]);
  });

  it("reads archived and compressed sessions of Codex, and chats of Gemini CLI that are in lines", async () => {
    const place = new TestFolder();
    writeSessions(place);
    const codex = "home/.codex/sessions/2026/01/02/rollout-1.jsonl";
    place.write("home/.codex/archived_sessions/rollout-2.jsonl", place.read(codex));
    const { zstdCompressSync: compress } = zlib as {
      zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
    };
    const packed = compress?.(Buffer.from(place.read(codex))) ?? Buffer.from("?");
    place.write("home/.codex/sessions/2026/01/01/rollout-0.jsonl.zst", packed);
    const { messages } = JSON.parse(place.read("home/.gemini/tmp/abc/chats/session-1.json")) as {
      messages: object[];
    };
    const [first = {}, call = {}, ...rest] = messages.map((message, at) => ({
      ...{ id: `m${String(at)}`, ...message },
    }));
    place.write(
      "home/.gemini/tmp/abc/chats/session-2.jsonl",
      lines([
        { sessionId: "s", projectHash: "p", kind: "main" },
        ...[first, { ...call, toolCalls: [] }, call, ...rest],
        { $set: { lastUpdated: "2026-01-01T00:00:00Z" } },
        { id: "gone", type: "user", content: LOG, timestamp: "2026-01-01T00:00:00Z" },
        { $rewindTo: "gone" },
      ]),
    );
    const { stdout, stderr } = await place.run("replay", "--find", "--json");
    const { sources } = JSON.parse(stdout) as Figures;
    const [, codexFigures, gemini] = sources;
    expect(codexFigures?.files).toBe(3);
    expect(codexFigures?.conversations).toHaveLength(compress ? 3 : 2);
    expect(stderr).toMatch(compress ? /^$/ : /Codex compresses older sessions; .* Node 22\.15/);
    expect(gemini).toMatchObject({ largeResults: 2, unread: 0 });
    expect(gemini?.conversations).toHaveLength(2);
    expect(gemini?.outcomes.live["ours"]?.lost).toBe(0);
  });

  it("counts what is not a conversation, and says so when nothing is", async () => {
    const place = new TestFolder();
    place.write("logs/chat.json", JSON.stringify(conversationOf("t1", "hello")));
    place.write("logs/other.json", '{"answer": 42}');
    place.write(
      "logs/foreign.json",
      JSON.stringify([{ role: "tool", content: [{ type: "tool-result", toolCallId: "x" }] }]),
    );
    expect((await place.run("replay", "logs")).stdout).toMatch(
      /^2 files could not be read as a conversation\.$/m,
    );
    const none = await place.run("replay", "logs/other.json");
    expect([none.status, none.stdout, none.stderr]).toEqual([
      2,
      "",
      expect.stringMatching(ONE_SENTENCE),
    ]);
    const nothing = await place.run("replay", "--find");
    expect([nothing.status, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(
        /no sessions of Claude Code, Codex, Gemini CLI, OpenCode, Copilot CLI were found/,
      ),
    ]);
  });
});
