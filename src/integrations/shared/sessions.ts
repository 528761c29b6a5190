import { randomUUID } from "node:crypto";
import { resolve as resolvePath } from "node:path";
import {
  guardHost,
  requireArray,
  requireChoice,
  requireObject,
  requireStrings,
} from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import type {
  MediaRule,
  Content,
  Format,
  ToolAnswer,
  ToolDescription,
} from "../../core/engine/format.js";
import type { PolicyLike } from "../../core/engine/policy.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { describeValue, messageOf } from "../../core/errors/context-offload-error.js";
import { isPlainJson, parseJson } from "../../core/lib/json/plain-json.js";
import { setLru } from "../../core/lib/set-lru.js";
import { distance, nearestNames } from "../../core/lib/text/nearest-names.js";
import type { CountTokens } from "../../core/lib/tokens/estimate-tokens.js";
import type { Offloader, ArrivedResult } from "../../core/offloader/offloader-types.js";
import type { ResultReport } from "../../core/offloader/report.js";
import { toolsOfSession } from "../../core/offloader/tool-calls.js";
import {
  READING_TOOL_CHOICES,
  type Scope,
  type ToolNaming,
} from "../../core/workspace/reading/reading.js";
import { eventOf, type ProviderUsage } from "../../core/workspace/ledger/ledger.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";
import { createOffloader } from "../../presets/create-offloader.js";
import { createWorkspace } from "../../presets/create-workspace.js";

/** What every drop-in takes. All of it is optional. */
export interface IntegrationOptions {
  /** The folder of a workspace with default options; created if it is missing. Default `".offload"`. */
  readonly root?: string | undefined;
  /** Your own workspace from `createWorkspace`, instead of `root`. */
  readonly workspace?: Workspace | undefined;
  /** Your own offloader, instead of everything else here: its workspace, session and policy are used. */
  readonly offloader?: Offloader | undefined;
  /** The session that the results belong to. Default: the framework's own, or a random one for each call of the factory. */
  readonly sessionId?: string;
  /** Gives this session access to what is offloaded here, too. */
  readonly parentSessionId?: string | undefined;
  /** Stored as metadata `agent_id`. */
  readonly agentId?: string | undefined;
  /** Stored as metadata `task_id`. */
  readonly taskId?: string | undefined;
  /** Which results to offload. Default: as in `createOffloader`. */
  readonly policy?: PolicyLike | undefined;
  /** `"keep"` keeps images, audio and documents in the message when text is offloaded. Default `"keep"`. */
  readonly media?: MediaRule | undefined;
  /** With `"keep"`, the agent continues with the whole result if it cannot be stored, and an event says why. Default `"keep"`. */
  readonly onError?: "throw" | "keep" | undefined;
  /** Which reading tools the model is told of: `"one"` is `read_stored`. Default: as in `createOffloader`. */
  readonly readingTools?: "one" | "five" | undefined;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
  /**
   * Tools whose arguments may be references: `offload:<artifact_id>`, or `offload:<artifact_id>#lines=10-40`,
   * is replaced by the stored text before the tool runs. Default: none.
   */
  readonly acceptReferences?: readonly string[] | undefined;
}

/** The same for a drop-in that may serve many conversations at once, which the framework's context tells apart. */
export interface MultiSessionOptions<Context> extends Omit<IntegrationOptions, "sessionId"> {
  /** The session that the results belong to, or how to find it. Default: the framework's own, or a random one for each call of the factory. */
  readonly sessionId?: string | ((context: Context) => string);
}

/** For frameworks that let you choose what they save. */
export interface KeepOption {
  /** What the framework saves: the reference, or the original, of which the model gets the reference. Default `"reference"`. */
  readonly keep?: "reference" | "original" | undefined;
}

type AnyOptions<Context> = MultiSessionOptions<Context> &
  KeepOption & { readonly excludeTools?: readonly string[] | undefined };

/** How the options of a drop-in differ from those of all; the type makes sure that none is forgotten. */
export interface DropIn<Options> {
  readonly adds: { readonly [Name in Exclude<keyof Options, keyof IntegrationOptions>]: true };
  /** The options that it does not have, and why: `docs/integrations/README.md` repeats it, as a test checks. */
  readonly lacks: { readonly [Name in Exclude<keyof IntegrationOptions, keyof Options>]: string };
}

interface OptionDifference {
  readonly adds: Readonly<Record<string, true>>;
  readonly lacks: Readonly<Record<string, string>>;
}

/** A drop-in that has the options of all. */
const ALL_OPTIONS: DropIn<IntegrationOptions> = { adds: {}, lacks: {} };

const OPTIONS: { readonly [Name in keyof IntegrationOptions]-?: true } = {
  root: true,
  workspace: true,
  offloader: true,
  sessionId: true,
  parentSessionId: true,
  agentId: true,
  taskId: true,
  policy: true,
  media: true,
  onError: true,
  readingTools: true,
  countTokens: true,
  acceptReferences: true,
};

/** The options are the drop-in's alone, so that one which it does not know is a mistake. */
function requireKnownOptions<Context>(
  options: AnyOptions<Context>,
  { adds, lacks }: OptionDifference,
): void {
  requireObject("options", options, "an object, or omitted");
  const names = Object.keys({ ...OPTIONS, ...adds }).filter((name) => !Object.hasOwn(lacks, name));
  for (const [name, value] of Object.entries(options)) {
    if (names.includes(name)) continue;
    const reason = Object.hasOwn(lacks, name) ? lacks[name] : undefined;
    const message =
      reason === undefined
        ? `Unknown option \`${name}\`. ${suggest(name, names)}`
        : `The option \`${name}\` does not exist here: ${reason}. Omit it.`;
    throw new InvalidArgumentError(name, value, "omitted", message);
  }
  requireChoice("onError", options.onError, ["throw", "keep"]);
  requireChoice("readingTools", options.readingTools, READING_TOOL_CHOICES);
  requireChoice("keep", options.keep, ["reference", "original"]);
  requireStrings("acceptReferences", options.acceptReferences ?? []);
  requireStrings("excludeTools", options.excludeTools ?? []);
  if (options.workspace !== undefined) coreOf(options.workspace);
  const { offloader, sessionId } = options;
  if (offloader !== undefined && (options.workspace ?? options.root) !== undefined) {
    throw new InvalidArgumentError("offloader", offloader, "given without root and workspace");
  }
  if (Object.hasOwn(options, "sessionId") && typeof sessionId !== "function") {
    requireSessionId(sessionId);
  }
}

function suggest(name: string, names: readonly string[]): string {
  const [nearest = ""] = nearestNames(name, names, 1);
  const isNear =
    distance(name.toLowerCase(), nearest.toLowerCase()) <= Math.max(1, name.length / 3);
  return isNear ? `Did you mean \`${nearest}\`?` : `The options are ${names.join(", ")}.`;
}

/** An id that is missing by mistake would put the results of many users into one session. */
function requireSessionId(value: unknown, message?: string): string {
  if (typeof value === "string" && value !== "") return value;
  const expected = "a non-empty string that names the session (omit the option for the default)";
  const passed = `sessionId must be ${expected}, but it is ${describeValue(value)}.`;
  throw new InvalidArgumentError("sessionId", value, expected, message ?? passed);
}

function callSessionId<Context>(sessionId: (context: Context) => string, context: Context): string {
  const answer: unknown = guardHost("sessionId", sessionId)(context);
  const returned =
    answer instanceof Promise
      ? "a Promise"
      : answer === ""
        ? "an empty one"
        : describeValue(answer);
  return requireSessionId(
    answer,
    `sessionId must return a non-empty string synchronously; it returned ${returned}.`,
  );
}

/** The tools of a framework that has them in an array. */
export function requireToolList(argument: string, tools: unknown): void {
  const list = requireArray(argument, tools, "an array of tools, such as [fetchLog]");
  for (const [at, tool] of list.entries()) requireObject(`${argument}[${at}]`, tool, "a tool");
}

/** The tools or functions of a framework that has them in an object, by name. */
export function requireToolMap(argument: string, tools: object, type: "object" | "function"): void {
  requireObject(argument, tools, `an object with ${argument} by name, such as { fetchLog }`);
  for (const [name, tool] of Object.entries(tools)) {
    if (typeof tool === type && tool !== null) continue;
    const expected = type === "function" ? "a function" : "a tool";
    throw new InvalidArgumentError(`${argument}.${name}`, tool, expected);
  }
}

/** What the framework made, of which these methods are needed. */
export function requireMethods(argument: string, value: unknown, methods: readonly string[]): void {
  const found = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (methods.every((method) => typeof found[method] === "function")) return;
  throw new InvalidArgumentError(argument, value, `an object with ${methods.join(" and ")}`);
}

/** The conversations that a drop-in serves. */
export interface Sessions<Context> {
  /** The session of a call: as the host names it, else by the framework's id, else the one of this factory call. */
  of(context: Context, id?: string): OffloadSession;
  /** A session by its name: that of a subagent, to which its parent has access, or one that was found before. */
  named(sessionId: string, parentId?: string): OffloadSession;
  /** The session of this factory call. What it says of the reading tools is the same in all sessions. */
  readonly common: OffloadSession;
}

/** How a workspace is made where the host passes none. */
interface OwnWorkspace {
  /** What a relative `root` is relative to. Default: the working directory. */
  readonly directory?: string;
  readonly toolNames?: ToolNaming;
}

/** More conversations than a process has at one time; one that is forgotten is opened again. */
const MAX_SESSIONS = 1_000;

/** The sessions of one factory call. Where neither host nor framework names one, they share a random one. */
export function connectSessions<Context>(
  options: MultiSessionOptions<Context> = {},
  dropIn: OptionDifference = ALL_OPTIONS,
  { directory, toolNames }: OwnWorkspace = {},
): Sessions<Context> {
  requireKnownOptions(options, dropIn);
  const { offloader, sessionId, ...others } = options;
  const { root = DEFAULTS.root } = options;
  const workspace =
    offloader?.workspace ??
    options.workspace ??
    createWorkspace({
      root: directory === undefined ? root : resolvePath(directory, root),
      toolNames,
    });
  const sessions = new Map<string, OffloadSession>();

  const named = (id: string, parentId = options.parentSessionId): OffloadSession => {
    const name = offloader?.sessionId ?? id;
    const key = JSON.stringify([name, parentId]);
    const settings = { ...others, offloader, workspace, parentSessionId: parentId };
    const session = sessions.get(key) ?? openSession(settings, name);
    return setLru(sessions, key, session, MAX_SESSIONS);
  };
  const common = named(typeof sessionId === "string" ? sessionId : `session-${randomUUID()}`);
  return {
    common,
    named,
    of(context, id) {
      if (typeof sessionId === "function") return named(callSessionId(sessionId, context));
      return sessionId === undefined && id !== undefined && id !== "" ? named(id) : common;
    },
  };
}

/** The session of a drop-in that serves one conversation for each call of its factory. */
export function connectSession(
  options: IntegrationOptions,
  dropIn: OptionDifference = ALL_OPTIONS,
  id?: string,
): OffloadSession {
  return connectFixedSessions(options, dropIn).of(undefined, id);
}

/** The sessions of a drop-in that has no context to call a function with. */
export function connectFixedSessions(
  options: IntegrationOptions,
  dropIn: OptionDifference = ALL_OPTIONS,
): Sessions<undefined> {
  const sessions = connectSessions<undefined>(options, dropIn);
  const { sessionId }: { readonly sessionId?: unknown } = options;
  if (typeof sessionId !== "function") return sessions;
  const message =
    "`sessionId` must be a string here, not a function: one call serves one conversation.";
  throw new InvalidArgumentError("sessionId", sessionId, "a string", message);
}

/** One conversation of a framework, and what was offloaded from it. */
export interface OffloadSession {
  readonly sessionId: string;
  readonly workspace: Workspace;
  /** The reading tools that the model is told of, limited to this session. */
  readonly tools: readonly ToolDescription[];
  /** Whether a reading tool has this name. */
  isReadingTool(name: unknown): boolean;
  /** Runs the reading tool of this name. */
  run(name: string, input: unknown, signal?: AbortSignal | null): Promise<ToolAnswer>;
  /** Two tools of one name could not be told apart in a request. */
  rejectTakenNames(names: readonly (string | undefined)[]): void;
  /** The same, where these are all the tools: those that take references must be among them. */
  checkToolNames(names: readonly (string | undefined)[]): void;
  /** A text for the system prompt. */
  systemPrompt(): string;
  /**
   * What to send of a history: giants and stale results are references. Call it with the whole history
   * of each request, and save nothing of what it returns.
   */
  history<M>(messages: readonly M[], format?: Format): Promise<readonly M[]>;
  /**
   * The same for a call and its result that has just arrived, whatever came before: giants only. With
   * its call, a giant has the reference that it would have in a request.
   */
  exchange<M>(messages: readonly M[], format: Format): Promise<readonly M[]>;
  /** What `exchange` would do with each result; writes nothing. */
  previewExchange(messages: readonly unknown[], format: Format): Promise<readonly ResultReport[]>;
  /** Notes that the last request was made again, with these texts of the reading tools added to it. */
  readAgain(texts: readonly string[]): void;
  /** Notes of the large results in a request that they are kept since it offers no reading tool. */
  unreadable(messages: readonly unknown[]): void;
  /** Notes what the provider said that a request took; figures of any other form are left out. */
  used(usage: Readonly<Record<keyof ProviderUsage, unknown>>): void;
  /** What to put into the conversation for a result that has just arrived. */
  result<C extends Content>(content: C, arrived?: ArrivedResult): Promise<C | string>;
  /** The same for whatever a function returned. Values that are neither text nor JSON are kept. */
  value(value: unknown, arrived: ArrivedResult): Promise<unknown>;
  /** The arguments with the stored text in place of references, for a tool that the host allowed it. */
  resolve<I>(toolName: string, input: I, signal?: AbortSignal): Promise<I>;
  /** The same for arguments that are JSON in a string, which is kept as it is if there are no references. */
  resolveJson(toolName: string, input: string, signal?: AbortSignal): Promise<string>;
  /** The description of a tool, with a sentence about references if it takes them. */
  describe(toolName: string, description: string): string;
}

const NO_READING_TOOL = "the tool list of the request has none of our reading tools";
const LARGE_CHARS = DEFAULTS.giantTokens * DEFAULTS.charsPerToken;

function openSession(
  options: IntegrationOptions & { readonly workspace: Workspace },
  sessionId: string,
): OffloadSession {
  const { workspace, offloader: given, onError = "keep", acceptReferences = [] } = options;
  const { agentId, taskId, policy, media, countTokens, parentSessionId } = options;
  const core = coreOf(workspace);
  const { readingTools = DEFAULTS.readingTools } = given ?? options;
  const settings = {
    ...{ agentId, taskId, policy, media, countTokens, parentSessionId, readingTools },
  };
  const create = (format?: Format): Offloader =>
    given ?? createOffloader({ ...settings, workspace, sessionId, onError, format });
  const histories = new Map<Format | undefined, Offloader>();
  const { advertised, answered } = toolsOfSession(workspace, sessionId, readingTools);

  /** What cannot be read or stored must not stop the agent. */
  const keepOnError = async <T>(original: T, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (onError === "throw") throw error;
      core.note("failure", "offload", { session_id: sessionId, error: messageOf(error) });
      return original;
    }
  };

  /** Of so many messages it was noted already. */
  let unreadable = 0;

  const session: OffloadSession = {
    sessionId,
    workspace,
    tools: advertised,
    isReadingTool: (name) => answered.some((tool) => tool.name === name),
    async run(name, input, signal) {
      const tool = answered.find((candidate) => candidate.name === name);
      const unknown = { text: `there is no tool ${name}`, isError: true };
      return (await tool?.execute(input, signal ? { signal } : {})) ?? unknown;
    },
    rejectTakenNames(names) {
      const taken = answered.find(({ name }) => names.includes(name));
      if (!taken) return;
      const expected = `without ${taken.name}; rename it with the workspace's toolNames`;
      throw new InvalidArgumentError("tools", taken.name, expected);
    },
    checkToolNames(names) {
      session.rejectTakenNames(names);
      const missing = acceptReferences.find((name) => !names.includes(name));
      if (missing === undefined) return;
      const expected = `names of your tools: ${names.filter(Boolean).join(", ") || "there are none"}`;
      throw new InvalidArgumentError("acceptReferences", missing, expected);
    },
    systemPrompt: () =>
      [workspace.systemPrompt({ readingTools }), explainReferences(acceptReferences)]
        .filter(Boolean)
        .join(" "),
    history: (messages, format) =>
      keepOnError(messages, async () => {
        const offloader = histories.get(format) ?? create(format);
        histories.set(format, offloader);
        return (await offloader.offload(messages)).messages;
      }),
    // An offloader of its own: calls that run at once have no history in common.
    exchange: (messages, format) =>
      keepOnError(messages, async () => {
        return (await create(format).offload(messages, { isArrival: true })).messages;
      }),
    previewExchange: (messages, format) =>
      keepOnError<readonly ResultReport[]>(
        [],
        async () => (await create(format).estimate(messages)).results,
      ),
    readAgain(texts) {
      const tokens = texts.reduce((sum, text) => sum + core.countTokens(text), 0);
      const flow = core.ledger?.repeat(sessionId, tokens);
      if (flow) core.note("request", "offload", { session_id: sessionId, ...eventOf(flow) });
    },
    unreadable(messages) {
      for (const message of messages.slice(unreadable)) {
        const { length } = JSON.stringify(message);
        if (length >= LARGE_CHARS) core.ledger?.keptLarge(sessionId, NO_READING_TOOL);
      }
      unreadable = Math.max(unreadable, messages.length);
    },
    used(usage) {
      const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
      const known = Object.entries(usage).filter(([, tokens]) => isCount(tokens));
      if (known.length > 0) core.ledger?.usage(sessionId, Object.fromEntries(known));
    },
    result: (content, arrived) =>
      keepOnError<typeof content | string>(
        content,
        async () => (await create().result(content, arrived)).content,
      ),
    async value(value, arrived) {
      if (typeof value === "string") return session.result(value, arrived);
      if (typeof value !== "object" || value === null || !isPlainJson(value)) return value;
      return session.result(value as Readonly<Record<string, unknown>>, arrived);
    },
    resolve: async (toolName, input, signal) =>
      acceptReferences.includes(toolName)
        ? resolveReferences(input, workspace, { sessionId, signal })
        : input,
    async resolveJson(toolName, input, signal) {
      const parsed = parseJson(input);
      const resolved = await session.resolve(toolName, parsed, signal);
      return resolved === parsed ? input : JSON.stringify(resolved);
    },
    describe: (toolName, description) =>
      acceptReferences.includes(toolName)
        ? `${description} ${explainReferences([toolName])}`.trim()
        : description,
  };
  return session;
}

/** For frameworks in which an answer is a text: nothing else marks it as an error. */
export function answerText({ text, isError }: ToolAnswer): string {
  return isError ? `Error: ${text}` : text;
}

/** An error as an answer, since what is thrown may end the run, and the model can correct its call. */
export function failedAnswer(error: unknown): ToolAnswer {
  return { text: messageOf(error), isError: true };
}

/** A whole string: a reference inside a longer text is text. The id is percent-encoded. */
const REFERENCE = /^offload:([^#]+)(?:#lines=(\d+)(?:-(\d+))?)?$/;

/** What the model reads about the tools that take references. */
export function explainReferences(toolNames: readonly string[]): string {
  if (toolNames.length === 0) return "";
  return (
    `Instead of copying stored text into an argument of ${toolNames.join(", ")}, pass ` +
    "offload:<artifact_id> or offload:<artifact_id>#lines=10-40, with the id percent-encoded."
  );
}

/** The input with the stored text in place of each reference; the same object if there is none. */
export async function resolveReferences<I>(
  input: I,
  workspace: Workspace,
  scope: Scope,
): Promise<I> {
  return (await resolve(input, workspace, scope)) as I;
}

async function resolve(value: unknown, workspace: Workspace, scope: Scope): Promise<unknown> {
  if (typeof value === "string") {
    const match = REFERENCE.exec(value);
    return match ? readReferenced(match, workspace, scope) : value;
  }
  if (Array.isArray(value)) {
    const items = await Promise.all(value.map((item) => resolve(item, workspace, scope)));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const resolved = await Promise.all(
    entries.map(async ([key, item]) => [key, await resolve(item, workspace, scope)] as const),
  );
  const isSame = resolved.every(([, item], index) => item === entries[index]?.[1]);
  return isSame ? value : Object.fromEntries(resolved);
}

async function readReferenced(
  [, encodedId = "", first, last = first]: RegExpExecArray,
  workspace: Workspace,
  scope: Scope,
): Promise<string> {
  const id = decodeId(encodedId);
  if (first === undefined) {
    const original = await workspace.getOriginal(id, scope);
    if (typeof original === "string") return original;
  }
  const range = { ...scope, maxChars: Number.MAX_SAFE_INTEGER };
  const end = last === undefined ? Number.MAX_SAFE_INTEGER : Number(last);
  return (await workspace.getKnowledgeByLines(id, Number(first ?? 1), end, range)).text;
}

/** An id that is not well encoded is used as it is, since the error for it then lists the ids that exist. */
function decodeId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/**
 * The prompt of an AI SDK model with this text at the end of its system prompt. It is the same in every
 * request, so that caches stay warm.
 */
export function addSystemText<M>(prompt: readonly M[], text: string): M[] {
  if (text === "") return [...prompt];
  const [first, ...rest] = prompt as readonly (M & PromptMessage)[];
  const isSystem = first?.role === "system" && typeof first.content === "string";
  if (!isSystem) return [{ role: "system", content: text } as M, ...prompt];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}
