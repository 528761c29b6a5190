import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { makeTempFolder } from "../../tests/support/temp-folder.js";
import { startScriptedModel } from "../scripted-chat-model.mjs";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
/** The program itself; the package `cline` starts it, and brings hundreds of others that this does not need. */
const CLINE = fileURLToPath(
  new URL("node_modules/@cline/cli-linux-x64/bin/cline", import.meta.url),
);
const PROVIDER = "openai-compatible";

type Call = (results: readonly string[]) => { readonly name: string; readonly input: object };

/** Cline's command line in a home of its own, set up by our command, with a model that makes these calls. */
async function runCline(calls: readonly Call[], files: Readonly<Record<string, string>> = {}) {
  const home = await makeTempFolder();
  const project = join(home, "project");
  mkdirSync(project);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  let results: readonly string[] = [];
  const model = await startScriptedModel((seen) => {
    results = seen;
    const call = calls[seen.length]?.(seen);
    return call ? [{ ...call, id: `call_${seen.length}` }] : { say: "Done." };
  });
  onTestFinished(() => void model.close());
  const env = {
    ...{ PATH: process.env["PATH"], HOME: home, NO_COLOR: "1", CLINE_NO_AUTO_UPDATE: "1" },
    // Otherwise a process is left behind for the next call.
    CLINE_SESSION_BACKEND_MODE: "local",
  };
  const started = { cwd: project, env };
  execFileSync(process.execPath, [MAIN, "install", "cline"], started);
  const provider = ["-p", PROVIDER, "-k", "none", "-m", "scripted", "-b", model.url];
  execFileSync(CLINE, ["auth", ...provider], started);
  const args = ["-P", PROVIDER, "-m", "scripted", "--auto-approve", "true", "Go on."];
  const child = spawn(CLINE, args, {
    ...{ ...started, timeout: 100_000, stdio: ["ignore", "pipe", "pipe"] },
  });
  const [, screen] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { results, screen };
}

const shell = (...commands: string[]) => ({ name: "run_commands", input: { commands } });
const read = (path: string, range: object = {}) => ({
  ...{ name: "read_files", input: { files: [{ path, ...range }] } },
});
const log = (lines: number): string =>
  `seq -f 'line %g of a log that a server has written' 1 ${lines}`;
const pathIn = (result = "") => / path="([^"]+)"/.exec(textOf(result))?.[1] ?? "none";
const textOf = (result = "") => (JSON.parse(result) as { result: string }[])[0]?.result ?? "";

// Cline gives a plugin three seconds, in which a busy machine may not even start a process.
const PATIENT = { retry: 3 };

it(
  "gives Cline 3.0.65 references that it reads by their path, and keeps what failed and files",
  PATIENT,
  async () => {
    const source = Array.from({ length: 94 }, (_, at) => `export const value${at} = ${at};`);
    const { results, screen } = await runCline(
      [
        () => shell(log(900), "echo done"),
        ([first]) => read(pathIn(first), { start_line: 510, end_line: 514 }),
        () => shell(`${log(900)}; exit 3`),
        () => read("small.ts"),
      ],
      { "small.ts": source.join("\n") },
    );
    const [reference, found, failed, file] = results;
    expect(textOf(reference), screen).toMatch(/^<knowledge_list>\n[^]*<\/knowledge_list>$/);
    expect(JSON.parse(reference ?? "")).toMatchObject([{ success: true }, { result: "done\n" }]);
    expect(textOf(found)).toContain("line 512 of a log that a server has written");
    expect(textOf(failed)).toMatch(/line 2 of a log that a server has written/);
    expect(textOf(file)).toContain("export const value93 = 93;");
  },
);
