/** @module opencode */
import { readFile } from "node:fs/promises";
import { requireObject, requireStrings } from "../../core/arguments.js";
import type { ToolInputSchema } from "../../core/engine/format.js";
import { byTool } from "../../core/policies/by-result.js";
import { all } from "../../core/policies/combine.js";
import { freshAndStale } from "../../core/policies/fresh-and-stale.js";
import { opencodeFormat } from "../../formats/opencode.js";
import {
  answerText,
  connectSessions,
  type DropIn,
  type MultiSessionOptions,
  type OffloadSession,
} from "../shared/sessions.js";

export type { MultiSessionOptions };

/** What a tool of OpenCode returned, or, from an MCP server, its raw blocks. OpenCode reads it again after the hook. */
export interface OpenCodeToolOutput {
  output?: string;
  metadata?: unknown;
  content?: unknown[];
  isError?: boolean;
}

/** The text of a result, and how to put another in its place. */
interface OutputText {
  readonly text: string;
  put(text: string): void;
}

/** `undefined` for a result without text. */
async function findOutputText(result: OpenCodeToolOutput): Promise<OutputText | undefined> {
  const { output, metadata, content } = result;
  if (Array.isArray(content)) return findBlockText(result, content);
  if (typeof output !== "string") return undefined;
  return {
    text: (await readWhole(metadata)) ?? output,
    put: (text) => {
      result.output = text;
    },
  };
}

/** The blocks with text are one, as they are in what OpenCode makes of them; images and files are kept. */
function findBlockText(
  result: OpenCodeToolOutput,
  content: readonly unknown[],
): OutputText | undefined {
  const texts = content.map(textOf);
  const joined = texts.filter((text) => text !== undefined).join("\n\n");
  if (joined === "") return undefined;
  return {
    text: joined,
    put: (text) => {
      result.content = [{ type: "text", text }, ...content.filter((_, at) => !texts[at])];
    },
  };
}

function textOf(block: unknown): string | undefined {
  const { type, text, resource } = block as {
    readonly type?: unknown;
    readonly text?: unknown;
    readonly resource?: { readonly text?: unknown };
  };
  const found = type === "resource" ? resource?.text : type === "text" ? text : undefined;
  return typeof found === "string" ? found : undefined;
}

/** What OpenCode cut off is in a file of its own. */
async function readWhole(metadata: unknown): Promise<string | undefined> {
  const { truncated, outputPath } = (metadata ?? {}) as {
    readonly truncated?: unknown;
    readonly outputPath?: unknown;
  };
  if (truncated !== true || typeof outputPath !== "string") return undefined;
  return readFile(outputPath, "utf8").catch(() => undefined);
}

/** What a plugin may be given in `opencode.json`, or by your own plugin that calls this one. */
export interface OpenCodeOptions extends MultiSessionOptions<OpenCodeSession> {
  /**
   * Tools whose results are kept. Default `["read", "skill"]`: files can be read again in parts and are
   * needed whole to edit them, and instructions are to be followed.
   */
  readonly excludeTools?: readonly string[] | undefined;
}

const PLUGIN: DropIn<OpenCodeOptions> = { adds: { excludeTools: true }, lacks: {} };

/** A session of OpenCode. */
export interface OpenCodeSession {
  readonly sessionID: string;
}

/** A call of a tool. */
export interface OpenCodeToolCall extends OpenCodeSession {
  readonly tool: string;
  readonly callID: string;
}

/** A message of a request, as OpenCode saves it. */
export interface OpenCodeMessage {
  readonly info: OpenCodeSession;
}

/** A reading tool as OpenCode runs it. */
export interface OpenCodeReadingTool {
  description: string;
  // OpenCode takes JSON schemas here, too, but its type allows those of one library only.
  args: Record<string, never>;
  execute(
    input: unknown,
    context: { readonly sessionID: string; readonly abort: AbortSignal },
  ): Promise<string>;
}

/** The hooks of the plugin. */
export interface OpenCodeHooks {
  tool: Record<string, OpenCodeReadingTool>;
  event(input: {
    readonly event: { readonly type: string; readonly properties: unknown };
  }): Promise<void>;
  "tool.definition"(
    input: { readonly toolID: string },
    output: { description: string; parameters: unknown; jsonSchema?: unknown },
  ): Promise<void>;
  "tool.execute.before"(call: OpenCodeToolCall, output: { readonly args: unknown }): Promise<void>;
  "tool.execute.after"(
    call: OpenCodeToolCall & { readonly args: unknown },
    output: OpenCodeToolOutput,
  ): Promise<void>;
  "experimental.chat.messages.transform"(
    input: object,
    output: { readonly messages: OpenCodeMessage[] },
  ): Promise<void>;
  "experimental.chat.system.transform"(
    input: { readonly sessionID?: string },
    output: { readonly system: string[] },
  ): Promise<void>;
}

/**
 * A plugin that replaces large results of tools by references, and adds the tools to read them. The
 * workspace is the folder `.offload` of the project.
 *
 * @example
 * // opencode.json
 * { "plugin": ["./node_modules/context-offload/dist/integrations/opencode/index.js"] }
 */
export function offloadPlugin(
  input: { readonly directory: string },
  options: OpenCodeOptions = {},
): Promise<OpenCodeHooks> {
  requireObject("input", input, "what OpenCode passes to a plugin");
  requireObject("options", options, "an object, or omitted");
  const { excludeTools = ["read", "skill"], policy = freshAndStale() } = options;
  requireStrings("excludeTools", excludeTools);
  const kept = { ...options, policy: all(byTool({ never: excludeTools }), policy) };
  const sessions = connectSessions(kept, PLUGIN, input);
  const parents = new Map<string, string>();
  const sessionOf = (sessionID: string): OffloadSession => {
    const parent = parents.get(sessionID);
    return parent === undefined
      ? sessions.of({ sessionID }, sessionID)
      : sessions.named(sessionID, sessionOf(parent).sessionId);
  };
  const { common } = sessions;
  const schemas = new Map(common.tools.map(({ name, inputSchema }) => [name, inputSchema]));

  return Promise.resolve<OpenCodeHooks>({
    tool: Object.fromEntries(
      common.tools.map(({ name, description, inputSchema }) => [
        name,
        {
          description,
          args: inputSchema.properties as Record<string, never>,
          execute: async (input, { sessionID, abort }) =>
            answerText(await sessionOf(sessionID).run(name, input, abort)),
        },
      ]),
    ),

    event({ event }) {
      const { id, parentID } = sessionInfo(event.properties);
      if (event.type === "session.created" && id !== undefined && parentID !== undefined) {
        parents.set(id, parentID);
      }
      return Promise.resolve();
    },

    "tool.definition"({ toolID }, output) {
      const schema: ToolInputSchema | undefined = schemas.get(toolID);
      // OpenCode would require every argument.
      if (schema) output.jsonSchema = schema;
      else output.description = common.describe(toolID, output.description);
      return Promise.resolve();
    },

    async "tool.execute.before"({ tool, sessionID }, { args }) {
      if (typeof args !== "object" || args === null) return;
      Object.assign(args, await sessionOf(sessionID).resolve(tool, args));
    },

    async "tool.execute.after"({ tool, sessionID, callID, args }, output) {
      if (common.isReadingTool(tool) || excludeTools.includes(tool)) return;
      const found = await findOutputText(output);
      if (!found) return;
      const arrived = {
        ...{ toolCallId: callID, toolName: tool, input: args },
        isError: output.isError === true,
      };
      const text = await sessionOf(sessionID).result(found.text, arrived);
      if (text !== found.text) found.put(text);
    },

    // The array is that of the request alone; OpenCode reads it again from its store for the next one.
    async "experimental.chat.messages.transform"(_, { messages }) {
      const [first] = messages;
      if (!first) return;
      const sent = await sessionOf(first.info.sessionID).history(messages, opencodeFormat);
      messages.splice(0, messages.length, ...sent);
    },

    "experimental.chat.system.transform"({ sessionID }, { system }) {
      const text = sessionID === undefined ? "" : common.systemPrompt();
      if (text !== "") system.push(text);
      return Promise.resolve();
    },
  });
}

function sessionInfo(properties: unknown): { readonly id?: string; readonly parentID?: string } {
  return (properties as { readonly info?: object } | undefined)?.info ?? {};
}

// OpenCode calls everything that a plugin's file exports, so that this one exports the plugin alone.
export default offloadPlugin;
