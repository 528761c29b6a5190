import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createToolResultOffload, createWorkspace, DEFAULTS } from "../../../src/index.js";
import { WriteFailedError } from "../../../src/errors.js";
import { readTree } from "../../support/list-tree.js";
import { rejectionOf } from "../../support/rejection.js";
import { deepFreeze } from "../../support/shared-objects.js";
import { makeTempFolder } from "../../support/temp-folder.js";
import { textOf } from "../../support/tool-messages.js";

const CONTEXT = { agentId: "agent", taskId: "task", sessionId: "s1" };
const BIG = textOf(DEFAULTS.inlineChars + 10_000, "a line of a long result");

function openOffload(root: string) {
  const workspace = createWorkspace({ root });
  return { workspace, op: createToolResultOffload({ workspace, whiteList: ["bash"] }) };
}

const of = (content: string) => ({ toolCallId: "call_1", toolName: "bash", content });

describe("a tool result that cannot be stored", () => {
  it("a store that fails throws, gives no reference and does not change the result", async () => {
    const folder = await makeTempFolder();
    const root = join(folder, "file");
    await writeFile(root, "in the way");
    const { op } = openOffload(root);
    const result = deepFreeze(of(BIG));
    const error = await rejectionOf(op.process(result, CONTEXT));
    expect(error).toBeInstanceOf(WriteFailedError);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.message).toContain((error.cause as Error).message);
    expect(result).toEqual(of(BIG));
    expect(await readTree(folder)).toEqual(new Map([["file", "in the way"]]));
  });

  it("a folder in the place of the manifest fails as clearly, and later works again", async () => {
    const root = await makeTempFolder();
    const { op, workspace } = openOffload(root);
    await mkdir(join(root, "v1/default/s1/manifest.jsonl"), { recursive: true });
    const error = await rejectionOf(op.process(of(BIG), CONTEXT));
    expect(error.code).toBe("WRITE_FAILED");
    const { decision } = await op.process(of(BIG), { sessionId: "s2" });
    expect(await workspace.getOriginal(decision.artifactId ?? "", { sessionId: "s2" })).toBe(BIG);
  });
});
