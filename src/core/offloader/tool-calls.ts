import { requireOptions, requireString } from "../arguments.js";
import type { Format, ToolDescription } from "../engine/format.js";
import { InvalidArgumentError, UnknownFormatError } from "../errors/argument-errors.js";
import { suggestNames } from "../lib/text/nearest-names.js";
import { quote } from "../lib/text/quote.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ReadingToolChoice } from "../workspace/reading/reading.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { Offloader } from "./offloader-types.js";

/** The reading tools of a session: those that its model is told of, and all whose calls are answered. */
interface SessionTools {
  readonly advertised: readonly ToolDescription[];
  readonly answered: readonly ToolDescription[];
}

export function toolsOfSession(
  workspace: Workspace,
  sessionId: string,
  readingTools: ReadingToolChoice,
): SessionTools {
  return {
    advertised: workspace.tools({ sessionId, readingTools }),
    answered: workspace.tools({ sessionId, readingTools: "all" }),
  };
}

/** A workspace whose references name the tools that the model is told of. */
export function withReadingTools(
  core: WorkspaceCore,
  readingTools: ReadingToolChoice,
): WorkspaceCore {
  const { drafting } = core;
  return { ...core, drafting: { ...drafting, notice: { ...drafting.notice, readingTools } } };
}

interface ToolCallWiring {
  readonly sessionId: string;
  readonly readingTools: ReadingToolChoice;
  /** The format that the host named; `undefined` to detect it. */
  readonly format: Format | undefined;
  readonly formats: readonly Format[];
}

/** The reading tools in a format's shape, and the answers to their calls. */
export function createToolCalls(
  workspace: Workspace,
  { sessionId, readingTools, format: named, formats }: ToolCallWiring,
  currentFormat: () => Format | undefined,
): Pick<Offloader, "tools" | "handles" | "handleToolCall"> {
  const { advertised, answered } = toolsOfSession(workspace, sessionId, readingTools);
  const names = formats.map(({ name }) => name);

  /** Formats differ in what a call looks like; the conversation's own format is tried first. */
  const readCall = (call: unknown) => {
    const current = named ?? currentFormat();
    for (const format of current ? [current, ...formats] : formats) {
      const read = format.readCall(call);
      if (read) return { format, read, tool: answered.find(({ name }) => name === read.name) };
    }
    return undefined;
  };

  const formatFor = (wanted: string | undefined): Format => {
    const current = named ?? currentFormat();
    if (wanted === undefined) {
      if (current) return current;
      throw new UnknownFormatError(`Pass a format to tools(), one of: ${names.join(", ")}.`, []);
    }
    const found = [...(named ? [named] : []), ...formats].find(({ name }) => name === wanted);
    if (found) return found;
    const given = quote(requireString("format", wanted));
    const hint = suggestNames(wanted, names);
    throw new UnknownFormatError(`There is no format ${given}. ${hint}.`, []);
  };

  return {
    tools: (wanted?: string) => formatFor(wanted).describeTools(advertised) as never,

    handles: (call) => readCall(call)?.tool !== undefined,

    async handleToolCall(call, options) {
      const { signal } = requireOptions(options);
      const found = readCall(call);
      if (!found) {
        throw new InvalidArgumentError("call", call, "a tool call in the shape of a known format");
      }
      const { format, read, tool } = found;
      if (!tool) {
        const expected = `a call of one of ${answered.map(({ name }) => name).join(", ")}`;
        throw new InvalidArgumentError("call", read.name, expected);
      }
      const answer = await tool.execute(read.input, signal ? { signal } : {});
      // An aborted call has no answer that could go into a conversation.
      signal?.throwIfAborted();
      return format.answerCall(call, answer);
    },
  };
}

/** What the reading tools and the system prompt add to every request, in tokens. */
export function countAddedTokens(
  workspace: Workspace,
  sessionId: string,
  readingTools: ReadingToolChoice,
  countTokens: CountTokens,
): number {
  const tools = workspace
    .tools({ sessionId, readingTools })
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  // With `readBy: "path"` there is neither.
  const prompt = workspace.systemPrompt({ readingTools });
  const added = [tools.length > 0 ? JSON.stringify(tools) : "", prompt];
  return added.reduce((sum, text) => sum + (text === "" ? 0 : countTokens(text)), 0);
}
