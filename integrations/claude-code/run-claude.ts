import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  anthropicApi,
  resultsOf,
  type ApiBlock,
  type ApiModel,
} from "../../tests/support/anthropic-api.js";
import { serveFetch } from "../../tests/support/serve-fetch.js";
import { makeTempFolder } from "../../tests/support/temp-folder.js";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const modules = fileURLToPath(new URL("node_modules/", import.meta.url));

/** The folders of the programs, by version. */
export const CLAUDE = {
  "2.1.328": join(modules, "@anthropic-ai/claude-code/bin"),
  "2.1.197": join(modules, "claude-code-2.1.197/bin"),
};

/** A person's computer with nothing but Claude Code on it. */
export class Computer {
  readonly home: string;
  readonly project: string;
  readonly env: Record<string, string | undefined>;
  readonly #program: string;

  private constructor(home: string, version: keyof typeof CLAUDE) {
    this.home = home;
    this.project = join(home, "project");
    mkdirSync(this.project);
    this.#program = join(CLAUDE[version], "claude.exe");
    mkdirSync(join(home, "bin"));
    execFileSync("ln", ["-s", this.#program, join(home, "bin", "claude")]);
    const PATH = [join(home, "bin"), process.env["PATH"]].join(delimiter);
    this.env = { PATH, HOME: home };
  }

  static async make(version: keyof typeof CLAUDE): Promise<Computer> {
    return new Computer(await makeTempFolder(), version);
  }

  static has(version: keyof typeof CLAUDE): boolean {
    return existsSync(join(CLAUDE[version], "claude.exe"));
  }

  /** Runs our command in the project. */
  offload(...args: string[]): string {
    const started = { cwd: this.project, env: this.env, encoding: "utf8" } as const;
    return execFileSync(process.execPath, [MAIN, ...args], started);
  }

  /** Runs Claude Code with a model that calls these tools one after the other; each may look at the results so far. */
  async run(
    calls: readonly ((results: readonly string[]) => ApiBlock | ApiBlock[])[],
    args: readonly string[] = [],
  ): Promise<{ results: string[]; bytes: number; requests: number; errors: string }> {
    const textOf = (content: unknown): string =>
      typeof content === "string"
        ? content
        : (content as { text?: string }[]).map(({ text: part = "" }) => part).join("\n");
    const read = (messages: Parameters<ApiModel>[0]) =>
      resultsOf(messages).map(({ content }) => textOf(content));
    const api = anthropicApi(
      (messages) => {
        const turn = messages.filter(({ role }) => role === "assistant").length;
        return [calls[turn]?.(read(messages)) ?? { type: "text", text: "Done." }].flat();
      },
      { isStrict: false },
    );
    const server = await serveFetch((url, init) =>
      init?.body ? api.fetch(url, init) : Promise.resolve(new Response(null, { status: 404 })),
    );
    const child = spawn(this.#program, ["-p", "Go on.", ...args], {
      cwd: this.project,
      env: {
        ...this.env,
        ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" },
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 100_000,
    });
    const [, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await server.close();
    return {
      results: read(api.requests.at(-1)?.messages ?? []),
      bytes: api.requests.reduce((sum, { text: body }) => sum + Buffer.byteLength(body), 0),
      requests: api.requests.length,
      errors,
    };
  }
}

/** What a reference says. */
export function parseReference(reference: string) {
  const attribute = (name: string): string =>
    new RegExp(` ${name}="([^"]+)"`).exec(reference)?.[1] ?? "none";
  return { id: attribute("id"), session: attribute("session_id"), path: attribute("path") };
}
