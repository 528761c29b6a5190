import { createHash, randomUUID } from "node:crypto";
import {
  type OptionNames,
  requireChoice,
  requireObject,
  refuseMisspelled,
} from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import type { MediaRule, Content, Format, ToolDescription } from "../../core/engine/format.js";
import type { PolicyLike } from "../../core/engine/policy.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { messageOf } from "../../core/errors/context-offload-error.js";
import { once } from "../../core/lib/concurrency.js";
import { isPlainJson } from "../../core/lib/json/plain-json.js";
import { keepLast } from "../../core/lib/keep-last.js";
import type { CountTokens } from "../../core/lib/tokens/estimate-tokens.js";
import type { Offloader, ArrivedResult } from "../../core/offloader/offloader-types.js";
import type { Scope } from "../../core/workspace/reading/reading.js";
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
  readonly sessionId?: string | undefined;
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
  /** With `"keep"`, the agent goes on with the whole result if it cannot be stored, and an event says why. Default `"keep"`. */
  readonly onError?: "throw" | "keep" | undefined;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
  /**
   * Tools whose arguments may be references: `offload:<artifact_id>`, or `offload:<artifact_id>#lines=10-40`,
   * is replaced by the stored text before the tool runs. Default: none.
   */
  readonly acceptReferences?: readonly string[] | undefined;
}

export const INTEGRATION_OPTIONS: OptionNames<IntegrationOptions> = {
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
  countTokens: true,
  acceptReferences: true,
};

/** For frameworks that let one choose what they save. */
export interface KeepOption {
  /** What the framework saves: the reference, or the original, of which the model gets the reference. Default `"reference"`. */
  readonly keep?: "reference" | "original" | undefined;
}

/** Two tools of one name could not be told apart in a request. */
export function refuseTakenNames(
  reading: readonly { readonly name: string }[],
  tools: readonly { readonly name?: string | undefined }[],
): void {
  const taken = reading.find(({ name }) => tools.some((tool) => tool.name === name));
  if (!taken) return;
  const expected = `without ${taken.name}; rename it with the workspace's toolNames`;
  throw new InvalidArgumentError("tools", taken.name, expected);
}

/** A whole string: a reference inside a longer text is text. The id is percent-encoded. */
const REFERENCE = /^offload:([^#]+)(?:#lines=(\d+)(?:-(\d+))?)?$/;

/** What a model is told of the tools that take references. */
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

/** An id that is not well encoded is taken as it stands, since the error for it then lists the ids that exist. */
function decodeId(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** What a function returned, or its reference. Values that are neither text nor JSON are kept. */
export async function offloadValue(
  session: OffloadSession,
  value: unknown,
  arrived: ArrivedResult,
): Promise<unknown> {
  if (typeof value === "string") return session.result(value, arrived);
  if (typeof value !== "object" || value === null || !isPlainJson(value)) return value;
  return session.result(value as Readonly<Record<string, unknown>>, arrived);
}

/** References in arguments that are JSON in a string, which is kept as it is if there are none. */
export async function resolveJson(
  session: OffloadSession,
  toolName: string,
  input: string,
  signal?: AbortSignal,
): Promise<string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(input);
  } catch {
    return input;
  }
  const resolved = await session.resolve(toolName, parsed, signal);
  return resolved === parsed ? input : JSON.stringify(resolved);
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

/** One conversation of a framework, and what was offloaded from it. */
export interface OffloadSession {
  readonly sessionId: string;
  readonly workspace: Workspace;
  /** The reading tools, limited to this session. */
  readonly tools: readonly ToolDescription[];
  /** A text for the system prompt. */
  systemPrompt(): string;
  /** The history in which large results are references. Call it with the whole history of each request. */
  history<M>(messages: readonly M[], format?: Format): Promise<readonly M[]>;
  /** The same for one message that has just arrived, whatever came before it. */
  message<M>(message: M, format: Format): Promise<M>;
  /** The same for a few messages that belong together, such as a call and its result. */
  exchange<M>(messages: readonly M[], format: Format): Promise<readonly M[]>;
  /** What to put into the conversation for a result that has just arrived. */
  result<C extends Content>(content: C, arrived?: ArrivedResult): Promise<C | string>;
  /** The arguments with the stored text in place of references, for a tool that the host allowed it. */
  resolve<I>(toolName: string, input: I, signal?: AbortSignal): Promise<I>;
  /** The description of a tool, with a sentence about references if it takes them. */
  describe(toolName: string, description: string): string;
}

/** Finds the session of a conversation, by the framework's id of it and that of its parent. */
export type Sessions = (id?: string, parentId?: string) => OffloadSession;

/** More conversations than a process has at one time; a forgotten one is read anew. */
const MAX_SESSIONS = 1_000;

/** The sessions of one factory call. Where neither host nor framework names one, they share a random one. */
export function connectSessions(options: IntegrationOptions = {}): Sessions {
  requireObject("options", options, "an object, or omitted");
  refuseMisspelled(options, INTEGRATION_OPTIONS);
  requireChoice("onError", options.onError, ["throw", "keep"]);
  const { offloader } = options;
  if (offloader !== undefined && (options.workspace ?? options.root) !== undefined) {
    throw new InvalidArgumentError("offloader", offloader, "given without root and workspace");
  }
  const workspace = once(
    () =>
      offloader?.workspace ??
      options.workspace ??
      createWorkspace({ root: options.root ?? DEFAULTS.root }),
  );
  if (options.workspace !== undefined) coreOf(options.workspace);
  const ownId = once(() => `session-${randomUUID()}`);
  const sessions = new Map<string, OffloadSession>();

  return (id, parentId) => {
    // A child is named by the framework; the host's own name is that of its parent.
    const named = parentId === undefined ? options.sessionId : undefined;
    const sessionId = offloader?.sessionId ?? named ?? nonEmpty(id) ?? ownId();
    const parent = parentId ?? options.parentSessionId;
    const key = JSON.stringify([sessionId, parent]);
    const session =
      sessions.get(key) ?? openSession({ ...options, workspace: workspace() }, sessionId, parent);
    return keepLast(sessions, key, session, MAX_SESSIONS);
  };
}

/** The name of a session for a conversation that begins with these messages. */
export function sessionOf(firstMessages: unknown): string {
  const hash = createHash("sha256").update(JSON.stringify([firstMessages]));
  return `conversation-${hash.digest("hex").slice(0, 32)}`;
}

function openSession(
  options: IntegrationOptions & { readonly workspace: Workspace },
  sessionId: string,
  parentSessionId: string | undefined,
): OffloadSession {
  const { workspace, offloader: given, onError = "keep", acceptReferences = [] } = options;
  const { agentId, taskId, policy, media, countTokens } = options;
  const core = coreOf(workspace);
  const settings = { agentId, taskId, policy, media, countTokens, parentSessionId };
  const create = (format?: Format): Offloader =>
    given ?? createOffloader({ ...settings, workspace, sessionId, onError, format });
  const histories = new Map<Format | undefined, Offloader>();

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

  return {
    sessionId,
    workspace,
    tools: workspace.tools({ sessionId }),
    systemPrompt: () =>
      [workspace.systemPrompt(), explainReferences(acceptReferences)].filter(Boolean).join(" "),
    history: (messages, format) =>
      keepOnError(messages, async () => {
        const offloader = histories.get(format) ?? create(format);
        histories.set(format, offloader);
        return (await offloader.offload(messages)).messages;
      }),
    message: (message, format) =>
      keepOnError(message, async () => {
        // An offloader of its own: calls that run at once have no history in common.
        const { messages } = await create(format).offload([message]);
        return messages[0] ?? message;
      }),
    exchange: (messages, format) =>
      keepOnError(messages, async () => (await create(format).offload(messages)).messages),
    result: (content, arrived) =>
      keepOnError<typeof content | string>(
        content,
        async () => (await create().result(content, arrived)).content,
      ),
    resolve: async (toolName, input, signal) =>
      acceptReferences.includes(toolName)
        ? resolveReferences(input, workspace, { sessionId, signal })
        : input,
    describe: (toolName, description) =>
      acceptReferences.includes(toolName)
        ? `${description} ${explainReferences([toolName])}`.trim()
        : description,
  };
}

function nonEmpty(id: string | undefined): string | undefined {
  return id === "" ? undefined : id;
}
