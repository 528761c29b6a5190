import { readFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, type ModelMessage, type ToolSet } from "ai";
import { generateText as generateText7 } from "ai-7";
import { createOffloader, createWorkspace, type Offloader } from "context-offload";
import { type MediaRule } from "context-offload/formats";
import { type Policy, all, tokenBudget, keepRecent, minChars } from "context-offload/policies";
import OpenAI from "openai";
import OpenAI7 from "openai-7";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalModel, type LocalModel } from "../../examples/local-model/server.mjs";
import { makeTempFolder } from "../support/temp-folder.js";
import {
  generateTurns,
  readTurns,
  toAiSdk,
  toAnthropic,
  toChat,
  toResponses,
  type Turn,
} from "../support/vendor-conversations.js";

const SAMPLE = new URL("../../examples/conversations/checkout-outage.json", import.meta.url);
const THANKS: Turn = { ask: "Thank you. Is there anything left to do?" };

const recorded = JSON.parse(readFileSync(SAMPLE, "utf8")) as Anthropic.MessageParam[];
const sample: Turn[] = [...readTurns(recorded), THANKS];
const conversations: [name: string, turns: Turn[]][] = [
  ["the sample conversation", sample],
  ...generateTurns(3).map((turns, at): [string, Turn[]] => [`generated ${at + 1}`, turns]),
];

const policies: [name: string, policy: Policy | undefined, media: MediaRule][] = [
  ["the default policy", undefined, "keep"],
  ["everything", minChars(1), "keep"],
  ["everything, media too", minChars(1), "offload"],
  ["all but the latest", all(minChars(100), keepRecent(2)), "keep"],
  ["a budget", tokenBudget({ maxTokens: 2_000 }), "keep"],
];

/** One of the official clients, and how its messages are made and sent. */
interface Vendor {
  readonly client: string;
  readonly format: "anthropic" | "openai-chat" | "openai-responses" | "ai-sdk";
  readonly build: (turns: readonly Turn[]) => unknown[];
  readonly send: (messages: readonly unknown[], tools: unknown) => Promise<string>;
}

let localModel: LocalModel;

beforeAll(async () => {
  localModel = await startLocalModel({ script: () => ({ say: "Noted." }) });
});

afterAll(() => localModel.close());

const anthropic: Vendor = {
  client: "Anthropic",
  format: "anthropic",
  build: toAnthropic,
  async send(messages, tools) {
    const client = new Anthropic({ baseURL: localModel.url, apiKey: "none" });
    const { content } = await client.messages.create({
      model: "local-model",
      max_tokens: 100,
      messages: messages as Anthropic.MessageParam[],
      tools: tools as Anthropic.Tool[],
    });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
};

const openaiOptions = () => ({ baseURL: `${localModel.url}/v1`, apiKey: "none" });
const openai6 = () => new OpenAI(openaiOptions());
// The two majors differ in types of what is not sent here.
const openai7 = () => new OpenAI7(openaiOptions()) as unknown as OpenAI;

const chatWith = (client: string, open: () => OpenAI): Vendor => ({
  client,
  format: "openai-chat",
  build: toChat,
  async send(messages, tools) {
    const { choices } = await open().chat.completions.create({
      model: "local-model",
      messages: messages as OpenAI.ChatCompletionMessageParam[],
      tools: tools as OpenAI.ChatCompletionTool[],
    });
    return choices[0]?.message.content ?? "";
  },
});

const responsesWith = (client: string, open: () => OpenAI): Vendor => ({
  client,
  format: "openai-responses",
  build: toResponses,
  async send(messages, tools) {
    const response = await open().responses.create({
      model: "local-model",
      input: messages as OpenAI.Responses.ResponseInputItem[],
      tools: tools as OpenAI.Responses.Tool[],
    });
    return response.output_text;
  },
});

const aiSdkWith = (client: string, generate: typeof generateText): Vendor => ({
  client,
  format: "ai-sdk",
  build: toAiSdk,
  async send(messages, tools) {
    const provider = createOpenAICompatible({ name: "local", baseURL: `${localModel.url}/v1` });
    const { text } = await generate({
      model: provider("local-model"),
      messages: messages as ModelMessage[],
      tools: tools as ToolSet,
      maxRetries: 0,
    });
    return text;
  },
});

const chat = chatWith("OpenAI 6, Chat Completions", openai6);
const responses = responsesWith("OpenAI 6, Responses", openai6);
const aiSdk = aiSdkWith("AI SDK 6", generateText);
const vendors = [
  ...[anthropic, chat, responses, aiSdk],
  chatWith("OpenAI 7, Chat Completions", openai7),
  responsesWith("OpenAI 7, Responses", openai7),
  aiSdkWith("AI SDK 7", generateText7 as unknown as typeof generateText),
];

async function openOffloader(policy?: Policy, media: MediaRule = "keep"): Promise<Offloader> {
  const workspace = createWorkspace({ root: await makeTempFolder() });
  return createOffloader({ workspace, sessionId: "s1", policy, media });
}

function lastBytes(): number {
  return localModel.requests.at(-1)?.bytes ?? 0;
}

describe.each(vendors)("the client of $client", ({ format, build, send }) => {
  describe.each(policies)("with %s", (_name, policy, media) => {
    it.each(conversations)("has %s accepted before and after", async (_title, turns) => {
      const offloader = await openOffloader(policy, media);
      const tools = offloader.tools(format);
      const history = build(turns);
      expect(await send(history, tools)).toBe("Noted.");
      const before = lastBytes();

      const { messages, report } = await offloader.offload(history);
      expect(await send(messages, tools)).toBe("Noted.");
      const { offloaded, tokensSaved } = report.totals;
      if (offloaded > 0) expect(tokensSaved).toBeGreaterThan(0);
      else expect(lastBytes()).toBe(before);
      if (turns === sample) expect(offloaded).toBeGreaterThan(1);

      const restored = await offloader.restore(messages);
      expect(restored).toEqual(history);
      expect(await send(restored, tools)).toBe("Noted.");
      expect(lastBytes()).toBe(before);
    });
  });

  it("has every turn of a growing history accepted", async () => {
    const offloader = await openOffloader();
    const tools = offloader.tools(format);
    for (let turns = 1; turns <= sample.length; turns++) {
      const last = sample[turns - 1];
      // A turn of the model alone is no place to call it again.
      if (last && "say" in last && last.calls.length === 0) continue;
      const { messages } = await offloader.offload(build(sample.slice(0, turns)));
      expect(await send(messages, tools)).toBe("Noted.");
    }
  });
});

describe("the recorded sample itself", () => {
  it("keeps its cache marks, and Anthropic takes it", async () => {
    const history = [...recorded, ...toAnthropic([THANKS])];
    const offloader = await openOffloader(minChars(1));
    const { messages } = await offloader.offload(history);
    const tools = offloader.tools("anthropic");
    expect(await anthropic.send(messages, tools)).toBe("Noted.");
    const marks = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;
    expect(marks(history)).toBeGreaterThan(0);
    expect(marks(messages)).toBe(marks(history));
  });
});

/** Two parallel calls, then one, so that there is something to break. */
const short: Turn[] = [
  { ask: "What is wrong?" },
  {
    say: "I look at both.",
    calls: ["call_a", "call_b"].map((id) => ({
      id,
      name: "read_file",
      input: { path: id },
      result: [{ text: `what ${id} read` }],
      isError: false,
    })),
  },
  {
    say: "Once more.",
    calls: [{ id: "call_c", name: "search", input: {}, result: [{ text: "x" }], isError: false }],
  },
];

/** A deep copy that a test may break as it likes. */
type Loose = Record<string, Loose[] & Record<string, unknown>>;
function breakable(messages: readonly unknown[]): Loose[] {
  return structuredClone(messages) as Loose[];
}

/** A tool as the vendors take it: its schema is called this or that, further in or not. */
interface DescribedTool {
  readonly function?: DescribedTool;
  readonly parameters?: object;
  readonly input_schema?: object;
}

type Break = (messages: Loose[]) => unknown;
const block = (messages: Loose[], message: number, slot: number) =>
  messages[message]?.["content"]?.[slot] ?? {};

describe.each<[Vendor, [what: string, change: Break, why: RegExp][]]>([
  [
    anthropic,
    [
      ["a result missing", (m) => m[2]?.["content"]?.pop(), /without `tool_result` blocks/],
      ["the results missing", (m) => m.splice(2, 1), /without `tool_result` blocks/],
      ["an id changed", (m) => set(block(m, 2, 0), "tool_use_id", "call_x"), /unexpected/],
      ["an id twice", (m) => set(block(m, 2, 0), "tool_use_id", "call_b"), /single result/],
      ["a call's id changed", (m) => set(block(m, 1, 1), "id", "call_x"), /unexpected/],
      [
        "a message between",
        (m) => insert(m, 2, { role: "user", content: "wait" }),
        /without `tool_result` blocks/,
      ],
      ["the calls missing", (m) => m.splice(1, 1), /unexpected `tool_use_id`/],
      [
        "an orphan at the start",
        (m) => insert(m, 0, structuredClone(m[2])),
        /unexpected `tool_use_id`/,
      ],
      [
        "a text in front",
        (m) => m[2]?.["content"]?.unshift({ type: "text", text: "so" } as never),
        /must come first/,
      ],
      ["a result without a message", (m) => set(m[2], "content", []), /non-empty content/],
      ["an empty text", (m) => set(block(m, 1, 0), "text", ""), /non-whitespace/],
      ["an unknown block", (m) => set(block(m, 1, 0), "type", "output_text"), /expected one of/],
      ["an unknown field", (m) => set(block(m, 2, 0), "name", "read_file"), /extra inputs/],
      ["a role of its own", (m) => set(m[2], "role", "tool"), /expected one of user/],
      ["a content of numbers", (m) => set(block(m, 2, 0), "content", 7), /string or an array/],
      ["the model's turn at the end", (m) => m.pop(), /end with a user message/],
      ["five cache marks", markAll, /maximum of 4/],
      [
        "a picture in an error",
        (m) => {
          const source = { type: "base64", media_type: "image/png", data: "AAAA" };
          set(block(m, 2, 0), "content", [{ type: "image", source }]);
          set(block(m, 2, 0), "is_error", true);
        },
        /all content must be type/,
      ],
    ],
  ],
  [
    chat,
    [
      ["a result missing", (m) => m.splice(3, 1), /did not have response messages: call_b/],
      ["the last result missing", (m) => m.pop(), /did not have response messages: call_c/],
      ["an id changed", (m) => set(m[2], "tool_call_id", "call_x"), /'call_x' not found/],
      ["an id twice", (m) => set(m[3], "tool_call_id", "call_a"), /answered before/],
      [
        "a message between",
        (m) => insert(m, 2, { role: "user", content: "wait" }),
        /must be followed by tool messages/,
      ],
      ["the calls missing", (m) => m.splice(1, 1), /must be a response to a preceding message/],
      [
        "an orphan at the start",
        (m) => insert(m, 0, structuredClone(m[2])),
        /must be a response to a preceding message/,
      ],
      ["no calls at all", (m) => set(m[1], "tool_calls", []), /at least one/],
      ["a result without content", (m) => set(m[2], "content", null), /expected a string/],
      [
        "a picture in a result",
        (m) => set(m[2], "content", [{ type: "image_url", image_url: { url: "https://x" } }]),
        /expected one of text/,
      ],
      [
        "another vendor's block",
        (m) => set(m[2], "content", [{ type: "tool_result" }]),
        /expected one/,
      ],
      ["an unknown field", (m) => set(m[2], "is_error", true), /extra inputs/],
    ],
  ],
  [
    responses,
    [
      ["an output missing", (m) => m.splice(5, 1), /No tool output found for function call call_b/],
      ["an id changed", (m) => set(m[4], "call_id", "call_x"), /No tool call found .* call_x/],
      ["a call's id changed", (m) => set(m[2], "call_id", "call_x"), /No tool call found/],
      ["the call missing", (m) => m.splice(2, 1), /No tool call found .* call_a/],
      ["the output before its call", (m) => insert(m, 1, m.splice(4, 1)[0]), /No tool call found/],
      ["an orphan at the start", (m) => insert(m, 0, structuredClone(m[4])), /No tool call found/],
      [
        "another kind of output",
        (m) => set(m[4], "type", "custom_tool_call_output"),
        /No tool call found for custom tool call output/,
      ],
      [
        "a part of the other direction",
        (m) => set(m[4], "output", [{ type: "output_text", text: "x" }]),
        /expected one of input_text/,
      ],
      ["an output without a value", (m) => set(m[4], "output", null), /expected an array/],
      ["an id of the wrong kind", (m) => set(m[2], "id", "call_a"), /does not match \^fc/],
    ],
  ],
])("the local model as $format", ({ build, send, format }, breaks) => {
  it("accepts the conversation that is then broken", async () => {
    const offloader = await openOffloader();
    expect(await send(build(short), offloader.tools(format))).toBe("Noted.");
  });

  it.each(breaks)("refuses %s", async (_what, change, why) => {
    const offloader = await openOffloader();
    const messages = breakable(build(short));
    change(messages);
    const sending = send(messages, offloader.tools(format));
    await expect(sending).rejects.toMatchObject({ status: 400 });
    await expect(sending).rejects.toThrow(why);
    expect(localModel.requests.at(-1)?.status).toBe(400);
  });

  it.each<[what: string, change: (schema: object) => unknown, why: RegExp]>([
    ["no object", (schema) => set(schema, "type", "string"), /expected one of object/],
    [
      "a type that there is not",
      (schema) => set(schema, "properties", { id: { type: "str" } }),
      /expected one of object, array/,
    ],
    [
      "an array of nothing",
      (schema) => set(schema, "properties", { ids: { type: "array" } }),
      /missing items/,
    ],
    ["required as a flag", (schema) => set(schema, "required", true), /expected an array/],
  ])("refuses a tool whose schema is %s", async (_what, change, why) => {
    const offloader = await openOffloader();
    const [tool = {}] = structuredClone(offloader.tools(format)) as DescribedTool[];
    const { input_schema, parameters } = tool.function ?? tool;
    change(input_schema ?? parameters ?? {});
    await expect(send(build(short), [tool])).rejects.toThrow(why);
  });
});

describe("the AI SDK", () => {
  it.each<[what: string, change: Break]>([
    ["a result missing", (m) => m[2]?.["content"]?.pop()],
    ["an id changed", (m) => set(block(m, 2, 0), "toolCallId", "call_x")],
    ["the calls missing", (m) => m.splice(1, 1)],
  ])("has no conversation accepted with %s", async (_what, change) => {
    const messages = breakable(toAiSdk(short));
    change(messages);
    await expect(aiSdk.send(messages, {})).rejects.toThrow();
  });
});

function set(target: object | undefined, field: string, value: unknown): object {
  if (!target) throw new Error("There is nothing to break here.");
  return Object.assign(target, { [field]: value });
}

function insert(messages: Loose[], at: number, message: unknown): Loose[] {
  return messages.splice(at, 0, message as Loose);
}

function markAll(messages: Loose[]): void {
  for (const { content } of messages) {
    for (const one of Array.isArray(content) ? content : []) {
      set(one, "cache_control", { type: "ephemeral" });
    }
  }
}
