import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { needRuntime } from "./tools.js";

const { folder } = inject("packed");
const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/** Stores and searches with what `packageIn` gives; a CommonJS program has no await outside of functions. */
const useWorkspace = (packageIn: string) => `
  async function main() {
    const { createWorkspace } = ${packageIn};
    const workspace = createWorkspace({ root: process.argv[2] + process.pid });
    await workspace.put({ content: "well\\n".repeat(99) + "ERROR 7" }, { toolCallId: "t", sessionId: "s" });
    const found = await workspace.grepKnowledge("t", "ERROR \\\\d");
    await workspace.close();
    console.log(found.text.split("\\n")[0]);
  }
  void main();
`;

describe("a CommonJS program", () => {
  let project: string;
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "context-offload-commonjs-"));
    await mkdir(join(project, "node_modules"));
    const installed = join(folder, "node_modules/context-offload");
    await symlink(installed, join(project, "node_modules/context-offload"), "junction");
    await writeFile(join(project, "package.json"), '{ "private": true }');
    await writeFile(join(project, "require.js"), useWorkspace('require("context-offload")'));
    await writeFile(join(project, "import.js"), useWorkspace('await import("context-offload")'));
  });
  afterAll(() => rm(project, { recursive: true, force: true }));

  const run = (binary: string, program: string) =>
    runCommand(binary, [program, join(project, "workspace-")], { cwd: project });

  it.for(["Node 20.19", "Node 22", "Node 24"])(
    "can require the package on %s",
    async (name, context) => {
      const outcome = await run(needRuntime(context, name), "require.js");
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, stdout: "100:ERROR 7\n" });
    },
  );

  it("can import the package on Node 18, and is told so when it requires it", async (context) => {
    const node = needRuntime(context, "Node 18");
    expect(await run(node, "import.js")).toMatchObject({ code: 0, stdout: "100:ERROR 7\n" });
    expect((await run(node, "require.js")).stderr).toMatch(/ERR_REQUIRE_ESM[^]*import\(\)/);
  });

  it("in TypeScript with module node16 can import the package, with its types", async (context) => {
    const source = `
      import type { Workspace } from "context-offload" with { "resolution-mode": "import" };
      declare const process: { argv: string[]; pid: number };
      declare const console: { log(text: string | undefined): void };
      ${useWorkspace('await import("context-offload")')}
      export let workspace: Workspace | undefined;
      // @ts-expect-error -- the types must be there: a workspace is not a number
      workspace = 1;
    `;
    await writeFile(join(project, "typed.ts"), source);
    const compilerOptions = { module: "node16", target: "es2022", strict: true, types: [] };
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["typed.ts"] }),
    );
    const compiled = await runCommand(process.execPath, [tsc, "-p", project], { cwd: project });
    expect(compiled).toMatchObject({ code: 0, stdout: "" });
    const node = needRuntime(context, "Node 18");
    const outcome = await run(node, "typed.js");
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stdout: "100:ERROR 7\n" });
  });
});
