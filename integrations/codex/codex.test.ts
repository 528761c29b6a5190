import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveFetch } from "../../tests/support/serve-fetch.js";
import { makeTempFolder } from "../../tests/support/temp-folder.js";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const CODEX = fileURLToPath(new URL("node_modules/.bin/codex", import.meta.url));

interface Call {
  readonly name: string;
  readonly namespace?: string;
  readonly input: object;
}

/** A server whose only tool answers with a long log. */
const SERVER = `
const { createInterface } = require("node:readline");
const text = Array.from({ length: 3000 }, (_, at) => "line " + (at + 1) + " of a log").join("\\n");
const tools = [{ name: "fetch_log", description: "Fetches a log.", inputSchema: { type: "object" } }];
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: "logs", version: "1" };
  const { protocolVersion } = params ?? {};
  const result =
    method === "initialize" ? { protocolVersion, capabilities: { tools: {} }, serverInfo }
    : method === "tools/list" ? { tools }
    : method === "tools/call" ? { content: [{ type: "text", text }] } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});`;

/** Without `required`, the first request goes out before a slow server has listed its tools. */
const serverSettings = (name: string, script: string) => `[mcp_servers.${name}]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(script)}]
required = true`;

/** Codex in a home of its own, set up by our command, with a model that makes these calls. */
async function runCodex(calls: readonly ((results: readonly string[]) => Call)[], args: string[]) {
  const home = await makeTempFolder();
  const project = join(home, "project");
  const folder = join(home, ".codex");
  for (const made of [project, folder]) mkdirSync(made);
  const script = join(home, "server.cjs");
  writeFileSync(script, SERVER);
  let results: string[] = [];
  let turn = 0;
  let listed = "";
  const server = await serveFetch((url, init) => {
    if (!String(url).includes("/responses") || typeof init?.body !== "string") {
      return Promise.resolve(new Response(null, { status: 404 }));
    }
    const { input, tools } = JSON.parse(init.body) as {
      input: { type: string; output?: unknown }[];
      tools: unknown;
    };
    listed = JSON.stringify(tools);
    results = input
      .filter(({ type }) => type === "function_call_output")
      .map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output)));
    const call = calls[results.length]?.(results);
    const id = `resp_${++turn}`;
    const item = call
      ? {
          ...{ type: "function_call", id: `fc_${turn}`, call_id: `call_${turn}` },
          ...{ name: call.name, namespace: call.namespace, arguments: JSON.stringify(call.input) },
        }
      : {
          ...{ type: "message", role: "assistant", id: `msg_${turn}` },
          content: [{ type: "output_text", text: "Done." }],
        };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const events = [
      { type: "response.created", response: { id } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, usage } },
    ];
    const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(body.join(""), { headers }));
  });
  onTestFinished(() => server.close());
  writeFileSync(
    join(folder, "config.toml"),
    `model = "gpt-5.2"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
tool_output_token_limit = 20000
[model_providers.local]
name = "local"
base_url = "${server.url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
${serverSettings("logs", script)}
${serverSettings("builds", script)}
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`,
  );
  const env = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: folder, LOCAL_KEY: "none" };
  const started = { cwd: project, env };
  const said = execFileSync(process.execPath, [MAIN, "install", "codex"], {
    ...started,
    encoding: "utf8",
  });
  const child = spawn(CODEX, ["exec", "--skip-git-repo-check", ...args, "Go on."], {
    ...{ ...started, timeout: 50_000, stdio: ["ignore", "pipe", "pipe"] },
  });
  const [, screen] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { results, said, screen, listed };
}

const shell = (cmd: string): Call => ({
  ...{ name: "exec_command", input: { cmd, max_output_tokens: 20_000 } },
});
const pathIn = (reference = "") => / path=\\?"([^"\\]+)/.exec(reference)?.[1] ?? "none";
const log = () => shell("seq -f 'line %g of a log that a server has written' 1 900");

describe("Codex 0.169.0", () => {
  it("gets references for its own tools and for MCP servers, and reads them by their path", async () => {
    const { results, said, screen } = await runCodex(
      [
        log,
        ([first]) => shell(`grep -n 'line 512 ' ${pathIn(first)}`),
        () => ({ name: "fetch_log", namespace: "mcp__logs", input: {} }),
        () => shell("echo short"),
      ],
      ["--dangerously-bypass-hook-trust"],
    );
    expect(said).toContain("/hooks");
    expect(results[0]).toMatch(/^<knowledge_list>\n[^]*<\/knowledge_list>$/);
    expect(results[1]).toContain("512:line 512 of a log that a server has written");
    expect(results[2]).toContain("<knowledge_list>");
    expect(results[3]).toContain("short");
    expect(readFileSync(pathIn(results[0]), "utf8")).toContain("line 900 of a log");
    // What it looks like: a hook that stopped, and nothing of an error.
    expect(screen).toContain("PostToolUse Stopped");
    expect(screen).not.toMatch(/ERROR|Blocked/);
  });

  it("runs the hook only once it is trusted; the gateway needs no trust", async () => {
    const { results } = await runCodex(
      [log, () => ({ name: "fetch_log", namespace: "mcp__logs", input: {} })],
      [],
    );
    expect(results[0]).toContain("line 900 of a log that a server has written");
    expect(results[1]).toContain("<knowledge_list>");
  });

  it("lists one reading tool, which reads what another server has answered; so does the path", async () => {
    const { results, listed } = await runCodex(
      [
        () => ({ name: "fetch_log", namespace: "mcp__builds", input: {} }),
        ([first = ""]) => {
          const [, id] = /<knowledge id=\\?"([^"\\]+)/.exec(first) ?? [];
          const input = { id, pattern: "line 1507 " };
          return { name: "read_stored", namespace: "mcp__logs", input };
        },
        ([first]) => shell(`grep -n 'line 1508 ' ${pathIn(first)}`),
      ],
      [],
    );
    expect(results[0]).toContain("<knowledge_list>");
    expect(listed.match(/"fetch_log"/g)).toHaveLength(2);
    expect(listed.match(/"read_stored"/g)).toHaveLength(1);
    expect(results[1]).toContain("line 1507 of a log");
    expect(results[2]).toContain("1508:line 1508 of a log");
  });
});
