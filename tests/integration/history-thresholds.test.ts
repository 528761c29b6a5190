import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULTS, offloadToolResults } from "../../src/index.js";
import { InvalidEnvironmentError } from "../../src/errors.js";
import { listTree } from "../support/list-tree.js";
import { rejectionOf } from "../support/rejection.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { carrying, textOf, toolResult, type AnyMessage } from "../support/tool-messages.js";

const RATIO = "OFFLOAD_RATIO_THRESHOLD";
const CHARS = "OFFLOAD_CHAR_THRESHOLD";

/** A history of `total` characters, `offloadable` of them in one tool result. */
function historyWith(offloadable: number, total: number): AnyMessage[] {
  return [
    carrying({ type: "text", text: textOf(total - offloadable) }),
    carrying(toolResult("toolu_1", textOf(offloadable))),
  ];
}

/** How many results of a history are offloaded. */
async function countOffloaded(
  history: AnyMessage[],
  options: { charThreshold?: number; ratioThreshold?: number } = {},
): Promise<number> {
  const outputDir = await makeTempFolder();
  const outcome = await offloadToolResults(history, { outputDir, ...options });
  return outcome.offloadedCount;
}

beforeEach(() => {
  vi.stubEnv(CHARS, undefined);
  vi.stubEnv(RATIO, undefined);
  return () => {
    vi.unstubAllEnvs();
  };
});

describe("the share that can be offloaded", () => {
  it("is enough: the pass runs", async () => {
    expect(await countOffloaded(historyWith(500, 1_000))).toBe(1);
  });

  it("is too small: the same array comes back, and not even a folder is made", async () => {
    const outputDir = join(await makeTempFolder(), "never-made");
    const input = historyWith(100, 1_000);
    const outcome = await offloadToolResults(input, { outputDir });
    expect(outcome).toEqual({ messages: input, offloadedCount: 0, freedChars: 0, files: [] });
    expect(outcome.messages).toBe(input);
    await expect(stat(outputDir)).rejects.toThrow("ENOENT");
  });

  it.each([
    ["exactly 20 %", 200, 1_000, 1],
    ["just below 20 %", 200, 1_001, 0],
    ["exactly 20 % of a length that no power of two divides", 333, 1_665, 1],
    ["just below, by one character in a million", 199_999, 1_000_000, 0],
  ])("is %s", async (_, offloadable, total, count) => {
    expect(await countOffloaded(historyWith(offloadable, total))).toBe(count);
  });

  it("of an empty history does not matter, not even with a threshold of 0", async () => {
    const input: AnyMessage[] = [];
    const outputDir = await makeTempFolder();
    const { messages } = await offloadToolResults(input, { outputDir, ratioThreshold: 0 });
    expect(messages).toBe(input);
  });

  it.each([
    ["no tool result", [carrying({ type: "text", text: textOf(500) })]],
    ["only results below the char threshold", [carrying(toolResult("toolu_1", textOf(99)))]],
    ["only an empty result", [carrying(toolResult("toolu_1", ""))]],
  ])("is nothing, and the pass is skipped even with a threshold of 0: %s", async (_, input) => {
    const outputDir = await makeTempFolder();
    const { messages } = await offloadToolResults(input, { outputDir, ratioThreshold: 0 });
    expect(messages).toBe(input);
    expect(await listTree(outputDir)).toEqual([]);
  });

  it("is that of all results long enough together, not of each", async () => {
    const results = ["a", "b", "c"].map((id) => carrying(toolResult(id, textOf(100, id))));
    const input = [carrying({ type: "text", text: textOf(1_200) }), ...results];
    expect(await countOffloaded(input)).toBe(3);
  });
});

/** What `make` returns for a text that brings its JSON to 400 characters. */
function filled<T>(make: (text: string) => T): T {
  return make("x".repeat(400 - JSON.stringify(make("")).length));
}

describe("the characters of all messages", () => {
  const text = { type: "text", text: textOf(400) };
  const input = filled((path) => ({ path, lines: [1, 2] }));
  const call = { type: "tool_use", id: "x", name: "run", input };
  const unknown = filled((thinking) => ({ type: "thinking", thinking }));
  const blocks = filled((found) => [{ type: "text", text: found }]);

  // Each brings 400 characters beside a result of 1,000, of which 1,000 / 1,400 is exactly enough.
  it.each([
    ["a text by its length", carrying(text)],
    ["words that are a plain string by their length", { role: "user", content: text.text }],
    ["a tool call by the JSON of its input", { role: "assistant", content: [call] }],
    ["a block of an unknown kind by its JSON", carrying(unknown)],
    ["a result that is kept by its length", carrying(toolResult("kept", text.text))],
    ["an array that is kept by its compact JSON", carrying(toolResult("kept", blocks))],
  ])("count %s", async (_, message) => {
    const options = { charThreshold: 999, ratioThreshold: 1_000 / 1_400 };
    const offloadable = (chars: number) => carrying(toolResult("toolu_1", textOf(chars)));
    expect(await countOffloaded([message, offloadable(1_000)], options)).toBe(1);
    expect(await countOffloaded([message, offloadable(999)], options)).toBe(0);
    const one = carrying({ type: "text", text: "x" });
    expect(await countOffloaded([message, offloadable(1_000), one], options)).toBe(0);
  });

  it("count references, which cannot be offloaded again, toward the whole only", async () => {
    const reference = "[Content offloaded to: ./tool-result-done.md]";
    const outputDir = await makeTempFolder();
    await writeFile(join(outputDir, "tool-result-done.md"), "the content");
    const countOf = async (offloadable: number) => {
      const history = [
        carrying(toolResult("done", reference)),
        carrying(toolResult("new", textOf(offloadable))),
      ];
      const options = { outputDir, charThreshold: 1, ratioThreshold: 0.5 };
      return (await offloadToolResults(history, options)).offloadedCount;
    };
    expect(await countOf(reference.length)).toBe(1);
    expect(await countOf(reference.length - 1)).toBe(0);
  });
});

describe("where a threshold comes from", () => {
  it("the default is 100 characters and a fifth", () => {
    expect(DEFAULTS).toMatchObject({ charThreshold: 100, ratioThreshold: 0.2 });
  });

  it("the environment wins over the default, an option over the environment", async () => {
    expect(await countOffloaded(historyWith(150, 1_000))).toBe(0);
    vi.stubEnv(RATIO, "0.1");
    expect(await countOffloaded(historyWith(150, 1_000))).toBe(1);
    expect(await countOffloaded(historyWith(150, 1_000), { ratioThreshold: 0.5 })).toBe(0);

    vi.stubEnv(CHARS, "151");
    expect(await countOffloaded(historyWith(150, 1_000))).toBe(0);
    expect(await countOffloaded(historyWith(150, 1_000), { charThreshold: 150 })).toBe(1);
  });

  it("an option of 0 is an option, and one that is undefined is not", async () => {
    vi.stubEnv(RATIO, "0.9");
    expect(await countOffloaded(historyWith(100, 1_000), { ratioThreshold: 0 })).toBe(1);
    const outputDir = await makeTempFolder();
    const none = { outputDir, ratioThreshold: undefined, charThreshold: undefined };
    expect((await offloadToolResults(historyWith(100, 1_000), none)).offloadedCount).toBe(0);
  });

  it("the environment is read at each call, not once when the module loads", async () => {
    // [value, results offloaded when all can be, when exactly a fifth can, when one in ten can]
    const rows = [
      ["0", 1, 1, 1],
      ["1", 1, 0, 0],
      ["0.2", 1, 1, 0],
      ["", 1, 1, 0],
      ["0", 1, 1, 1],
    ] as const;
    for (const [value, whole, fifth, tenth] of rows) {
      vi.stubEnv(RATIO, value);
      expect(await countOffloaded([carrying(toolResult("a", textOf(100)))]), value).toBe(whole);
      expect(await countOffloaded(historyWith(200, 1_000)), value).toBe(fifth);
      expect(await countOffloaded(historyWith(100, 1_000)), value).toBe(tenth);
    }
  });

  it.each([
    [RATIO, "20%"],
    [RATIO, "abc"],
    [RATIO, "0,2"],
    [CHARS, "100 characters"],
    [CHARS, "NaN"],
  ])("%s of %j is an error that says so, and nothing is written", async (variable, value) => {
    const outputDir = await makeTempFolder();
    const input = historyWith(500, 1_000);
    expect((await offloadToolResults(historyWith(100, 1_000), { outputDir })).files).toEqual([]);
    vi.stubEnv(variable, value);
    const error = await rejectionOf(offloadToolResults(input, { outputDir }));
    expect(error).toBeInstanceOf(InvalidEnvironmentError);
    expect(error.code).toBe("INVALID_ENVIRONMENT");
    expect(error.message).toContain(variable);
    expect(error.message).toContain(JSON.stringify(value));
    expect(error.message).toContain("a plain number such as");
    expect(await listTree(outputDir)).toEqual([]);
    vi.stubEnv(variable, undefined);
    expect((await offloadToolResults(input, { outputDir })).offloadedCount).toBe(1);
  });

  it("a broken variable does no harm where the option is given", async () => {
    vi.stubEnv(RATIO, "20%");
    expect(await countOffloaded(historyWith(500, 1_000), { ratioThreshold: 0.2 })).toBe(1);
  });
});
