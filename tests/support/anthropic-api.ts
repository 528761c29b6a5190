import { anthropicMessages } from "../../examples/local-model/anthropic-messages.mjs";
import { LOG, NEEDED, SEARCH } from "./framework-story.js";

export interface ApiBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly ApiBlock[];
}

interface ApiBody {
  readonly messages: readonly ApiMessage[];
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name?: string }[];
  readonly thread?: { readonly type: string; readonly previous_message_id?: string };
}

/** Plays the model: what it says to a conversation, as the API has it. */
export type ApiModel = (messages: readonly ApiMessage[]) => readonly ApiBlock[];

export interface RecordedCall {
  readonly url: string;
  readonly text: string;
  readonly body: ApiBody;
  /** The whole conversation, what the server held included. */
  readonly messages: readonly ApiMessage[];
}

/** Anthropic's API as a `fetch`, with its streams and threads, and its checks unless they are switched off. */
export function anthropicApi(
  model: ApiModel,
  { isStrict = true } = {},
): { fetch: typeof fetch; requests: RecordedCall[] } {
  const requests: RecordedCall[] = [];
  const threads = new Map<string, { messages: ApiMessage[]; created: ApiBody }>();
  const answer = (url: string, text: string): Response => {
    const body = JSON.parse(text) as ApiBody;
    const held = threads.get(body.thread?.previous_message_id ?? "");
    const isContinued = body.thread?.type === "continue";
    if (isContinued && (!held || body.tools !== undefined || body.system !== undefined)) {
      return refuse(held ? "thread: system and tools are the thread's" : "thread not found");
    }
    const messages = [...(held?.messages ?? []), ...body.messages];
    const created = held?.created ?? body;
    requests.push({ url, text, body, messages });
    try {
      const { tools, system } = created;
      if (isStrict)
        anthropicMessages.read({
          ...body,
          ...(system === undefined ? {} : { system }),
          tools,
          messages,
        });
    } catch (error) {
      return refuse(String(error));
    }
    const id = `msg_${requests.length}`;
    const content = model(messages);
    if (body.thread) {
      threads.set(id, { messages: [...messages, { role: "assistant", content }], created });
    }
    const reply = {
      ...{ id, type: "message", role: "assistant", model: "m", content, stop_sequence: null },
      stop_reason: content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
      usage: { input_tokens: 100, output_tokens: 10 },
    };
    return body.stream === true ? streamOf(reply) : Response.json(reply);
  };
  return {
    requests,
    fetch: (url, init) =>
      Promise.resolve(
        answer(url instanceof Request ? url.url : url.toString(), init?.body as string),
      ),
  };
}

function refuse(message: string): Response {
  const error = { type: "invalid_request_error", message };
  return Response.json({ type: "error", error }, { status: 400 });
}

function streamOf(reply: { content: readonly ApiBlock[]; stop_reason: string }): Response {
  const { content, stop_reason } = reply;
  const events = [
    { type: "message_start", message: { ...reply, content: [], stop_reason: null } },
    { type: "ping" },
    ...content.flatMap((block, index) => blockEvents(block, index)),
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  // Chunks that end anywhere, as they do on a network.
  const bytes = new TextEncoder().encode(text.join(""));
  const chunks = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 97) controller.enqueue(bytes.slice(at, at + 97));
      controller.close();
    },
  });
  return new Response(chunks, { headers: { "content-type": "text/event-stream" } });
}

function blockEvents(block: ApiBlock, index: number): { type: string }[] {
  const isCall = block.type === "tool_use";
  const text = isCall ? JSON.stringify(block["input"]) : String(block["text"]);
  const half = Math.floor(text.length / 2);
  const deltas = [text.slice(0, half), text.slice(half)].map((part) =>
    isCall ? { type: "input_json_delta", partial_json: part } : { type: "text_delta", text: part },
  );
  const content_block = { ...block, ...(isCall ? { input: {} } : { text: "" }) };
  return [
    { type: "content_block_start", index, content_block } as { type: string },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index } as { type: string },
  ];
}

let calls = 0;

export function toolUse(name: string, input: object): ApiBlock {
  calls += 1;
  return { type: "tool_use", id: `toolu_${calls}`, name, input };
}

export function resultsOf(messages: readonly ApiMessage[]): ApiBlock[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_result"),
  );
}

/** Fetches the log, searches it if a reference arrived, and answers from what it read. */
export const storyModel: ApiModel = (messages) => {
  const last = messages.at(-1);
  const [result] = last ? resultsOf([last]) : [];
  if (!result) return [toolUse("fetch_log", { service: "payments" })];
  const text = JSON.stringify(result["content"]);
  const id = /<knowledge id=\\"([^"\\]+)\\"/.exec(text)?.[1];
  if (id !== undefined) {
    const look = { type: "text", text: "Let me look." };
    return [look, toolUse(SEARCH.name, { ...SEARCH.input, artifact_id: id })];
  }
  const found = text.includes(NEEDED) && text.length < LOG.length / 10;
  return [{ type: "text", text: found ? `Found: ${NEEDED}` : `Got: ${text.slice(0, 200)}` }];
};
