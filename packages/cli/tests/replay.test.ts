import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conversationOf, ONE_SENTENCE, Place, SAMPLE } from "./support/command.js";

const LOG = Array.from({ length: 500 }, (_, at) => `row ${at}: value-${at * 7_919}`).join("\n");
/** Replies that use what a result said, and many requests that carry it. */
const REPLIES = Array.from({ length: 12 }, (_, at) => `Step ${at} is done.`);

const lines = (values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** In Claude Code, lines of one message are one reply. */
const numbered = (values: readonly { type: string; message: object }[]): object[] =>
  values.map(({ type, message }, at) => ({ type, message: { id: `m${at}`, ...message } }));

/** Sessions as the coding agents record them, each with one large result. */
function writeSessions(place: Place): void {
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
        { type: "user", content: "Look.", timestamp: "2026-01-01T00:00:00Z" },
        { type: "gemini", content: "", toolCalls: [call] },
        ...REPLIES.flatMap((content) => [
          { type: "gemini", content },
          { type: "user", content: "Go on." },
        ]),
      ],
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

interface Figures {
  sources: {
    name: string;
    conversations: number;
    largeResults: number;
    outcomes: Record<
      "everything" | "ours",
      { turns: number; tokens: number; price: number; lost: number }
    >;
  }[];
}

describe("context-offload replay", () => {
  it("shows in one table what would have been saved, and draws it", () => {
    const place = new Place();
    const { status, stdout, stderr } = place.run("replay", SAMPLE, "--picture", "out/saved.svg");
    expect([status, stderr]).toEqual([0, "wrote out/saved.svg\n"]);
    expect(stdout).toMatch(
      /sessions +replies +tokens sent +now +cost +now +saved +read-backs +lost/,
    );
    expect(stdout).toMatch(
      /checkout-outage\.json +1 +29 +[\d,]+ +[\d,]+ +\$\d\.\d+ +\$\d\.\d+ +\d\d % +█/,
    );
    expect(stdout).toMatch(/^Offloading would have saved \$0\.\d+ of \$0\.\d+ at \$3 per million/m);
    expect(place.read("out/saved.svg")).toMatch(/^<svg [^]*context-offload[^]*<\/svg>\s*$/);
    const dollars = (text: string) => Number(/would have saved \$([\d.]+)/.exec(text)?.[1]);
    expect(dollars(place.run("replay", SAMPLE, "--price", "6").stdout)).toBeCloseTo(
      2 * dollars(stdout),
      3,
    );
  });

  it("finds the sessions of coding agents, and only reads them", () => {
    const place = new Place();
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
    const { sources } = JSON.parse(place.run("replay", "--find", "--json").stdout) as Figures;
    expect(
      sources.map(({ name, conversations, largeResults }) => [name, conversations, largeResults]),
    ).toEqual(["Claude Code", "Codex", "Gemini CLI", "OpenCode"].map((name) => [name, 1, 1]));
    for (const { outcomes } of sources) {
      expect(outcomes.everything.turns).toBeGreaterThan(REPLIES.length - 1);
      expect(outcomes.ours.tokens).toBeLessThan(outcomes.everything.tokens);
      expect(outcomes.ours.lost).toBe(0);
    }
    expect(files()).toEqual(before);
    expect(place.run("replay", "--find").stdout).toMatch(/^together +4 /m);
    expect(readdirSync(place.folder)).toEqual(["home"]);
  });

  it("counts what is not a conversation, and says so when nothing is", () => {
    const place = new Place();
    place.write("logs/chat.json", JSON.stringify(conversationOf("t1", "hello")));
    place.write("logs/other.json", '{"answer": 42}');
    place.write(
      "logs/foreign.json",
      JSON.stringify([{ role: "tool", content: [{ type: "tool-result", toolCallId: "x" }] }]),
    );
    expect(place.run("replay", "logs").stdout).toMatch(
      /^2 files could not be read as a conversation\.$/m,
    );
    const none = place.run("replay", "logs/other.json");
    expect([none.status, none.stdout, none.stderr]).toEqual([
      2,
      "",
      expect.stringMatching(ONE_SENTENCE),
    ]);
    const nothing = place.run("replay", "--find");
    expect([nothing.status, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(/no sessions of Claude Code, Codex, Gemini CLI, OpenCode were found/),
    ]);
  });
});
