import { describe, expect, it } from "vitest";
import { createFileSink, type FolderWrite } from "../../../../src/core/files/file-sink.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { MemoryWriter } from "../../../support/memory-writer.js";
import { rejectionOf } from "../../../support/rejection.js";
import { toolResult } from "../../../support/tool-results.js";

const result = toolResult("content");

function sinkOf(writer: MemoryWriter, names = new Map([[result, "a.md"]])) {
  const options = {
    root: "/out",
    folders: ["s1"],
    names,
    existing: "keep",
    hash: sha256,
    style: "history",
  } as const;
  return createFileSink({ ...options, writer });
}

/** A writer to which some names are taken by other content. */
class FolderMemoryWriter extends MemoryWriter {
  constructor(readonly isTaken: (name: string) => boolean) {
    super();
  }

  writeInFolder({ root, names, content }: FolderWrite) {
    if (this.isTaken(names.at(-1) ?? "")) return Promise.resolve("taken" as const);
    this.files.set([root, ...names].join("/"), content);
    return Promise.resolve("written" as const);
  }
}

describe("a sink of files", () => {
  it("writes one file below the root, and says where", async () => {
    const writer = new MemoryWriter();
    expect(await sinkOf(writer)(result)).toMatchObject({ path: "/out/s1/a.md", name: "a.md" });
    expect([...writer.files]).toEqual([["/out/s1/a.md", "content"]]);
  });

  it.each([
    ["a short hash", (name: string) => name === "a.md", /^a~[0-9a-f]{12}\.md$/],
    ["the whole hash", (name: string) => name.length < 20, /^a~[0-9a-f]{64}\.md$/],
  ])("takes %s into the name where other content has the plain one", async (_, isTaken, name) => {
    const stored = await sinkOf(new FolderMemoryWriter(isTaken))(result);
    expect(stored.name).toMatch(name);
  });

  it("fails with the path where every name is taken", async () => {
    const error = await rejectionOf(sinkOf(new FolderMemoryWriter(() => true))(result));
    expect(error).toMatchObject({ code: "WRITE_FAILED", path: "/out/s1/a.md" });
  });

  it("wraps what a writer throws, with its message and as the cause", async () => {
    const writer = new MemoryWriter();
    const cause = new Error("no space left");
    writer.writeFile = () => Promise.reject(cause);
    const error = await rejectionOf(sinkOf(writer)(result));
    expect(error).toMatchObject({ code: "WRITE_FAILED", cause });
    expect(error.message).toContain("no space left");
  });

  it("refuses a result that was given no name, as any other failure", async () => {
    const sink = sinkOf(new MemoryWriter(), new Map());
    expect(await rejectionOf(sink(result))).toMatchObject({ code: "WRITE_FAILED" });
  });
});
