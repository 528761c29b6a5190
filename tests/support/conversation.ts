import { readFile } from "node:fs/promises";
import type { AnthropicMessage } from "../../src/formats/index.js";

export interface Turn {
  readonly id: string;
  readonly text: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly isError?: boolean;
}

/** An Anthropic conversation in which each turn calls one tool. */
export function conversationOf(...turns: readonly Turn[]): AnthropicMessage[] {
  return [
    { role: "user", content: "Please look into it." },
    ...turns.flatMap(({ id, text, tool = "bash", input = {}, isError }): AnthropicMessage[] => [
      { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: id,
            content: text,
            ...(isError ? { is_error: true } : {}),
          },
        ],
      },
    ]),
  ];
}

/** A log of about this many characters; another one for every seed. */
export function logOf(chars: number, seed = "log"): string {
  let text = "";
  for (let line = 1; text.length < chars; line++) {
    text += `${seed} line ${line}: request ${(line * 7919) % 10007} served\n`;
  }
  return text.slice(0, chars);
}

export async function readSample(): Promise<AnthropicMessage[]> {
  const url = new URL("../../examples/conversations/checkout-outage.json", import.meta.url);
  return JSON.parse(await readFile(url, "utf8")) as AnthropicMessage[];
}
