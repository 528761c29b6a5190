import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Option, type Command } from "commander";
import type { GatewayConfig, OffloadConfig } from "@context-offload/mcp";
import { createWorkspace } from "context-offload";
import { isSwitchedOff } from "@context-offload/mcp/off-switch";
import { CommandError, explainError } from "../command-error.js";
import { answerHookCall } from "../hook/hook-call.js";
import { writeTraceLater } from "../hook/hook-trace.js";
import {
  withWorkspace,
  WORKSPACE_VARIABLE,
  workspaceFolder,
  type WorkspaceFlags,
} from "../open-workspace.js";
import { processTelemetry } from "../telemetry.js";
import type { Terminal } from "../terminal/terminal.js";
import { aborted, parseCount, parsePort } from "./option-values.js";

interface McpFlags extends WorkspaceFlags {
  readonly session?: string;
  readonly readOnly?: boolean;
  readonly hook?: boolean;
  readonly http?: boolean;
  readonly host?: string;
  readonly port?: number;
  readonly token?: string;
}

const DEFAULT_SESSION = "mcp";
const TOKEN_VARIABLE = "CONTEXT_OFFLOAD_TOKEN";

export function addMcp(program: Command, terminal: Terminal): void {
  program
    .command("mcp")
    .description("serve a workspace as an MCP server, over stdio or HTTP")
    .option("--session <id>", "show only what this session may read")
    .option("--read-only", "leave out the tool that stores text")
    .option("--hook", "answer hooks of Claude Code, too")
    .option("--http", "serve by streamable HTTP instead of stdio")
    .option(
      "--host <address>",
      "the address to listen on; any address except loopback needs a token",
      "127.0.0.1",
    )
    .option("--port <number>", "the port to listen on; default: a free one", parsePort)
    .option(
      "--token <secret>",
      `the bearer token that clients must send; better set in $${TOKEN_VARIABLE}`,
    )
    .addOption(installMark())
    .addHelpText(
      "after",
      `
Examples:
  claude mcp add offload -- context-offload mcp
  context-offload mcp --http --port 8808`,
    )
    .allowExcessArguments()
    .action(async (_: McpFlags, command: Command) => {
      if (command.args.length > 0) {
        throw new CommandError(
          `mcp does not start other servers; to do that, run: context-offload gateway -- ${command.args.join(" ")}`,
        );
      }
      const flags = inProject(command.optsWithGlobals<McpFlags>(), terminal);
      // Loaded here, since the other commands start faster without it.
      const { serveHttp, serveStdio } = await import("@context-offload/mcp");
      await withWorkspace({ ...flags, ifMissing: "make" }, terminal, async (workspace) => {
        const folder = workspaceFolder(flags, terminal);
        const answerCall =
          flags.hook === true && folder !== undefined
            ? (name: string, input: unknown) => answerHookCall(name, input, folder)
            : undefined;
        const isReadOnly = flags.readOnly;
        const onToolsListed = (): void => {
          if (folder !== undefined) writeTraceLater(folder, { event: "tools listed" });
        };
        const sessionId = flags.session;
        const options = { workspace, sessionId, isReadOnly, answerCall, onToolsListed };
        if (flags.http !== true) {
          const served = serveStdio(options);
          await ended(terminal);
          await served.close();
          closeInput();
          return;
        }
        const token = flags.token ?? terminal.env[TOKEN_VARIABLE];
        const server = await serveHttp({ ...options, token, host: flags.host, port: flags.port });
        terminal.note(`context-offload: serving at ${server.url}; press Ctrl-C to end`);
        await aborted(terminal.signal);
        await server.close();
      });
    });
}

/** By which `uninstall` knows what `install` added; it changes nothing here. */
function installMark(): Option {
  return new Option("--installed-by <mark>").hideHelp();
}

/** Claude Code says which project it started a server for; the server may run elsewhere. */
function inProject(flags: McpFlags, { env }: Terminal): McpFlags {
  const { CLAUDE_PROJECT_DIR: project } = env;
  const isNamed = flags.workspace !== undefined || Boolean(env[WORKSPACE_VARIABLE]);
  return isNamed || !project ? flags : { ...flags, workspace: join(project, ".offload") };
}

interface GatewayFlags extends WorkspaceFlags {
  readonly config?: string;
  readonly session?: string;
  readonly exclude?: string;
  readonly minTokens?: number;
  readonly perProject?: boolean;
  readonly readingTools?: boolean;
  readonly paths?: boolean;
}

export function addGateway(program: Command, terminal: Terminal): void {
  program
    .command("gateway")
    .description("run in front of MCP servers and offload their large answers")
    .argument("[command...]", "after --: the command that starts one server")
    .option("-c, --config <file>", "a file with mcpServers, for several servers")
    .option("--session <id>", `the session that answers belong to; default: ${DEFAULT_SESSION}`)
    .option("--exclude <tools>", "tools whose answers are kept, separated by commas")
    .option("--min-tokens <count>", "keep answers of fewer tokens; default: 6400", parseCount)
    .option("--paths", "references name the stored file, too, for agents that can read it")
    .option(
      "--no-reading-tools",
      "list no reading tool, since another gateway of the client does; implies --paths",
    )
    .option(
      "--per-project",
      "store in .offload of the client's first root, or of the working folder",
    )
    .addOption(installMark())
    .addHelpText(
      "after",
      `
Answers of at least 6,400 tokens are offloaded when they arrive; minTokens in the config sets another size.

Examples:
  context-offload gateway -- npx -y @modelcontextprotocol/server-filesystem .
  context-offload gateway --config servers.json`,
    )
    .action(async (command: string[], _: GatewayFlags, self: Command) => {
      const given = self.optsWithGlobals<GatewayFlags>();
      const project = projectOf(terminal);
      const isPerProject = given.perProject === true && given.workspace === undefined;
      const flags = isPerProject ? forProject(project, given, terminal) : given;
      const { createGateway } = await import("@context-offload/mcp");
      const { servers, policy: read, limits } = await readServers(command, flags, terminal);
      const { minTokens } = flags;
      const set = minTokens === undefined ? {} : { minTokens };
      const policy = { ...read, ...set, tools: { ...read.tools, ...excluded(flags, terminal) } };
      const folder = workspaceFolder(flags, terminal);
      const readBy = flags.paths === true || flags.readingTools === false ? "both" : undefined;
      await withWorkspace({ ...flags, ifMissing: "make", readBy }, terminal, async (workspace) => {
        const isOff = (): Promise<boolean> => isSwitchedOff(folder, terminal.env);
        const gateway = createGateway({
          ...{ servers, policy, limits, isOff },
          ...{ sessionId: flags.session, project },
          workspace: isPerProject
            ? (root) => {
                if (root === project) return { workspace, where: String(folder) };
                const { workspace: where = "", session } = forProject(root, given, terminal);
                const { namespace } = given;
                return {
                  ...{ where, sessionId: session },
                  workspace: createWorkspace({
                    root: where,
                    namespace,
                    readBy,
                    logger: processTelemetry(),
                  }),
                };
              }
            : workspace,
          readingTools: flags.readingTools === false ? "none" : "one",
        });
        terminal.signal.addEventListener("abort", () => void gateway.close());
        await gateway.serveStdio();
        closeInput();
      });
    });
}

/** The project that a client names or works in; of several folders, as Cursor names them, the first one. */
function projectOf({ env, cwd }: Terminal): string {
  const [named] = (env["CLAUDE_PROJECT_DIR"] || env["WORKSPACE_FOLDER_PATHS"] || "").split(",");
  return resolve(cwd, named ?? "");
}

/**
 * For a server that a client starts in every project: a workspace of the project. A client that does not say which it
 * is gets a session for each start, so that no project reads another's.
 */
function forProject(project: string, flags: GatewayFlags, terminal: Terminal): GatewayFlags {
  const home = terminal.env["HOME"] || homedir();
  const isNowhere = project === resolve(home) || dirname(project) === project;
  const workspace = join(isNowhere ? home : project, ".offload");
  terminal.note(`context-offload: large answers are stored in ${workspace}`);
  if (!isNowhere) return { ...flags, workspace };
  const start = randomUUID().slice(0, 8);
  return { ...flags, workspace, session: `${flags.session ?? DEFAULT_SESSION}-${start}` };
}

/** The same tools as for the hook, by option or environment. */
function excluded({ exclude = "" }: GatewayFlags, { env }: Terminal): OffloadConfig["tools"] {
  const names = `${exclude},${env["CONTEXT_OFFLOAD_EXCLUDE"] || ""}`.split(",");
  return Object.fromEntries(names.filter(Boolean).map((name) => [name.trim(), { offload: false }]));
}

async function readServers(
  [command, ...args]: readonly string[],
  { config }: GatewayFlags,
  terminal: Terminal,
): Promise<GatewayConfig> {
  if (config === undefined) {
    if (command === undefined) {
      throw new CommandError("gateway: name a server after --, or a file with --config");
    }
    return { servers: { server: { command, args } }, policy: {}, limits: {} };
  }
  if (command !== undefined)
    throw new CommandError("gateway: pass a command or --config, not both");
  const path = resolve(terminal.cwd, config);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandError(`${config}: cannot be read; check the path`, undefined, { cause });
  });
  const { parseGatewayConfig } = await import("@context-offload/mcp");
  try {
    return parseGatewayConfig(JSON.parse(text), terminal.env);
  } catch (cause) {
    throw new CommandError(`${config}: ${explainError(cause).text}`, undefined, { cause });
  }
}

/** A server over stdio ends when its client closes the pipe, or with Ctrl-C. */
function ended({ signal }: Terminal): Promise<void> {
  return new Promise((resolvePromise) => {
    const end = (): void => {
      resolvePromise();
    };
    process.stdin.once("end", end);
    process.stdin.once("close", end);
    signal.addEventListener("abort", end);
  });
}

/** After Ctrl-C, the client still holds its end of the pipe, which would keep this process alive. */
function closeInput(): void {
  process.stdin.destroy();
}
