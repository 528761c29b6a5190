import { messageOf } from "../../core/errors/context-offload-error.js";
import type { ToolInputSchema } from "../../core/engine/format.js";
import { mcpFormat } from "../../formats/mcp.js";
import {
  connectFixedSessions,
  failedAnswer,
  type IntegrationOptions,
  type OffloadSession,
  requireMethods,
  type DropIn,
} from "../shared/sessions.js";
import { findDoubt } from "./schema-proof.js";
import { offloaderOf, shortenAnswer, type McpToolResult } from "./shorten-answer.js";

interface CallParams {
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly outputSchema?: unknown;
}

/** The parts of a client that are replaced, in any version of the SDK. */
export interface AnyMcpClient {
  readonly transport?: { readonly sessionId?: string | undefined } | undefined;
  callTool(params: never, ...rest: never[]): Promise<object>;
  listTools(params?: never, ...rest: never[]): Promise<object>;
}

/** Options of `offloadClient`. */
export interface ClientOptions extends IntegrationOptions {
  /**
   * Whether a tool's output schema (JSON Schema) allows this structured content. Default: long strings are
   * replaced only where the schema provably allows any string; a validator allows more.
   */
  readonly validate?: ((schema: unknown, value: unknown) => boolean | Promise<boolean>) | undefined;
}

const CLIENT: DropIn<ClientOptions> = { adds: { validate: true }, lacks: {} };

/** More pages of tools than a server has that means well. */
const MAX_PAGES = 100;

interface ToolPage {
  readonly tools: readonly ListedTool[];
  readonly nextCursor?: string | undefined;
}

/**
 * A client whose `callTool` answers with references in place of large results, and whose `listTools`
 * lists the reading tools, which it answers itself.
 *
 * @example
 * const client = offloadClient(new Client({ name: "agent", version: "1.0.0" }));
 */
export function offloadClient<C extends AnyMcpClient>(client: C, options: ClientOptions = {}): C {
  requireMethods("client", client, ["callTool", "listTools"]);
  const sessions = connectFixedSessions(options, CLIENT);
  const { validate } = options;
  const session = (): OffloadSession => sessions.of(undefined, client.transport?.sessionId);
  /** What the server said of its tools. */
  const listed = new Map<string, ListedTool>();

  const list = async (params?: unknown, ...rest: unknown[]): Promise<ToolPage> => {
    const page = (await client.listTools(params as never, ...(rest as never[]))) as ToolPage;
    for (const tool of page.tools) listed.set(tool.name, tool);
    return page;
  };

  const outputSchemaOf = async (name: string): Promise<unknown> => {
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      if (listed.has(name)) break;
      cursor = (await list(cursor === undefined ? undefined : { cursor })).nextCursor;
      if (cursor === undefined) break;
    }
    const isUnknown = cursor !== undefined && !listed.has(name);
    // A server whose list does not end: the schema that allows nothing else keeps the content as it is.
    return isUnknown ? false : listed.get(name)?.outputSchema;
  };

  const listTools = async (params?: unknown, ...rest: unknown[]): Promise<ToolPage> => {
    const page = await list(params, ...rest);
    const current = session();
    const described = page.tools.map((tool) => {
      const description = current.describe(tool.name, tool.description ?? "");
      return description === (tool.description ?? "") ? tool : { ...tool, description };
    });
    current.rejectTakenNames([...listed.keys()]);
    // Once, after the last page.
    const isLast = page.nextCursor === undefined;
    if (isLast) current.checkToolNames([...listed.keys()]);
    const reading = isLast ? mcpFormat.describeTools(current.tools) : [];
    return { ...page, tools: [...described, ...reading.map(withAnnotations)] };
  };

  const callTool = async (params: CallParams, ...rest: unknown[]): Promise<object> => {
    const { name, arguments: input = {} } = params;
    const current = session();
    const signal = signalOf(rest);
    if (current.isReadingTool(name)) {
      return mcpFormat.answerCall(params, await current.run(name, input, signal));
    }
    let resolved: typeof input;
    try {
      resolved = await current.resolve(name, input, signal);
    } catch (error) {
      signal?.throwIfAborted();
      // What is thrown may end the run; the model can correct its call.
      return mcpFormat.answerCall(params, failedAnswer(error));
    }
    const sent = resolved === input ? params : { ...params, arguments: resolved };
    const result = await client.callTool(sent as never, ...(rest as never[]));
    const { structuredContent } = result as McpToolResult;
    const schema = structuredContent === undefined ? undefined : await outputSchemaOf(name);
    const rejects = async (shortened: unknown): Promise<string | undefined> => {
      if (!validate) return findDoubt(schema, structuredContent, shortened);
      try {
        return (await validate(schema, shortened)) ? undefined : "validate rejects a reference";
      } catch (error) {
        return `validate threw: ${messageOf(error)}`;
      }
    };
    return shortenAnswer(offloaderOf(current), {
      ...{ name, input, result },
      rejects: schema === undefined ? undefined : rejects,
    });
  };

  const replaced: Readonly<Record<PropertyKey, unknown>> = { callTool, listTools };
  return new Proxy(client, {
    get(target, key) {
      if (Object.hasOwn(replaced, key)) return replaced[key];
      const value = Reflect.get(target, key, target) as unknown;
      // The client's private fields are its own, not the proxy's.
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

function withAnnotations<T extends { inputSchema: ToolInputSchema }>(tool: T): T & object {
  return { ...tool, annotations: { readOnlyHint: true, openWorldHint: false } };
}

/** The options of a request are the last argument, in every version. */
function signalOf(rest: readonly unknown[]): AbortSignal | undefined {
  const { signal } = (rest.at(-1) ?? {}) as { readonly signal?: unknown };
  return signal instanceof AbortSignal ? signal : undefined;
}
