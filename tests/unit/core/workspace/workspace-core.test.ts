import { describe, expect, it } from "vitest";
import { coreOf } from "../../../../src/core/workspace/workspace-core.js";
import { createOffloader, createToolResultOffload, type Workspace } from "../../../../src/index.js";
import { createMemoryWorkspace } from "../../../../src/testing/index.js";

/** A workspace as a copy of the package with another inside would make it. */
function ofAnotherCopy(): Workspace {
  const workspace = createMemoryWorkspace();
  const [key = Symbol()] = Object.getOwnPropertySymbols(workspace);
  const copy = { ...workspace };
  const other = Symbol.for((key.description ?? "").replace(/\d+$/, "9999"));
  return Object.defineProperty(copy, other, { value: {} });
}

describe("a workspace of another version of the package", () => {
  it.each([
    ["createOffloader", (workspace: Workspace) => createOffloader({ workspace, sessionId: "s" })],
    ["createToolResultOffload", (workspace: Workspace) => createToolResultOffload({ workspace })],
  ])("is rejected by %s, with what to do", (_, use) => {
    expect(() => void use(ofAnotherCopy())).toThrow(
      expect.objectContaining({
        code: "VERSION_MISMATCH",
        message: expect.stringContaining("Install one version") as string,
      }),
    );
  });

  it("is told from what is no workspace at all", () => {
    for (const value of [{}, null, "workspace", { ...createMemoryWorkspace() }]) {
      expect(() => coreOf(value)).toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "workspace" }),
      );
    }
    expect(coreOf(createMemoryWorkspace())).toHaveProperty("store");
  });
});
