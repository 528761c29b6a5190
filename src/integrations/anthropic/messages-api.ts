import { parseJson } from "../../core/lib/json/plain-json.js";

/** The parts of Anthropic's Messages API that matter here; whatever else there is, is passed on. */
export interface MessagesBody {
  readonly messages: readonly ApiMessage[];
  readonly tools?: readonly { readonly name?: string }[];
  readonly system?: string | readonly ApiBlock[];
  readonly stream?: boolean;
  readonly metadata?: { readonly user_id?: string | null } | null;
  /** A conversation that the server holds; a request that continues it has only new messages. */
  readonly thread?: { readonly type: string; readonly previous_message_id?: string } | null;
}

/** A message of a request. */
export interface ApiMessage {
  readonly role: string;
  readonly content: string | readonly ApiBlock[];
}

/** A block of a message or of the system prompt. */
export interface ApiBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Reply {
  readonly id: string;
  readonly content: readonly ApiBlock[];
  readonly stop_reason: string | null;
  readonly usage?: Usage;
}

export type Usage = Readonly<Record<string, unknown>>;

/** A request to the API, as `sessionId` gets it. */
export interface AnthropicRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: MessagesBody;
}

/** What the client's middleware gets. */
export interface AnthropicHttpRequest {
  url: string;
  headers: Headers;
  body?: unknown;
}

/** The body of a request for a message, or for the count of its tokens; `undefined` for all others. */
export function readMessagesBody({ url, body }: AnthropicHttpRequest): MessagesBody | undefined {
  if (typeof body !== "string" || !/\/v1\/messages(?:\/count_tokens)?(?:$|\?)/.test(url)) {
    return undefined;
  }
  const value = parseJson(body) as Partial<MessagesBody> | null | undefined;
  return Array.isArray(value?.messages) ? (value as MessagesBody) : undefined;
}

export function isToolUse(block: ApiBlock): boolean {
  return block.type === "tool_use";
}

/** Adds up what several replies used. */
export function addUsage(usage: Usage, earlier: Usage): Usage {
  const sums = Object.entries(usage).map(([key, value]) => {
    const before = earlier[key];
    return [
      key,
      typeof value === "number" && typeof before === "number" ? value + before : value,
    ] as const;
  });
  return Object.fromEntries(sums);
}
