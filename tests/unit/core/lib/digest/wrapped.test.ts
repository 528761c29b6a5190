import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `- line ${at} of the body\n`).join("");

async function referenceOf(content: string): Promise<string> {
  const workspace = openMemoryWorkspace();
  const { reference } = await workspace.put({ content }, { toolCallId: "a", sessionId: "s" });
  return reference;
}

describe("what a wrapping has beside a text", () => {
  it("is quoted with its line, the exit status of a frame alone", async () => {
    const fields = { headRefName: "feat/tide", state: "OPEN", title: "feat: tides" };
    const view = await referenceOf(JSON.stringify({ body: lines(150), ...fields }));
    expect(view).toContain(
      "\n151: --- above: body, headRefName: feat/tide, state: OPEN, title: feat: tides ---\n",
    );
    const frame = "Chunk ID: d8f91f\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n";
    expect(await referenceOf(frame + lines(150))).toMatch(/\n151: …Process exited with code 2…\n/);
  });

  it("is quoted to 300 characters where it has lines of its own", () => {
    const fields = Array.from({ length: 8 }, (_, at) => `name${at}: ${"x".repeat(90)}`);
    const { text } = digestText(`${lines(150)}--- fields ---\n${fields.join("\n")}\n`);
    expect(text).toContain("151: --- fields ---\n152: name0: xxx");
    expect(text).toContain("\n154: name2: ");
    expect(text).not.toContain("name4");
  });
});
