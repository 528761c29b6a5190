import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { offloadToolResults } from "../../src/index.js";
import {
  NodeFileWriter,
  offloadToolResultsWithWriter,
  offloadToolResultWithWriter,
  type FileWriter,
} from "../../src/files.js";
import { WriteFailedError } from "../../src/errors.js";
import { listTree, readTree } from "../support/list-tree.js";
import { MemoryWriter } from "../support/memory-writer.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, historyOf, textOf, toolResult } from "../support/tool-messages.js";

const IDS = ["a", "b", "c", "d", "e"];
const makeHistory = () => historyOf(...IDS.map((id) => [id, textOf(500, id)] as const));

/** Writes to disk, and does something else for the file whose path has this in it. */
function writerFailingFor(part: string, fail: () => Promise<void>): FileWriter {
  const disk = new NodeFileWriter();
  return {
    writeFile: (path, content) => (path.includes(part) ? fail() : disk.writeFile(path, content)),
  };
}

describe("a writer that rejects for the third of five results", () => {
  it("history: the cause is that same error, the message holds its message and the path", async () => {
    const outputDir = await makeTempFolder();
    const original = new Error("the disk is on fire");
    const writer = writerFailingFor("tool-result-c", () => Promise.reject(original));
    const input = makeHistory();
    const before = [...input];
    const error = await rejectionOf(offloadToolResultsWithWriter(input, outputDir, writer));
    expect(error).toBeInstanceOf(WriteFailedError);
    expect(error.code).toBe("WRITE_FAILED");
    expect(error.cause).toBe(original);
    expect(error.message).toContain("the disk is on fire");
    expect(error.message).toContain(join(outputDir, "tool-result-c.md"));
    expect((error as WriteFailedError).path).toBe(join(outputDir, "tool-result-c.md"));

    expect(input).toEqual(makeHistory());
    expect(input.every((message, index) => message === before[index])).toBe(true);
    const whole = IDS.map((id) => [`tool-result-${id}.md`, textOf(500, id)]);
    for (const file of await readTree(outputDir)) expect(whole).toContainEqual(file);

    // Once the fault is gone the same call goes through.
    const { files } = await offloadToolResults(input, { outputDir });
    expect(files).toHaveLength(5);
    expect([...(await readTree(outputDir))]).toEqual(whole);
  });

  it("direct: the same, for results of one message", async () => {
    const outputDir = await makeTempFolder();
    const original = new Error("the disk is on fire");
    const writer = writerFailingFor("c.md", () => Promise.reject(original));
    const make = () => carrying(...IDS.map((id) => toolResult(id, textOf(500, id))));
    const input = make();
    const error = await rejectionOf(offloadToolResultWithWriter(input, "s1", outputDir, writer));
    expect(error).toMatchObject({ code: "WRITE_FAILED", path: join(outputDir, "s1", "c.md") });
    expect(error.cause).toBe(original);
    expect(error.message).toContain(join(outputDir, "s1", "c.md"));
    expect(input).toEqual(make());
    expect(await listTree(outputDir)).not.toContain("s1/c.md");
  });

  it("nothing goes on behind the caller's back when the error arrives", async () => {
    const writer = new MemoryWriter();
    let underWay = 0;
    const slow: FileWriter = {
      async writeFile(path, content) {
        underWay++;
        try {
          if (path.includes("tool-result-c")) throw new Error("no");
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
          await writer.writeFile(path, content);
        } finally {
          underWay--;
        }
      },
    };
    const many = Array.from({ length: 50 }, (_, at) => [`n${at}`, textOf(500)] as const);
    const input = [...makeHistory(), ...historyOf(...many)];
    await rejectionOf(offloadToolResultsWithWriter(input, "/out", slow));
    expect(underWay).toBe(0);
    const written = writer.files.size;
    for (let turn = 0; turn < 1_000; turn++) await Promise.resolve();
    expect(writer.files.size).toBe(written);
    expect(written).toBeLessThan(50);
  });
});

describe("a writer that fails in its own way", () => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the fault
  const bad = (thrown: unknown) => Promise.reject(thrown);
  const original = new Error("thrown at once");
  it.each<[string, () => Promise<void>, unknown, string]>([
    [
      "throws synchronously",
      () => {
        throw original;
      },
      original,
      "thrown at once",
    ],
    ["rejects with a string", () => bad("out of paper"), "out of paper", "out of paper"],
    ["rejects with undefined", () => bad(undefined), undefined, "undefined"],
    ["rejects with null", () => bad(null), null, "null"],
    [
      "rejects with an object",
      () => bad({ message: "S3 said no" }),
      { message: "S3 said no" },
      "S3",
    ],
    ["rejects with a symbol", () => bad(Symbol.for("s")), Symbol.for("s"), "Symbol(s)"],
  ])("%s", async (_, fail, cause, message) => {
    const outputDir = await makeTempFolder();
    const writer = writerFailingFor("tool-result-c", fail);
    const input = makeHistory();
    const error = await rejectionOf(offloadToolResultsWithWriter(input, outputDir, writer));
    expect(error).toMatchObject({ code: "WRITE_FAILED", name: "WriteFailedError" });
    expect("cause" in error).toBe(true);
    expect(error.cause).toEqual(cause);
    expect(error.message).toContain(message);
    expect(error.message).toContain(join(outputDir, "tool-result-c.md"));
    expect(input).toEqual(makeHistory());
  });

  it("rejects with an object that cannot become a text", async () => {
    const thrown: unknown = Object.create(null);
    const writer = writerFailingFor("tool-result-c", () => bad(thrown));
    const outputDir = await makeTempFolder();
    const error = await rejectionOf(offloadToolResultsWithWriter(makeHistory(), outputDir, writer));
    expect(error.code).toBe("WRITE_FAILED");
    expect(error.cause).toBe(thrown);
  });
});
