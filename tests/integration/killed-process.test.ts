import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readOffloadedFile } from "../../src/files.js";
import { listTree } from "../support/list-tree.js";
import { makeTempFolder } from "../support/temp-folder.js";

// Kills itself at the moment at which the references appear.
const CHILD = `
  import { offloadToolResult, offloadToolResults } from "context-offload";
  const [outputDir] = process.argv.slice(1);
  const message = (id) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: id.repeat(100_000) }],
  });
  await offloadToolResult(message("one"), { sessionId: "s", outputDir });
  await offloadToolResults([message("two"), message("three")], { outputDir });
  process.kill(process.pid, "SIGKILL");
`;

it("what was offloaded can be read after the process was killed", async () => {
  const outputDir = await makeTempFolder();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CHILD, outputDir], {
    // The package finds itself by its name from within its own folder.
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).not.toBe(0);
  expect(await listTree(outputDir)).toEqual([
    "s/",
    "s/one.md",
    "tool-result-three.md",
    "tool-result-two.md",
  ]);
  expect(await readOffloadedFile(`${outputDir}/s/one.md`)).toBe("one".repeat(100_000));
  expect(await readOffloadedFile(`${outputDir}/tool-result-two.md`)).toBe("two".repeat(100_000));
});
