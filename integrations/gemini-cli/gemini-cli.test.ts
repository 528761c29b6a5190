import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { serveFetch } from "../../tests/support/serve-fetch.js";
import { makeTempFolder } from "../../tests/support/temp-folder.js";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const GEMINI = fileURLToPath(new URL("node_modules/.bin/gemini", import.meta.url));

interface Part {
  readonly functionResponse?: { readonly response: { readonly output?: string } };
}

/** Gemini CLI in a home of its own, set up by our command, with a model that makes these calls. */
async function runGemini(
  calls: readonly ((results: readonly string[]) => { name: string; args: object })[],
  files: Readonly<Record<string, string>>,
) {
  const home = await makeTempFolder();
  const project = join(home, "project");
  for (const folder of [project, join(home, ".gemini")]) mkdirSync(folder);
  execFileSync("git", ["init", "--quiet"], { cwd: project });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  let results: string[] = [];
  const server = await serveFetch((url, init) => {
    if (!/generateContent/i.test(String(url)) || typeof init?.body !== "string") {
      return Promise.resolve(new Response(null, { status: 404 }));
    }
    const { contents } = JSON.parse(init.body) as { contents: { parts?: Part[] }[] };
    results = contents
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse: found }) =>
        found ? [found.response.output ?? JSON.stringify(found.response)] : [],
      );
    const call = calls[results.length]?.(results);
    const part = call ? { functionCall: call } : { text: "Done." };
    const content = { role: "model", parts: [part] };
    const chunk = { candidates: [{ content, finishReason: "STOP", index: 0 }] };
    const headers = { "content-type": "text/event-stream" };
    return Promise.resolve(new Response(`data: ${JSON.stringify(chunk)}\n\n`, { headers }));
  });
  onTestFinished(() => server.close());
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  };
  writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
  const env = {
    ...{ PATH: process.env["PATH"], HOME: home, GEMINI_API_KEY: "none", NO_COLOR: "1" },
    ...{ GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    // Started again by itself, it would outlive this test if it hung.
    GEMINI_CLI_NO_RELAUNCH: "true",
  };
  execFileSync(process.execPath, [MAIN, "install", "gemini"], { cwd: project, env });
  const child = spawn(GEMINI, ["--yolo", "--model", "gemini-2.5-pro", "--prompt", "Go on."], {
    ...{ cwd: project, env, timeout: 50_000, stdio: ["ignore", "pipe", "pipe"] },
  });
  await Promise.all([text(child.stdout), text(child.stderr)]);
  return results;
}

const pathIn = (reference = "") => / path="([^"]+)"/.exec(reference)?.[1] ?? "none";
const source = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `export const value${at} = compute(${at});`).join("\n");

it("gives Gemini CLI 0.61.0 references that it reads by their path, though git ignores .offload", async () => {
  const command = "seq -f 'line %g of a log that a server has written' 1 900";
  const results = await runGemini(
    [
      () => ({ name: "run_shell_command", args: { command, description: "Show the log" } }),
      ([first]) => ({
        name: "read_file",
        args: { file_path: pathIn(first), start_line: 510, end_line: 514 },
      }),
      () => ({ name: "read_file", args: { file_path: "large.ts" } }),
      () => ({ name: "read_file", args: { file_path: "small.ts" } }),
    ],
    { "large.ts": source(1_400), "small.ts": source(94) },
  );
  expect(results[0]).toMatch(/^<knowledge_list>\n[^]*<\/knowledge_list>$/);
  expect(results[1]).toContain("line 512 of a log that a server has written");
  expect(results[2]).toMatch(/^<knowledge_list>\n[^]*<\/knowledge_list>$/);
  expect(readFileSync(pathIn(results[2]), "utf8")).toBe(source(1_400));
  expect(results[3]).toBe(source(94));
});
