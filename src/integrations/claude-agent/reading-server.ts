import type { ToolDescription } from "../../core/engine/format.js";
import { mcpFormat } from "../../formats/mcp.js";

/** The parts of an MCP transport that a server uses. */
export interface Transport {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
}

interface Request {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly protocolVersion?: string;
    readonly name?: string;
    readonly arguments?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

interface ReadingServerOptions {
  readonly name: string;
  readonly instructions: string;
  readonly listed: readonly ToolDescription[];
  /** The tools of the session that a call belongs to; `undefined` if nobody knows which one that is. */
  readonly toolsOf: (toolUseId: string) => readonly ToolDescription[] | undefined;
}

/** One server may serve many queries, and none may read what another has stored. */
const UNKNOWN_CALL = {
  text:
    "the session of this call is not known; pass the hooks of claudeOffload() together with its " +
    "mcpServers, and use a Claude Code that names the call in claudecode/toolUseId",
  isError: true,
};

/** An MCP server without the MCP SDK: it has tools, and nothing else. */
export function createReadingServer(options: ReadingServerOptions): {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
} {
  const open = new Set<Transport>();
  return {
    async connect(transport) {
      transport.onmessage = (message: never) => {
        void answer(message as Request, options).then((response) =>
          response ? transport.send(response as never) : undefined,
        );
      };
      open.add(transport);
      await transport.start();
    },
    async close() {
      await Promise.all([...open].map((transport) => transport.close()));
      open.clear();
    },
  };
}

async function answer(request: Request, options: ReadingServerOptions): Promise<unknown> {
  const { id, method = "" } = request;
  // A notification or a response.
  if (id === undefined || request.method === undefined) return undefined;
  const result = await respond(request, options);
  const error = { code: -32601, message: `Method not found: ${method}` };
  return { jsonrpc: "2.0", id, ...(result ? { result } : { error }) };
}

async function respond(
  { method, params = {} }: Request,
  { name, instructions, listed, toolsOf }: ReadingServerOptions,
): Promise<object | undefined> {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name, version: "1.0.0" },
      instructions,
    };
  }
  if (method === "ping") return {};
  const prefix = `mcp__${name}__`;
  if (method === "tools/list") {
    const tools = mcpFormat.describeTools(listed);
    const annotations = { readOnlyHint: true, openWorldHint: false };
    // Claude Code puts the prefix back.
    return {
      tools: tools.map((tool) => ({ ...tool, name: tool.name.slice(prefix.length), annotations })),
    };
  }
  if (method !== "tools/call") return undefined;
  const toolUseId = params._meta?.["claudecode/toolUseId"];
  const offered = typeof toolUseId === "string" ? toolsOf(toolUseId) : undefined;
  if (!offered) return mcpFormat.answerCall(params, UNKNOWN_CALL);
  const tool = offered.find((one) => one.name === prefix + String(params.name));
  const text = `there is no tool ${String(params.name)}`;
  const answered = await tool?.execute(params.arguments ?? {});
  return mcpFormat.answerCall(params, answered ?? { text, isError: true });
}
