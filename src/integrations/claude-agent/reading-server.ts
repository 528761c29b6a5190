import { messageOf } from "../../core/errors/context-offload-error.js";
import { mcpFormat } from "../../formats/mcp.js";
import type { OffloadSession } from "../shared/sessions.js";

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
  /** Any session: the server describes itself in the same way to all. */
  readonly listed: OffloadSession;
  /** The session that a call belongs to; `undefined` if nobody knows which one that is. */
  readonly sessionOf: (toolUseId: string) => OffloadSession | undefined;
}

/** One server may serve many queries, and none may read what another has stored. */
const UNKNOWN_CALL = {
  text:
    "the session of this call is not known; pass the hooks of offloadQuery() together with its " +
    "mcpServers, and use a Claude Code that names the call in claudecode/toolUseId",
  isError: true,
};

/** Or Claude Code may not show the tools to the model before it searches for them. */
const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

/** An MCP server without the MCP SDK: it has tools, and nothing else. */
export function createReadingServer(options: ReadingServerOptions): {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
} {
  const open = new Set<Transport>();
  return {
    async connect(transport) {
      transport.onmessage = (message: never) => {
        void answer(message as Request, options)
          .then((response) => (response ? transport.send(response as never) : undefined))
          // The other side is gone, and with it whoever waits for the answer.
          .catch(() => undefined);
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
  try {
    const result = await respond(request, options);
    const error = { code: -32601, message: `Method not found: ${method}` };
    return { jsonrpc: "2.0", id, ...(result ? { result } : { error }) };
  } catch (cause) {
    return { jsonrpc: "2.0", id, error: { code: -32603, message: messageOf(cause) } };
  }
}

async function respond(
  { method, params = {} }: Request,
  { name, listed, sessionOf }: ReadingServerOptions,
): Promise<object | undefined> {
  if (method === "initialize") {
    return {
      protocolVersion: params.protocolVersion ?? "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name, version: "1.0.0" },
      instructions: listed.systemPrompt(),
    };
  }
  if (method === "ping") return {};
  const prefix = `mcp__${name}__`;
  if (method === "tools/list") {
    const tools = mcpFormat.describeTools(listed.tools);
    const annotations = { readOnlyHint: true, openWorldHint: false };
    // Claude Code puts the prefix back.
    return {
      tools: tools.map((tool) => ({
        ...tool,
        ...{ name: tool.name.slice(prefix.length), annotations, _meta: ALWAYS_LOADED },
      })),
    };
  }
  if (method !== "tools/call") return undefined;
  const toolUseId = params._meta?.["claudecode/toolUseId"];
  const session = typeof toolUseId === "string" ? sessionOf(toolUseId) : undefined;
  const answered = await session?.run(prefix + String(params.name), params.arguments ?? {});
  return mcpFormat.answerCall(params, answered ?? UNKNOWN_CALL);
}
