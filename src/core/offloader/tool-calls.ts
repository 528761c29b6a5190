import { requireOptions, requireString } from "../arguments.js";
import type { Format } from "../engine/format.js";
import { InvalidArgumentError, UnknownFormatError } from "../errors/argument-errors.js";
import { suggestNames } from "../lib/text/nearest-names.js";
import { quote } from "../lib/text/quote.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { Offloader } from "./offloader-types.js";

interface ToolCallWiring {
  readonly sessionId: string;
  /** The format that the host named; `undefined` to detect it. */
  readonly format: Format | undefined;
  readonly formats: readonly Format[];
}

/** The reading tools in a format's shape, and the answers to their calls. */
export function createToolCalls(
  workspace: Workspace,
  { sessionId, format: named, formats }: ToolCallWiring,
  currentFormat: () => Format | undefined,
): Pick<Offloader, "tools" | "handles" | "handleToolCall"> {
  const tools = workspace.tools({ sessionId });
  const names = formats.map(({ name }) => name);

  /** Formats differ in what a call looks like; the conversation's own format is tried first. */
  const readCall = (call: unknown) => {
    const current = named ?? currentFormat();
    for (const format of current ? [current, ...formats] : formats) {
      const read = format.readCall(call);
      if (read) return { format, read, tool: tools.find(({ name }) => name === read.name) };
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
    tools: (wanted?: string) => formatFor(wanted).describeTools(tools) as never,

    handles: (call) => readCall(call)?.tool !== undefined,

    async handleToolCall(call, options) {
      const { signal } = requireOptions(options);
      const found = readCall(call);
      if (!found) {
        throw new InvalidArgumentError("call", call, "a tool call in the shape of a known format");
      }
      const { format, read, tool } = found;
      if (!tool) {
        const expected = `a call of one of ${tools.map(({ name }) => name).join(", ")}`;
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
  countTokens: CountTokens,
): number {
  const tools = workspace
    .tools({ sessionId })
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  // With `readBy: "path"` there is neither.
  const added = [tools.length > 0 ? JSON.stringify(tools) : "", workspace.systemPrompt()];
  return added.reduce((sum, text) => sum + (text === "" ? 0 : countTokens(text)), 0);
}
