import { describe, expect, it } from "vitest";
import { ContextOffloadError, offloadToolResult, offloadToolResults } from "../../src/index.js";
import { deepFreeze, sharedObjects } from "../support/shared-objects.js";
import { makeTempFolder } from "../support/temp-folder.js";
import {
  blockOf,
  carrying,
  textOf,
  toolResult,
  type AnyMessage,
} from "../support/tool-messages.js";

/** A message with everything that has to survive around two results that are offloaded. */
function richMessage(): AnyMessage {
  return {
    role: "user",
    content: [
      toolResult("a", textOf(2_000), {
        is_error: true,
        cache_control: { type: "ephemeral", ttl: "1h" },
        vendor: { list: [1, { deep: null }], "": "", 字: "值" },
      }),
      { type: "text", text: "and", citations: [{ cited_text: "x" }] },
      toolResult("b", [{ type: "text", text: textOf(2_000) }], { is_error: false }),
    ],
    name: "runner",
    metadata: { at: 1, tags: ["x"] },
  };
}

/** Everything but the content of the two. */
function withoutContents(message: AnyMessage): unknown {
  const copy = structuredClone(message);
  for (const slot of [0, 2]) delete blockOf(copy, slot)["content"];
  return copy;
}

const presets = [
  {
    preset: "direct",
    offload: async (message: AnyMessage, outputDir: string) =>
      (await offloadToolResult(message, { sessionId: "s1", outputDir })).message,
  },
  {
    preset: "history",
    offload: async (message: AnyMessage, outputDir: string) =>
      (await offloadToolResults([message], { outputDir })).messages[0],
  },
];

describe.each(presets)("a message that $preset touched", ({ offload }) => {
  it("keeps its error flags, cache marks, ids and every unknown field", async () => {
    const input = richMessage();
    const output = (await offload(input, await makeTempFolder())) as AnyMessage;
    expect(withoutContents(output)).toEqual(withoutContents(input));
    expect(Object.keys(blockOf(output))).toEqual(Object.keys(blockOf(input)));
    expect(blockOf(output, 0)["content"]).toContain("offloaded to");
    expect(blockOf(output, 2)["content"]).toContain("offloaded to");
  });

  it("is a deep copy that shares nothing with the input", async () => {
    const input = richMessage();
    const output = await offload(input, await makeTempFolder());
    expect(sharedObjects(input, output)).toEqual([]);
  });

  it("does not change the input, and takes one that is frozen through and through", async () => {
    const input = deepFreeze(richMessage());
    await offload(input, await makeTempFolder());
    expect(input).toEqual(richMessage());
  });

  it("keeps an own key named __proto__ a plain key", async () => {
    const vendor = JSON.parse('{"__proto__": {"polluted": true}}') as object;
    const input = carrying(toolResult("a", textOf(2_000), { vendor }));
    const output = await offload(input, await makeTempFolder());
    expect(JSON.stringify(blockOf(output)["vendor"])).toBe(JSON.stringify(vendor));
    expect(sharedObjects(input, output)).toEqual([]);
    expect({}).not.toHaveProperty("polluted");
  });
});

it("a field of 200,000 levels beside the content is copied, or refused with a code", async () => {
  let deep: unknown = "bottom";
  for (let level = 0; level < 200_000; level++) deep = [deep];
  const input = carrying(toolResult("a", textOf(2_000), { deep }));
  const outputDir = await makeTempFolder();
  const error: unknown = await offloadToolResult(input, { sessionId: "s1", outputDir }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error === undefined || ContextOffloadError.isInstance(error)).toBe(true);
});

describe("a history", () => {
  it("keeps the identity of untouched messages, in a new array", async () => {
    const input = [
      carrying({ type: "text", text: "hello" }),
      carrying(toolResult("long", textOf(2_000))),
      carrying(toolResult("short", "ok")),
      { role: "user", content: "a plain string" },
    ];
    const snapshot = structuredClone(input);
    const before = [...input];
    const { messages } = await offloadToolResults(input, { outputDir: await makeTempFolder() });
    expect(messages).not.toBe(input);
    expect(messages.map((message, index) => message === input[index])).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect(sharedObjects(input[1], messages[1])).toEqual([]);
    expect(input).toEqual(snapshot);
    expect(input.every((message, index) => message === before[index])).toBe(true);
  });

  it("of which nothing is offloaded is returned as the same array", async () => {
    const input = [carrying(toolResult("short", "ok"))];
    const { messages } = await offloadToolResults(input, { outputDir: await makeTempFolder() });
    expect(messages).toBe(input);
  });
});
