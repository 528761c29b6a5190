import { expect, it } from "vitest";
import { runProgram } from "../support/run-program.js";
import { makeTempFolder } from "../support/temp-folder.js";

const LINE_COUNT = 2_600_000;

const LINE_OF = `
  const lineOf = (number) =>
    "2024-05-01T00:00:00Z INFO  request " + String(number).padStart(8, "0") +
    " handled in 12 ms by worker 7, 漢字" + (number === 2_345_678 ? " needle" : "");
`;

const WRITER = `
  import { createWorkspace } from "context-offload";
  ${LINE_OF}
  async function* chunks() {
    for (let from = 1; from <= ${LINE_COUNT}; from += 10_000) {
      const lines = Array.from({ length: 10_000 }, (_, at) => lineOf(from + at) + "\\n");
      yield Buffer.from(lines.join(""));
    }
  }
  const workspace = createWorkspace({ root: process.argv[1] });
  const { record } = await workspace.put({ content: chunks() }, { toolCallId: "log", sessionId: "s1" });
  console.log(record.size.bytes);
`;

const READER = `
  import assert from "node:assert/strict";
  import { createWorkspace } from "context-offload";
  ${LINE_OF}
  const workspace = createWorkspace({ root: process.argv[1] });
  const from = ${LINE_COUNT} - 500;
  const expected = Array.from({ length: 100 }, (_, at) => lineOf(from + at)).join("\\n");
  const lines = await workspace.getKnowledgeByLines("log", from, from + 99);
  assert.equal(lines.text.trimEnd(), expected);
  assert.equal(lines.range.of, ${LINE_COUNT});
  const found = await workspace.grepKnowledge("log", "needle", { deadlineMs: 30_000 });
  assert.equal(found.range.of, 1);
  assert.match(found.text, /02345678/);
  const pattern = await workspace.grepKnowledge("log", "request 0234567[89].*needle$", { deadlineMs: 30_000 });
  assert.equal(pattern.range.of, 1);
  const lineChars = lineOf(1).length + 1;
  const startChar = 2_000_000 * lineChars + 1;
  const chars = await workspace.getKnowledgeById("log", { startChar, endChar: startChar + lineChars - 2 });
  assert.equal(chars.text, lineOf(2_000_001));
  console.log(process.resourceUsage().maxRSS);
`;

it("a process that only reads an artifact of 200 MB stays under 150 MB", async () => {
  const root = await makeTempFolder();
  const [bytes] = await runProgram(WRITER, [root]);
  expect(Number(bytes)).toBeGreaterThan(200 * 1024 * 1024);
  // The first reader makes the index, the second finds it.
  for (const which of ["first", "second"]) {
    const [maxRss] = await runProgram(READER, [root]);
    const megabytes = Math.round(Number(maxRss) / 1024);
    console.log(`reading 200 MB, ${which} time: peak ${megabytes} MB`);
    expect(megabytes).toBeGreaterThan(10);
    expect(megabytes).toBeLessThan(150);
  }
});
