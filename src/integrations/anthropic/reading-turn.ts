import { createHash } from "node:crypto";
import { DEFAULTS } from "../../core/defaults.js";
import { TooManyReadsError } from "../../core/errors/reading-errors.js";
import { parseJson } from "../../core/lib/json/plain-json.js";
import { setLru } from "../../core/lib/set-lru.js";
import { anthropicFormat } from "../../formats/anthropic.js";
import type { OffloadSession, Sessions } from "../shared/sessions.js";

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
export function parseMessagesBody({ url, body }: AnthropicHttpRequest): MessagesBody | undefined {
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

/** What the API saw where the host saw one reply. */
export interface HiddenRounds {
  readonly messages: readonly ApiMessage[];
  /** Answers to reading calls that came along with calls to the host, whose answers they must accompany. */
  readonly pending: readonly ApiBlock[];
}

/** A conversation that the server holds. */
export interface Thread {
  readonly sessionId: string;
  /** The reply that the server's history ends with; the host may know it by the id of an earlier one. */
  readonly lastId: string;
  readonly pending: readonly ApiBlock[];
  /** The host has the reading tools, and answers their calls. */
  readonly hostReads: boolean;
}

/** More than are in use at one time. What is forgotten is missing from the model's history, which stays valid. */
const MAX_ENTRIES = 1_000;

/**
 * The rounds that the host does not know of. They are put back into later requests, so that the API gets
 * one growing history: the model remembers what it read, and the prompt cache keeps its prefix.
 */
export class ConversationMemory {
  readonly #rounds = new Map<string, HiddenRounds>();
  readonly #threads = new Map<string, Thread>();

  rememberRounds(
    sessionId: string,
    index: number,
    content: ApiMessage["content"],
    rounds: HiddenRounds,
  ): void {
    setLru(this.#rounds, keyOf(sessionId, index, content), rounds, MAX_ENTRIES);
  }

  rememberThread(visibleId: string, thread: Thread): void {
    setLru(this.#threads, visibleId, thread, MAX_ENTRIES);
  }

  thread(previousMessageId: string | undefined): Thread | undefined {
    return this.#threads.get(previousMessageId ?? "");
  }

  /** The host's messages with the hidden rounds in place; the same array if there are none. */
  expand(sessionId: string, messages: readonly ApiMessage[]): readonly ApiMessage[] {
    if (this.#rounds.size === 0) return messages;
    const found = messages.map((message, index) =>
      message.role === "assistant"
        ? this.#rounds.get(keyOf(sessionId, index, message.content))
        : undefined,
    );
    if (found.every((rounds) => rounds === undefined)) return messages;
    return messages.flatMap((message, index) => {
      const pending = found[index - 1]?.pending ?? [];
      return found[index]?.messages ?? [addAnswers(message, pending)];
    });
  }
}

/** Results must come first in a message. */
export function addAnswers(message: ApiMessage, answers: readonly ApiBlock[]): ApiMessage {
  if (answers.length === 0) return message;
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const others = blocks.findIndex(({ type }) => type !== "tool_result");
  const at = others < 0 ? blocks.length : others;
  return { ...message, content: [...blocks.slice(0, at), ...answers, ...blocks.slice(at)] };
}

/** By session and position, so that the same words said elsewhere are not taken for these. */
function keyOf(sessionId: string, index: number, content: ApiMessage["content"]): string {
  const parts =
    typeof content === "string"
      ? [content]
      : content.flatMap(({ type, text, id }) =>
          type === "text" ? [text] : id === undefined ? [] : [{ id }],
        );
  const hash = createHash("sha256").update(JSON.stringify([sessionId, index, ...parts]));
  return hash.digest("base64");
}

/** One request of the host, and the further ones that answer the model's reading calls. */
export class ReadingTurn {
  /** The request to send first. */
  readonly body: MessagesBody;
  readonly #host: MessagesBody;
  readonly #givenId: string | undefined;
  readonly #session: OffloadSession;
  readonly #hostReads: boolean;
  readonly #memory: ConversationMemory;
  readonly #rounds: ApiMessage[] = [];
  readonly #visible: ApiBlock[] = [];
  #sent: MessagesBody;
  #usage: Usage = {};
  #firstId: string | undefined;
  #reads = 0;
  #hidReadings = false;

  private constructor(
    host: MessagesBody,
    body: MessagesBody,
    about: {
      readonly session: OffloadSession;
      readonly givenId: string | undefined;
      readonly hostReads: boolean;
      readonly memory: ConversationMemory;
    },
  ) {
    this.#host = host;
    this.body = this.#sent = body;
    this.#session = about.session;
    this.#givenId = about.givenId;
    this.#hostReads = about.hostReads;
    this.#memory = about.memory;
  }

  /** `undefined` for a request to pass on as it is: the model could not read a reference in it. */
  static async begin(
    request: AnthropicRequest,
    sessions: Sessions<AnthropicRequest>,
    memory: ConversationMemory,
  ): Promise<ReadingTurn | undefined> {
    const { body: host } = request;
    if (host.thread?.type === "continue") {
      const thread = memory.thread(host.thread.previous_message_id);
      if (!thread) return undefined;
      const session = sessions.of(request, thread.sessionId);
      const body = await continueThread(host, thread, session);
      const { hostReads } = thread;
      const givenId = session.sessionId;
      return new ReadingTurn(host, body, { session, givenId, hostReads, memory });
    }
    if ((host.tools ?? []).length === 0) return undefined;
    const derivedId = deriveSession(host.messages);
    const session = sessions.of(request, derivedId);
    const givenId = session.sessionId === derivedId ? undefined : session.sessionId;
    const offered = new Set(host.tools?.map(({ name }) => name));
    const hostReads = session.tools.some(({ name }) => offered.has(name));
    const expanded = memory.expand(session.sessionId, host.messages);
    const messages = await session.history(expanded, anthropicFormat);
    const body = {
      ...host,
      ...(hostReads ? {} : withReading(host, session)),
      messages,
    };
    return new ReadingTurn(host, body, { session, givenId, hostReads, memory });
  }

  /** Whether the host's reply differs from the last one of the model. */
  get hidReadings(): boolean {
    return this.#hidReadings;
  }

  /** What the replies before the current one used. */
  get earlierUsage(): Usage {
    return this.#usage;
  }

  isReading(block: ApiBlock): boolean {
    return !this.#hostReads && isToolUse(block) && this.#session.isReadingTool(block["name"]);
  }

  /**
   * Takes a reply of the model. The next request, if reading calls were all that it asked for.
   *
   * @throws TooManyReadsError when it asks for them without end.
   */
  async take(reply: Reply): Promise<MessagesBody | undefined> {
    this.#firstId ??= reply.id;
    const { usage = {} } = reply;
    this.#session.used({
      inputTokens: usage["input_tokens"],
      cacheReadTokens: usage["cache_read_input_tokens"],
      cacheWriteTokens: usage["cache_creation_input_tokens"],
      outputTokens: usage["output_tokens"],
    });
    const calls = reply.content.filter((block) => this.isReading(block));
    const others = reply.content.filter((block) => !this.isReading(block));
    this.#visible.push(...others);
    // A call that was cut off cannot be answered.
    const isComplete = reply.stop_reason === "tool_use";
    if (calls.length > 0) this.#hidReadings = true;
    if (calls.length === 0 || !isComplete || others.some(isToolUse)) {
      const answered = isComplete ? calls : [];
      const content = answered.length > 0 ? reply.content : others;
      if (content.length > 0) this.#rounds.push({ role: "assistant", content });
      this.#remember(reply, await this.#answer(answered));
      return undefined;
    }
    this.#reads += 1;
    // It was told to answer, and was not heeded: it could go on like this for ever, and each reply is paid for.
    if (this.#reads > DEFAULTS.readReplies) throw new TooManyReadsError(this.#reads);
    const answers = await this.#answer(calls);
    this.#usage = { ...this.#usage, ...addUsage(reply.usage ?? {}, this.#usage) };
    const asked = { role: "assistant", content: reply.content };
    const answered = { role: "user", content: answers };
    this.#rounds.push(asked, answered);
    this.#noteReading(calls, answers);
    this.#sent = this.#next(reply, asked, answered);
    return this.#sent;
  }

  /** The reply that the host gets: all that was said to it. */
  visibleReply(last: Reply): Reply {
    const usage = last.usage ? { usage: addUsage(last.usage, this.#usage) } : {};
    return { ...last, id: this.#firstId ?? last.id, content: this.#visible, ...usage };
  }

  #next(reply: Reply, asked: ApiMessage, answered: ApiMessage): MessagesBody {
    const stop = this.#reads >= DEFAULTS.readReplies ? { tool_choice: { type: "none" } } : {};
    if (!this.#sent.thread) {
      return { ...this.#sent, ...stop, messages: [...this.#sent.messages, asked, answered] };
    }
    const thread = { type: "continue", previous_message_id: reply.id };
    // The server has these, and rejects a request that repeats them.
    return { ...without(this.#sent, ["tools", "system"]), ...stop, thread, messages: [answered] };
  }

  /** The next request carries what this one did, the calls and their answers. */
  #noteReading(calls: readonly ApiBlock[], answers: readonly ApiBlock[]): void {
    this.#session.readAgain([
      ...calls.map((call) => `${String(call["name"])} ${JSON.stringify(call["input"])}`),
      ...answers.map((answer) => String(answer["content"])),
    ]);
  }

  #answer(calls: readonly ApiBlock[]): Promise<ApiBlock[]> {
    return Promise.all(
      calls.map(async (call) => {
        const answer = await this.#session.run(String(call["name"]), call["input"]);
        return { ...anthropicFormat.answerCall(call, answer) };
      }),
    );
  }

  /** The reply's id is the first thing that two conversations with the same opening do not share. */
  #threadSession(): string {
    const { messages } = this.#host;
    return messages.some(hasCall) ? deriveSession(messages) : nameConversation(this.#firstId);
  }

  #remember(last: Reply, pending: readonly ApiBlock[]): void {
    if (this.#host.thread) {
      this.#memory.rememberThread(this.#firstId ?? last.id, {
        sessionId: this.#givenId ?? this.#threadSession(),
        lastId: last.id,
        pending,
        hostReads: this.#hostReads,
      });
    }
    if (!this.#hidReadings) return;
    const { messages } = this.#host;
    const reply = { role: "assistant", content: this.#visible };
    // As the next request will name it.
    const sessionId = this.#givenId ?? deriveSession([...messages, reply]);
    const rounds = { messages: this.#rounds, pending };
    this.#memory.rememberRounds(sessionId, messages.length, this.#visible, rounds);
  }
}

async function continueThread(
  host: MessagesBody,
  { lastId, pending }: Thread,
  session: OffloadSession,
): Promise<MessagesBody> {
  const [first, ...rest] = host.messages;
  const answered = first ? [addAnswers(first, pending), ...rest] : [];
  const messages = await session.exchange(answered, anthropicFormat);
  return { ...host, messages, thread: { type: "continue", previous_message_id: lastId } };
}

/** The reading tools and the notice, from the first request on: the cache has them in its prefix. */
function withReading(
  { tools = [], system = [] }: MessagesBody,
  session: OffloadSession,
): Partial<MessagesBody> {
  const notice = session.systemPrompt();
  return {
    tools: [...tools, ...anthropicFormat.describeTools(session.tools)],
    ...(notice === ""
      ? {}
      : {
          system:
            typeof system === "string"
              ? `${system}\n\n${notice}`
              : [...system, { type: "text", text: notice }],
        }),
  };
}

/**
 * Up to the first reply with a call, since the vendor's ids of calls differ between conversations that
 * begin with the same words. Nothing is stored before there is one.
 */
function deriveSession(messages: readonly ApiMessage[]): string {
  const at = messages.findIndex(hasCall);
  const first = messages.slice(0, at < 0 ? 1 : at + 1);
  // Hosts move their cache marks from message to message.
  const plain = JSON.stringify(first, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
  return nameConversation(plain);
}

function nameConversation(beginning: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([beginning]));
  return `conversation-${hash.digest("hex").slice(0, 32)}`;
}

function hasCall({ role, content }: ApiMessage): boolean {
  return role === "assistant" && typeof content !== "string" && content.some(isToolUse);
}

function without(body: MessagesBody, fields: readonly string[]): MessagesBody {
  const entries = Object.entries(body).filter(([key]) => !fields.includes(key));
  return Object.fromEntries(entries) as unknown as MessagesBody;
}
