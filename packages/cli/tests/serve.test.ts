import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { parse, stringify } from "smol-toml";
import { describe, expect, it, onTestFinished } from "vitest";
import { conversationOf, MAIN, ONE_SENTENCE, RUN, TestFolder } from "./support/command.js";

// The package in front of which the gateway's own tests stand.
const FILES = createRequire(new URL("../../mcp/package.json", import.meta.url)).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

const INFO = { name: "test", version: "1" };

async function connect(place: TestFolder, ...args: string[]): Promise<Client> {
  const client = new Client(INFO);
  const env = place.env() as Record<string, string>;
  const command = process.execPath;
  await client.connect(
    new StdioClientTransport({ command, args: [MAIN, ...args], cwd: place.folder, env }),
  );
  onTestFinished(() => client.close());
  return client;
}

async function filled(): Promise<TestFolder> {
  const place = new TestFolder();
  place.write("one.json", JSON.stringify(conversationOf("t1", "hello")));
  place.write("two.json", JSON.stringify(conversationOf("t2", "world")));
  await place.run(...RUN, "--quiet", "one.json", "two.json");
  return place;
}

const grep = {
  name: "grep_knowledge",
  arguments: { artifact_id: "t1", pattern: "^7 ", context_after: 0 },
};

describe("context-offload mcp and gateway", () => {
  it("serves a workspace over stdio, of all sessions or of one", async () => {
    const place = await filled();
    const all = await connect(place, "mcp");
    expect(await all.callTool(grep)).toMatchObject({ content: [{ text: "7:7 hello" }] });
    const names = (await all.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("store_knowledge");
    const two = await connect(place, "mcp", "--session", "two", "--read-only");
    expect(await two.callTool(grep)).toMatchObject({ isError: true });
    expect((await two.listTools()).tools.map(({ name }) => name)).not.toContain("store_knowledge");
  });

  it.each([["mcp"], ["gateway", "--", process.execPath, FILES, "."]])(
    "ends with Ctrl-C though its client has not closed the pipe: %s",
    async (...args) => {
      const child = (await filled()).start(args);
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: INFO };
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`,
      );
      await once(child.stdout, "data");
      const closed = once(child, "close");
      child.kill("SIGINT");
      expect((await closed)[0]).toBe(0);
    },
  );

  it("answers the hook for Claude Code if it is told to, and lists nothing more for that", async () => {
    const place = new TestFolder();
    const text = Array.from({ length: 3_000 }, (_, at) => `line ${at} of a log`).join("\n");
    const fields = {
      ...{ hook_event_name: "PostToolUse", session_id: "s-1", agent_id: "", cwd: place.folder },
      ...{ tool_name: "Bash", tool_use_id: "toolu_1", tool_input: '{"command":"x"}' },
      ...{
        tool_response: JSON.stringify({ stdout: text, stderr: "" }),
        args: ["--tool-prefix", "p_"],
      },
    };
    const server = await connect(place, "mcp", "--read-only", "--hook");
    const plain = await connect(place, "mcp", "--read-only");
    expect((await server.listTools()).tools).toEqual((await plain.listTools()).tools);
    const ask = async (more: object) => {
      const call = { name: "answer_hook", arguments: { ...fields, ...more } };
      const { content } = await server.callTool(call);
      return (content as { text: string }[])[0]?.text ?? "";
    };
    const { hookSpecificOutput } = JSON.parse(await ask({})) as {
      hookSpecificOutput: { updatedToolOutput: { stdout: string; stderr: string } };
    };
    const { stdout, stderr } = hookSpecificOutput.updatedToolOutput;
    expect([stderr, stdout]).toEqual(["", expect.stringMatching(/^<knowledge_list>[^]* p_grep_/)]);
    const search = { pattern: "line 17 ", context_after: 0 };
    const arguments_ = { artifact_id: "toolu_1", session_id: "s-1", ...search };
    expect(await server.callTool({ name: "grep_knowledge", arguments: arguments_ })).toMatchObject({
      content: [{ text: "18:line 17 of a log" }],
    });
    expect(await ask({ tool_response: '{"stdout":"ok"}' })).toBe("");
    // A server may answer with any text, JSON included.
    const json = JSON.stringify({ rows: text.split("\n") });
    const named = { tool_name: "mcp__x__y", tool_use_id: "toolu_2", tool_response: json };
    const answered = JSON.parse(await ask(named)) as {
      hookSpecificOutput: { updatedToolOutput: unknown };
    };
    expect(answered.hookSpecificOutput.updatedToolOutput).toBeTypeOf("string");
    await expect(plain.callTool({ name: "answer_hook", arguments: fields })).rejects.toThrow();
    // Noted though there was no workspace yet when the tools were listed, and the session was short.
    await server.close();
    expect(place.read(".offload/hook-calls.jsonl")).toContain("tools listed");
  });

  it("stores in the project that a client works in, and apart where nobody says which that is", async () => {
    const place = new TestFolder();
    place.write("log.txt", Array.from({ length: 2_000 }, (_, at) => `${at} a line`).join("\n"));
    const read = { name: "read_text_file", arguments: { path: place.path("log.txt") } };
    const start = async (cwd: string) => {
      const client = new Client(INFO);
      const env = place.env() as Record<string, string>;
      const args = [MAIN, "gateway", "--per-project", "--", process.execPath, FILES, place.folder];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env }));
      onTestFinished(() => client.close());
      return client;
    };
    const found = async (client: Client) =>
      JSON.stringify(
        await client.callTool({ name: "grep_knowledge", arguments: { pattern: "^7 a" } }),
      );
    for (const project of ["one", "two"]) {
      const client = await start(place.makeFolder(project));
      expect(await found(client)).not.toContain("7 a line");
      await client.callTool(read);
      expect(await found(client)).toContain("7 a line");
      expect(existsSync(place.path(`${project}/.offload/v1`))).toBe(true);
    }
    expect(existsSync(place.path("home/.offload"))).toBe(false);
    const first = await start(place.path("home"));
    await first.callTool(read);
    expect(await found(first)).toContain("7 a line");
    expect(await found(await start(place.path("home")))).not.toContain("7 a line");
  });

  describe("for the servers of one client", () => {
    /** Those of Codex are for all projects, and in the home folder each start has a session of its own. */
    const clients = [
      ["cursor in a project", ".cursor/mcp.json", "."],
      ["codex in a project", "home/.codex/config.toml", "."],
      ["codex in the home folder", "home/.codex/config.toml", "home"],
      ["codex with a project as its root", "home/.codex/config.toml", "home", "project"],
    ] as const;

    it.each(clients)("list one reading tool, which reads all: %s", async (...where) => {
      const [what, settings, cwd, root] = where;
      const place = new TestFolder();
      const lines = Array.from({ length: 2_000 }, (_, at) => `${at} a line`).join("\n");
      const log = join(root ?? ".", "log.txt");
      place.write(log, lines);
      const started = { command: process.execPath, args: [FILES, place.folder] };
      const servers = { one: started, two: started, three: started };
      const isToml = settings.endsWith(".toml");
      place.write(
        settings,
        isToml ? stringify({ mcp_servers: servers }) : JSON.stringify({ mcpServers: servers }),
      );
      await place.run("install", what.split(" ")[0] ?? "");
      const text = place.read(settings);
      const found = Object.values((isToml ? parse(text) : JSON.parse(text)) as object)[0] as object;
      const env = place.env() as Record<string, string>;
      const clients = await Promise.all(
        (Object.values(found) as (typeof started)[]).map(async ({ command, args }) => {
          const client = new Client(INFO, { capabilities: root ? { roots: {} } : {} });
          if (root) {
            const roots = [{ uri: pathToFileURL(place.path(root)).href }];
            client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
          }
          const folder = place.path(cwd);
          await client.connect(new StdioClientTransport({ command, args, cwd: folder, env }));
          onTestFinished(() => client.close());
          return client;
        }),
      );
      const lists = await Promise.all(clients.map((client) => client.listTools()));
      const own = lists.map(({ tools }) => tools.filter((tool) => tool.name === "read_stored"));
      expect(own.map(({ length }) => length)).toEqual([1, 0, 0]);

      const [reader] = clients;
      for (const [at, client] of clients.entries()) {
        const path = place.path(log);
        const answer = await client.callTool({ name: "read_text_file", arguments: { path } });
        const [reference, link] = answer["content"] as [{ text: string }, object];
        const { text } = reference;
        expect(text).toContain("read_stored");
        expect(link).toMatchObject({ type: "resource_link" });
        const [, file = ""] = / path="([^"]+)"/.exec(text) ?? [];
        expect(readFileSync(file, "utf8")).toBe(lines);
        const [, id] = /<knowledge id="([^"]+)/.exec(text) ?? [];
        const [, session_id] = / session_id="([^"]+)/.exec(text) ?? [];
        const call = { name: "read_stored", arguments: { id, session_id, pattern: "^7 a" } };
        const isReadable = cwd !== "home" || root !== undefined || at === 0;
        const read = JSON.stringify(await reader?.callTool(call));
        expect(read.includes("7 a line")).toBe(isReadable);
      }
    });
  });

  it("serves over HTTP until it is interrupted", async () => {
    const place = await filled();
    const child = place.start(["mcp", "--http"]);
    const [line] = (await once(child.stderr, "data")) as [Buffer];
    const url = /http:\/\/\S+[^;\s]/.exec(line.toString())?.[0] ?? "";
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect(await client.callTool(grep)).toMatchObject({ content: [{ text: "7:7 hello" }] });
    await client.close();
    child.kill("SIGINT");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  it("refuses another address without a token, in a sentence", async () => {
    const { status, stderr } = await new TestFolder().run("mcp", "--http", "--host", "0.0.0.0");
    expect([status, stderr]).toEqual([2, expect.stringMatching(ONE_SENTENCE)]);
    expect(stderr).toMatch(/token/);
    // Such as that of a variable which is not set: whoever names a token wants one.
    const empty = await new TestFolder().run("mcp", "--http", "--token", "");
    expect([empty.status, empty.stderr]).toEqual([2, expect.stringMatching(/token/)]);
  });

  it("does not wrap another server, and says what does", async () => {
    const { status, stderr } = await new TestFolder().run("mcp", "--", "npx", "some-server");
    expect([status, stderr]).toEqual([
      2,
      "context-offload: mcp does not start other servers; to do that, run: context-offload gateway -- npx some-server\n",
    ]);
  });

  it("stands in front of a server, by command and by config, and can be switched off", async () => {
    const place = new TestFolder();
    place.write("log.txt", Array.from({ length: 2_000 }, (_, at) => `${at} a line`).join("\n"));
    place.write(
      "servers.json",
      JSON.stringify({
        mcpServers: { files: { command: process.execPath, args: [FILES, place.folder] } },
      }),
    );
    const read = { name: "read_text_file", arguments: { path: place.path("log.txt") } };
    for (const args of [
      ["gateway", "--session", "g", "--", process.execPath, FILES, place.folder],
      ["gateway", "--session", "g", "--config", "servers.json"],
    ]) {
      const client = await connect(place, ...args);
      const answer = JSON.stringify(await client.callTool(read));
      expect(answer).toContain("knowledge_list");
      expect(answer.length).toBeLessThan(8_000);
      await place.run("off");
      expect(JSON.stringify(await client.callTool(read))).toContain("1999 a line");
      await place.run("on");
    }
    expect((await place.run("list")).stdout).toMatch(/ g +read_text_file /);
    const excluding = ["gateway", "--exclude", "other,read_text_file", "--config", "servers.json"];
    const client = await connect(place, ...excluding);
    expect(JSON.stringify(await client.callTool(read))).toContain("1999 a line");
  });

  it("explains a config that is broken", async () => {
    const place = new TestFolder();
    place.write("servers.json", "{");
    const { status, stderr } = await place.run("gateway", "--config", "servers.json");
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^context-offload: servers\.json: [^\n]+\n$/),
    ]);
  });
});
