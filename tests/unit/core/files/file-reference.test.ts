import { describe, expect, it } from "vitest";
import {
  parseFileReference,
  renderFileReference,
  resolveFileReference,
} from "../../../../src/core/files/file-sink.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { toolResult } from "../../../support/tool-results.js";

const resolve = (content: string, id?: string) =>
  resolveFileReference(toolResult(content, { id: id as string }), { outputDir: "/out" }, sha256);

describe("a file reference", () => {
  it("is rendered and parsed back", () => {
    const stored = { path: "/out/s/toolu_1.md", name: "toolu_1.md" };
    const direct = renderFileReference("direct", stored);
    expect(direct).toBe("[Tool result offloaded to file: /out/s/toolu_1.md]");
    expect(parseFileReference(direct)).toEqual({ style: "direct", path: "/out/s/toolu_1.md" });
    const file = { path: "/out/tool-result-x.md", name: "tool-result-x.md" };
    const history = renderFileReference("history", file);
    expect(history).toBe("[Content offloaded to: ./tool-result-x.md]");
    expect(parseFileReference(history)).toEqual({ style: "history", path: "./tool-result-x.md" });
  });

  it.each([
    "plain text",
    "",
    "[]",
    "[Something else: ./x.md]",
    " [Content offloaded to: ./tool-result-x.md]",
    "[Content offloaded to: ./tool-result-x.md] and more",
    `[Content offloaded to: ./${"x".repeat(5000)}]`,
  ])("is not %j", (text) => {
    expect(parseFileReference(text)).toBeUndefined();
  });

  it.each([
    ["[Content offloaded to: ./tool-result-a.md]", "a", "/out/tool-result-a.md"],
    ["[Content offloaded to: ./tool-result-a-1.md]", "a", "/out/tool-result-a-1.md"],
    [
      "[Content offloaded to: ./tool-result-a~0123456789ab.md]",
      "a",
      "/out/tool-result-a~0123456789ab.md",
    ],
    ["[Tool result offloaded to file: /out/s/a.md]", "a", "/out/s/a.md"],
    ["[Tool result offloaded to file: /out/s/a~1.md]", "a", "/out/s/a~1.md"],
    [
      "[Tool result offloaded to file: /out/s/a~1~0123456789ab.md]",
      "a",
      "/out/s/a~1~0123456789ab.md",
    ],
    [
      "[Tool result offloaded to file: /out/x_y~0123456789abcdef0123/a.md]",
      "a",
      "/out/x_y~0123456789abcdef0123/a.md",
    ],
    [
      "[Content offloaded to: ./tool-result-unknown-0123456789abcdef.md]",
      undefined,
      "/out/tool-result-unknown-0123456789abcdef.md",
    ],
  ])("%s is its own for %j", (text, id, path) => {
    expect(resolve(text, id)?.path).toBe(path);
  });

  it.each([
    ["[Content offloaded to: ./tool-result-a.md]", "b"],
    ["[Content offloaded to: ./tool-result-ab.md]", "a"],
    ["[Content offloaded to: ./tool-result-a-x.md]", "a"],
    ["[Content offloaded to: ./sub/tool-result-a.md]", "a"],
    ["[Content offloaded to: ./tool-result-a.txt]", "a"],
    ["[Content offloaded to: ./tool-result-a.md]", undefined],
    ["[Tool result offloaded to file: /out/s/b.md]", "a"],
    ["[Tool result offloaded to file: /out/s/a-1.md]", "a"],
    ["[Tool result offloaded to file: /out/s/A.md]", "a"],
    ["[Tool result offloaded to file: /out/a.md]", "a"],
    ["[Tool result offloaded to file: /out/s/t/a.md]", "a"],
    ["[Tool result offloaded to file: /out//a.md]", "a"],
    ["[Tool result offloaded to file: /out/../a.md]", "a"],
    ["[Tool result offloaded to file: /out/s/../a.md]", "a"],
    ["[Tool result offloaded to file: /else/s/a.md]", "a"],
    ["[Tool result offloaded to file: /outs/a.md]", "a"],
    ["[Tool result offloaded to file: out/s/a.md]", "a"],
    ["[Tool result offloaded to file: \\out\\s\\a.md]", "a"],
    ["[Tool result offloaded to file: ]", "a"],
    ["[Content offloaded to: ./../tool-result-a.md]", "a"],
    ["[Content offloaded to: ./]", "a"],
  ])("%s is not its own for %j", (text, id) => {
    expect(resolve(text, id)).toBeUndefined();
  });

  it("of a session is not that of another one", () => {
    const place = { outputDir: "C:\\out", session: "s1" };
    const resolveIn = (path: string) => {
      const result = toolResult(`[Tool result offloaded to file: ${path}]`, { id: "a" });
      return resolveFileReference(result, place, sha256);
    };
    expect(resolveIn("C:\\out\\s1\\a.md")?.path).toBe("C:\\out\\s1\\a.md");
    expect(resolveIn("C:\\out\\S1\\a.md")).toBeUndefined();
    expect(resolveIn("C:\\out\\s2\\a.md")).toBeUndefined();
    expect(resolveIn("C:/out/s1/a.md")).toBeUndefined();
  });

  it("is never an array of blocks", () => {
    const content = ["[Content offloaded to: ./tool-result-a.md]"];
    const result = { ...toolResult(""), content };
    expect(resolveFileReference(result, { outputDir: "/out" }, sha256)).toBeUndefined();
  });
});
