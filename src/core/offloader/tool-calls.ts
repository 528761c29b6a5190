import type { Format } from "../engine/format.js";
import { InvalidArgumentError } from "../errors/invalid-argument-error.js";
import { UnknownFormatError } from "../errors/unknown-format-error.js";
import type { Workspace } from "../workspace/workspace-types.js";
import type { Offloader } from "./offloader-types.js";

interface ToolCallSettings {
  readonly sessionId: string;
  readonly format?: string | Format | undefined;
  readonly dialects: readonly Format[];
}

/** The reading tools in a dialect's shape, and the answers to their calls. */
export function createToolCalls(
  workspace: Workspace,
  { sessionId, format, dialects }: ToolCallSettings,
  currentFormat: () => Format | undefined,
): Pick<Offloader, "tools" | "handles" | "handleToolCall"> {
  const tools = workspace.tools({ sessionId });
  const own = typeof format === "object" ? format : undefined;

  /** Formats differ in how a call looks; the one of the conversation is asked first. */
  const readCall = (call: unknown) => {
    const current = own ?? currentFormat();
    for (const dialect of current ? [current, ...dialects] : dialects) {
      const read = dialect.readCall(call);
      if (read) return { dialect, read, tool: tools.find(({ name }) => name === read.name) };
    }
    return undefined;
  };

  return {
    tools(wanted) {
      const name = wanted ?? (typeof format === "string" && format !== "auto" ? format : undefined);
      const named = [...(own ? [own] : []), ...dialects].find((dialect) => dialect.name === name);
      const dialect = named ?? (name === undefined ? (own ?? currentFormat()) : undefined);
      if (dialect) return dialect.describeTools(tools);
      const names = dialects.map((known) => known.name).join(", ");
      throw new UnknownFormatError(`Say the format of the tools, one of: ${names}.`, []);
    },

    handles: (call) => readCall(call)?.tool !== undefined,

    async handleToolCall(call, { signal } = {}) {
      const found = readCall(call);
      if (!found) {
        throw new InvalidArgumentError("call", call, "a tool call in the shape of a known format");
      }
      const { dialect, read, tool } = found;
      if (!tool) {
        const expected = `a call of one of ${tools.map(({ name }) => name).join(", ")}`;
        throw new InvalidArgumentError("call", read.name, expected);
      }
      return dialect.answerCall(call, await tool.execute(read.input, signal ? { signal } : {}));
    },
  };
}
