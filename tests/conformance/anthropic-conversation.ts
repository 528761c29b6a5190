import type { SampleTurn } from "../../src/testing/index.js";

/** The suite's turns as Anthropic messages, with a cache mark and fields that nobody knows. */
export function buildAnthropic(turns: readonly SampleTurn[]): unknown[] {
  return turns.flatMap(({ say, results }) => [
    {
      role: "assistant",
      content: [
        { type: "text", text: say },
        ...results.map(({ id, toolName }) => ({ type: "tool_use", id, name: toolName, input: {} })),
      ],
    },
    {
      role: "user",
      content: results.map(({ id, text, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: text,
        ...(isError ? { is_error: true } : {}),
        cache_control: { type: "ephemeral" },
        unknown_field: [1, { deep: true }],
      })),
    },
  ]);
}
