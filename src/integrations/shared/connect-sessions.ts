import { createHash, randomUUID } from "node:crypto";
import { requireChoice, requireObject, refuseMisspelled } from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";
import type { Content } from "../../core/engine/content.js";
import type { Format, ToolDescription } from "../../core/engine/format.js";
import { InvalidArgumentError } from "../../core/errors/argument-errors.js";
import { messageOf } from "../../core/errors/describe-value.js";
import { keepLast } from "../../core/lib/keep-last.js";
import { once } from "../../core/lib/once.js";
import type { ArrivedResult, Offloader } from "../../core/offloader/offloader-types.js";
import { coreOf } from "../../core/workspace/workspace-core.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";
import { createOffloader } from "../../presets/create-offloader.js";
import { createWorkspace } from "../../presets/create-workspace.js";
import { INTEGRATION_OPTIONS, type IntegrationOptions } from "./integration-options.js";
import { explainReferences, resolveReferences } from "./reference-arguments.js";

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
