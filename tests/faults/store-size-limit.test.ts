import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runOrThrow } from "../../scripts/run-command.mjs";
import { skipOnWindows } from "../support/skip-on-windows.js";
import { makeTempFolder } from "../support/temp-folder.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Stores what fits, what does not, and what fits again; prints the code of each failure. */
const PROGRAM = `
  import { createWorkspace } from "context-offload";
  const workspace = createWorkspace({ root: process.argv[1] });
  const outcomes = [];
  for (const [id, chars] of [["small", 1_000], ["large", 900_000], ["after", 2_000]]) {
    await workspace
      .put({ content: "x".repeat(chars) }, { toolCallId: id, sessionId: "s" })
      .then(() => outcomes.push("stored"), (error) => outcomes.push(error.code));
  }
  const { artifacts } = await createWorkspace({ root: process.argv[1] }).queryArtifacts();
  console.log(JSON.stringify({ outcomes, sizes: artifacts.map(({ size }) => size.chars).sort() }));
`;

// The same promise as on a small disk, for machines on which none can be mounted.
it("a file that may not grow: what was acknowledged is there, nothing else, and it goes on", async (t) => {
  skipOnWindows(t, "it has no ulimit");
  const root = await makeTempFolder();
  // A block has 512 bytes, or 1,024 in some shells. Without the trap the signal would end the process.
  const limited = 'ulimit -f 200; trap "" XFSZ; exec "$@"';
  const node = [process.execPath, "--input-type=module", "--eval", PROGRAM, root];
  const printed = await runOrThrow("sh", ["-c", limited, "sh", ...node], { cwd: ROOT });
  expect(JSON.parse(printed)).toEqual({
    outcomes: ["stored", "WRITE_FAILED", "stored"],
    sizes: [1_000, 2_000],
  });
});
