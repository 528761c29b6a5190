/** @module anthropic */
import type { ToolInputSchema } from "../../core/engine/format.js";
import { anthropicFormat } from "../../formats/anthropic.js";
import {
  connectSession,
  connectSessions,
  type DropIn,
  type IntegrationOptions,
  type MultiSessionOptions,
  type OffloadSession,
  requireToolList,
} from "../shared/sessions.js";
import {
  type AnthropicHttpRequest,
  type AnthropicRequest,
  ConversationMemory,
  parseMessagesBody,
  ReadingTurn,
  type Reply,
} from "./reading-turn.js";
import { streamReplies } from "./stream-replies.js";

export type {
  AnthropicHttpRequest,
  AnthropicRequest,
  ApiBlock,
  ApiMessage,
  MessagesBody,
} from "./reading-turn.js";
export type { IntegrationOptions, MultiSessionOptions };

/** A reading tool that `toolRunner` runs. */
export interface RunnableReadingTool {
  name: string;
  description: string;
  input_schema: ToolInputSchema;
  run: (input: unknown, context?: AnthropicRunContext) => Promise<string>;
  parse: (input: unknown) => unknown;
}

/** What `toolRunner` tells a tool of the call. */
export interface AnthropicRunContext {
  readonly toolUse?: { readonly id: string };
  /** The older name of `toolUse`. Early versions of the SDK pass no context at all. */
  readonly toolUseBlock?: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

interface AnyAnthropicTool {
  readonly name?: string;
  readonly description?: string;
  readonly run?: (input: unknown, context?: AnthropicRunContext) => unknown;
}

/**
 * The tools, whose large results become references in the conversation, and the reading tools beside
 * them. Server tools and toolsets are passed on as they are.
 *
 * @example
 * client.beta.messages.toolRunner({ model, max_tokens, messages, tools: offloadTools(tools) });
 */
export function offloadTools<T extends object>(
  tools: readonly T[],
  options: IntegrationOptions = {},
): (T | RunnableReadingTool)[] {
  requireToolList("tools", tools);
  const session = connectSession(options);
  session.checkToolNames(tools.map((tool) => (tool as AnyAnthropicTool).name));
  return [...tools.map((tool) => wrapTool(tool, session)), ...readingTools(session)];
}

function wrapTool<T extends AnyAnthropicTool>(tool: T, session: OffloadSession): T {
  const { name, description, run } = tool;
  if (name === undefined || typeof run !== "function") return tool;
  const described = session.describe(name, description ?? "");
  return {
    ...tool,
    ...(described === "" ? {} : { description: described }),
    async run(input: unknown, context?: AnthropicRunContext) {
      const signal = context?.signal ?? undefined;
      const resolved = await session.resolve(name, input, signal);
      const content = await run.call(tool, resolved, context);
      const id = (context?.toolUse ?? context?.toolUseBlock)?.id ?? "";
      const call = { type: "tool_use", id, name, input };
      const [, answered] = await session.exchange(
        [
          { role: "assistant", content: [call] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
        ],
        anthropicFormat,
      );
      return (answered?.content[0] as { content?: unknown } | undefined)?.content ?? content;
    },
  };
}

function readingTools(session: OffloadSession): RunnableReadingTool[] {
  return session.tools.map(({ name, description, inputSchema: input_schema }) => ({
    ...{ name, description, input_schema, parse: (input) => input },
    async run(input, context) {
      const { text, isError } = await session.run(name, input, context?.signal);
      // The runner marks what is thrown as an error.
      if (isError) throw new Error(text);
      return text;
    },
  }));
}

/** Options of `offloadRequests`. */
export type AnthropicOptions = Omit<
  MultiSessionOptions<AnthropicRequest>,
  "offloader" | "acceptReferences"
>;

const REQUESTS: DropIn<AnthropicOptions> = {
  adds: {},
  lacks: {
    offloader: "it serves many conversations",
    acceptReferences: "it does not run the tools",
  },
};

/**
 * A middleware of a client: large results in its requests become references, and calls of the reading
 * tools are answered here, so that the host never sees them. The host's own messages keep the originals.
 *
 * @example
 * const client = new Anthropic({ middleware: [offloadRequests()] });
 */
export function offloadRequests(
  options: AnthropicOptions = {},
): <R extends AnthropicHttpRequest>(
  request: R,
  next: (request: R) => Promise<Response>,
) => Promise<Response> {
  const sessions = connectSessions(options, REQUESTS);
  const memory = new ConversationMemory();

  return async (request, next) => {
    const body = parseMessagesBody(request);
    if (!body) return next(request);
    const { url, headers } = request;
    const turn = await ReadingTurn.begin({ url, headers, body }, sessions, memory);
    // What is not changed is passed on byte for byte.
    if (!turn) return next(request);
    const send = (changed: unknown): Promise<Response> =>
      next({ ...request, body: JSON.stringify(changed) });
    const response = await send(turn.body);
    if (!response.ok || url.includes("/count_tokens")) return response;
    return body.stream === true
      ? streamReplies(response, turn, send)
      : answerReadings(response, turn, send);
  };
}

/** Answers the calls of reading tools until the model has said what it has to say to the host. */
async function answerReadings(
  first: Response,
  turn: ReadingTurn,
  send: (body: unknown) => Promise<Response>,
): Promise<Response> {
  let response = first;
  for (;;) {
    const reply = (await response.clone().json()) as Reply;
    const body = await turn.take(reply);
    if (!body) return turn.hidReadings ? withBody(response, turn.visibleReply(reply)) : response;
    response = await send(body);
    if (!response.ok) return response;
  }
}

function withBody(response: Response, body: unknown): Response {
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  return new Response(JSON.stringify(body), { status: response.status, headers });
}
