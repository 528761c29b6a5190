import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { explainError } from "../command-error.js";
import {
  CLAUDE_ALLOW_RULE,
  CLAUDE_SERVER,
  findClaudeHooks,
  findClaudeServer,
  userStatePath,
} from "../install/claude-code.js";
import type { Client, InstallContext } from "../install/client.js";
import { CLIENTS } from "../install/clients.js";
import { jsonSyntax } from "../install/json-syntax.js";
import { isRecord, Settings, type Syntax } from "../install/settings.js";
import { inspect } from "../install/set-up.js";
import type { Finding } from "./finding.js";
import { tryReading, type HookSetup } from "./try-reading.js";

type Scope = InstallContext["scope"];
type ContextOf = (scope: Scope) => InstallContext;

/** What is set up in the settings of every client, and whether it works. */
export async function checkAgents(contextOf: ContextOf): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const client of CLIENTS) {
    for (const scope of ["project", "user"] as const) {
      try {
        findings.push(...(await checkClient(client, contextOf(scope), contextOf)));
      } catch (error) {
        findings.push({ state: "broken", text: `${client.title}: ${explainError(error).text}` });
      }
    }
  }
  // Some clients have settings of the user only, and were asked twice.
  const distinct = findings.filter(
    (finding, at) => findings.findIndex((other) => isDeepStrictEqual(other, finding)) === at,
  );
  if (findings.some(({ state }) => state === "ok")) return distinct;
  const hint = "no coding agent is set up; for one of them: context-offload install claude-code";
  return [...distinct, { state: "hint", text: hint }];
}

async function checkClient(
  client: Client,
  context: InstallContext,
  contextOf: ContextOf,
): Promise<Finding[]> {
  const cure = `context-offload install ${client.name}${context.scope === "user" ? " --user" : ""}`;
  const steps = await inspect(client, context);
  const findings: Finding[] = [];
  let isWhole = true;
  for (const { path, what, programs, problem } of steps) {
    const gone = programs.find((program) => !existsSync(program));
    isWhole &&= gone === undefined;
    const wrong = gone === undefined ? problem : `${gone} is gone`;
    findings.push(
      wrong === undefined
        ? { state: "ok", text: `${client.title}: ${path}: ${what}` }
        : { state: "broken", text: `${client.title}: ${path}: ${wrong}; run ${cure} again` },
    );
  }
  if (!isWhole) return findings;
  const { setups, server, notes } =
    client.name === "claude-code"
      ? lookAtClaudeCode(context, contextOf, cure)
      : {
          setups: commandsIn(client, steps),
          server: undefined,
          notes: client.name === "codex" ? await lookAtCodex(steps) : [],
        };
  findings.push(...notes);
  for (const setup of setups) {
    if ("args" in setup && !server) continue;
    const problem = await tryReading(setup, server, context.env);
    const ways = server ? "by its path and with the tools" : "by its path";
    findings.push(
      problem === undefined
        ? { state: "ok", text: `${client.title}: a reference made now can be read ${ways}` }
        : {
            state: "broken",
            text: `${client.title}: a reference made now cannot be read: ${problem}; run ${cure} again`,
          },
    );
  }
  return findings;
}

function commandsIn(client: Client, steps: readonly { readonly what: string }[]): HookSetup[] {
  return steps.flatMap(({ what }) => {
    const [, command] = /^hook: (.*)$/s.exec(what) ?? [];
    return command === undefined ? [] : [{ client: client.name, command }];
  });
}

/** Codex notes in its settings which hooks its user trusts. */
async function lookAtCodex(steps: readonly { readonly path: string }[]): Promise<Finding[]> {
  const { tomlSyntax } = await import("../install/toml-syntax.js");
  const hooks = [...new Set(steps.map(({ path }) => path))].filter((path) =>
    path.endsWith(".json"),
  );
  return hooks.flatMap((path): Finding[] => {
    const { hooks: data } = readData(join(dirname(path), "config.toml"), tomlSyntax);
    const trusted = isRecord(data) && isRecord(data["state"]) ? Object.keys(data["state"]) : [];
    if (trusted.some((key) => key.startsWith(`${path}:post_tool_use:`))) return [];
    const text =
      "Codex: its hook is not trusted yet, and until then does not run; start codex, which asks";
    return [{ state: "hint", text }];
  });
}

/** Whether Claude Code lists the server, was not told to leave it out, and lets its tools be called. */
function lookAtClaudeCode(context: InstallContext, contextOf: ContextOf, cure: string) {
  const { cwd, home, env, scope } = context;
  const userFolder = env["CLAUDE_CONFIG_DIR"] || join(home, ".claude");
  const state = readData(userStatePath(context));
  const project = isRecord(state["projects"]) ? state["projects"][cwd] : undefined;
  const projectFiles = ["settings.json", "settings.local.json"].map((name) =>
    readData(join(cwd, ".claude", name)),
  );
  const all = [
    readData(join(userFolder, "settings.json")),
    ...projectFiles,
    ...(isRecord(project) ? [project] : []),
  ];
  const hooks = findClaudeHooks(context);
  const setups = hooks.map(({ command, input }): HookSetup => {
    const client = "claude-code";
    if (typeof command === "string") return { client, command };
    const args =
      isRecord(input) && Array.isArray(input["args"]) ? (input["args"] as unknown[]) : [];
    return { client, args };
  });
  const words = (setup: HookSetup) => ("command" in setup ? setup.command.split(" ") : setup.args);
  const notes: Finding[] = [];
  const note = (state: Finding["state"], text: string): void => {
    notes.push({ state, text: `Claude Code: ${text}` });
  };
  if (hooks.length > 0 && all.some((data) => data["disableAllHooks"] === true)) {
    note("broken", "its settings switch all hooks off; remove disableAllHooks from them");
  }
  const needsTools = setups.some((setup) => words(setup).includes("--tool-prefix"));
  if (!needsTools) return { setups, server: undefined, notes };

  const own = findClaudeServer(context);
  const server = own ?? findClaudeServer(contextOf(scope === "user" ? "project" : "user"));
  const has = (key: string, within: readonly Data[] = all) =>
    within.some((data) => isListed(data[key], CLAUDE_SERVER));
  if (!server) note("broken", `the MCP server "${CLAUDE_SERVER}" is not listed; run ${cure}`);
  else if (has("disabledMcpjsonServers") || has("disabledMcpServers")) {
    note(
      "broken",
      `the MCP server "${CLAUDE_SERVER}" was declined; enable it with /mcp in Claude Code`,
    );
  } else if (own && scope === "project") {
    const isApproved =
      has("enabledMcpjsonServers") ||
      all.some((data) => data["enableAllProjectMcpServers"] === true);
    if (!isApproved)
      note("broken", `the MCP server "${CLAUDE_SERVER}" is not approved; run ${cure}`);
  }
  const rules = (kind: string) =>
    all.some(({ permissions }) => isRecord(permissions) && isRuled(permissions[kind]));
  if (rules("deny")) {
    note("broken", `permissions.deny has the reading tools; remove "${CLAUDE_ALLOW_RULE}" from it`);
  } else if (!rules("allow")) {
    note("broken", `the reading tools are not allowed, so each call asks; run ${cure}`);
  }
  const isTrusted = isRecord(project) && project["hasTrustDialogAccepted"] === true;
  if (scope === "project" && !isTrusted) {
    note(
      "hint",
      "this folder is not trusted yet, and until then only paths can be read; run claude here once",
    );
  }
  return { setups, server, notes };
}

function isListed(list: unknown, name: string): boolean {
  return Array.isArray(list) && list.includes(name);
}

function isRuled(rules: unknown): boolean {
  return isListed(rules, CLAUDE_ALLOW_RULE) || isListed(rules, `${CLAUDE_ALLOW_RULE}__*`);
}

type Data = Readonly<Record<string, unknown>>;

/** The settings in a file; nothing if it is missing or broken, which is said elsewhere. */
function readData(path: string, syntax: Syntax = jsonSyntax): Data {
  try {
    const data = new Settings(path, syntax, readFileSync(path, "utf8")).get([]);
    return isRecord(data) ? data : {};
  } catch {
    return {};
  }
}
