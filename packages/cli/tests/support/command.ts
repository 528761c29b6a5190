import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type * as CommandLine from "../../src/run-command-line.js";
import type * as ColorsModule from "../../src/terminal/colors.js";

const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
export const MAIN = join(DIST, "main.js");
export const HOOK = join(DIST, "hook.js");
export const STATUS_LINE = join(DIST, "status-line.js");
export const SAMPLE = fileURLToPath(
  new URL("../../../../examples/conversations/checkout-outage.json", import.meta.url),
);

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const built = pathToFileURL(join(DIST, "run-command-line.js")).href;
const { runCommandLine } = (await import(/* @vite-ignore */ built)) as typeof CommandLine;
const builtColors = pathToFileURL(join(DIST, "terminal/colors.js")).href;
const { createColors } = (await import(/* @vite-ignore */ builtColors)) as typeof ColorsModule;

/** With a threshold at arrival: most tests are about the command, not about the default policy. */
export const RUN = ["run", "--policy", "min-tokens=400"] as const;

/** A folder with a Claude Code that says this version, or fails as if there were none, whatever is installed here. */
export function folderWithClaude(version?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "claude-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const script = version === undefined ? "exit 1" : `echo "${version} (Claude Code)"`;
  writeFileSync(join(folder, "claude"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "claude"), 0o755);
  return folder;
}

const WITHOUT_CLAUDE = folderWithClaude();

/** A folder with a home of its own, in which the built command runs as from a shell. */
export class TestFolder {
  readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "cli-"));
    this.makeFolder("home");
    onTestFinished(() => {
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** Runs the command in this process: as from a shell, but for the start of a process each time. */
  run(...args: string[]): Promise<Outcome> {
    return this.runAs({ isWatched: false }, args);
  }

  /** The same as on a terminal, in color, or with a given standard input. */
  async runAs(
    { isWatched = false, input = "" }: { readonly isWatched?: boolean; readonly input?: string },
    args: readonly string[],
  ): Promise<Outcome> {
    const stdout: (string | Uint8Array)[] = [];
    let stderr = "";
    const before = process.cwd();
    process.chdir(this.folder);
    const status = await runCommandLine(args, {
      ...{ cwd: this.folder, env: this.env(), input: Readable.from([Buffer.from(input)]) },
      ...{ colors: createColors(isWatched), isWatched, columns: 80 },
      print: (text) => void stdout.push(`${text}\n`),
      write: (data) => Promise.resolve(void stdout.push(data)),
      note: (text) => void (stderr += `${text}\n`),
      progress: (text) => void (stderr += isWatched ? text : ""),
      signal: new AbortController().signal,
    }).finally(() => {
      process.chdir(before);
    });
    return {
      status,
      stdout: Buffer.concat(stdout.map((one) => Buffer.from(one))).toString(),
      stderr,
    };
  }

  /** Runs it in a process of its own. */
  spawn(args: readonly string[], { input = "", env = {}, script = MAIN, cwd = this.folder } = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      ...{ cwd, input, encoding: "utf8", env: this.env(env), maxBuffer: 1e9 },
    });
    return { status, stdout, stderr };
  }

  /** Starts the command and does not wait for it. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return spawn(process.execPath, [MAIN, ...args], { cwd: this.folder, env: this.env(env) });
  }

  env(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
    const PATH = [WITHOUT_CLAUDE, process.env["PATH"]].join(delimiter);
    const kept = { PATH, NODE_PATH: process.env["NODE_PATH"] };
    return { ...kept, HOME: join(this.folder, "home"), ...more };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string | Uint8Array): string {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
    return name;
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  readBytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  makeFolder(name: string): string {
    mkdirSync(this.path(name), { recursive: true });
    return this.path(name);
  }
}

/** One sentence on standard error that begins with our name, nothing on standard output, and no stack trace. */
export const ONE_SENTENCE = /^context-offload: [^\n]+\n$/;

/** The same, and under it the formats that were tried, one a line. */
export const REFUSAL = /^context-offload: [^\n]+\n(?:(?: {2}[a-z][\w-]+ +\S.*|These fit .+:)\n)*$/;

/** A message as Claude Code records it. */
export function logLine(uuid: string, message: object): string {
  const type = "role" in message && message.role;
  return JSON.stringify({ ...{ type, sessionId: "s", uuid }, message });
}

/** A conversation with one large result, of a line that is easy to find. */
export function conversationOf(id: string, line: string, lines = 400): object[] {
  const content = Array.from({ length: lines }, (_, at) => `${at + 1} ${line}`).join("\n");
  return [
    { role: "user", content: "Look at the log." },
    { role: "assistant", content: [{ type: "tool_use", id, name: "read_log", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
    { role: "assistant", content: "It is long." },
  ];
}
