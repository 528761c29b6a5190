import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ListResourcesResult,
  type ListToolsResult,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import { serveStdio as serveFactory } from "@modelcontextprotocol/server/stdio";
import { ContextOffloadError, type Workspace } from "context-offload";
import { ARTIFACT_TEMPLATE, listArtifacts, readArtifact } from "./artifact-resources.js";
import { PACKAGE_VERSION } from "./package-version.js";
import { createToolbox } from "./toolbox.js";

/** What an MCP server over a workspace shows. */
export interface McpServerOptions {
  /** The workspace, and with it the namespace, that is shown. */
  readonly workspace: Workspace;
  /** Shows only what this session may read. Default: all sessions of the namespace. */
  readonly sessionId?: string | undefined;
  /** Without the tool that stores text. Default false. */
  readonly isReadOnly?: boolean | undefined;
  /** Answers calls that are not for the model, and so not listed; `undefined` for those of other names. */
  readonly answerCall?:
    ((name: string, input: unknown) => Promise<string | undefined> | undefined) | undefined;
  /** Which reading tools are listed; calls of all of them are answered. Default `"five"`. */
  readonly readingTools?: "one" | "five" | undefined;
  /** Called when the client asks for the list of tools. */
  readonly onToolsListed?: (() => void) | undefined;
}

/**
 * An MCP server over a workspace, for one connection: the reading tools, a tool that stores text,
 * and artifacts as resources.
 */
export function createMcpServer(options: McpServerOptions): McpServer {
  const { workspace, sessionId, isReadOnly = false, readingTools = "five" } = options;
  const toolbox = createToolbox(workspace, {
    sessionId,
    readingTools,
    isStructured: true,
    canStore: !isReadOnly,
  });
  const mcp = new McpServer(
    { name: "context-offload", version: PACKAGE_VERSION },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: workspace.systemPrompt({ readingTools }),
    },
  );
  // The handlers are set directly, since the tools bring their own schemas and read any input.
  const { server } = mcp;
  server.setRequestHandler("tools/list", () => {
    options.onToolsListed?.();
    return { tools: toolbox.tools } as unknown as ListToolsResult;
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const hidden = await options.answerCall?.(params.name, params.arguments);
    if (hidden !== undefined) return { content: [{ type: "text", text: hidden }] };
    if (!toolbox.names.has(params.name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    }
    const result = await toolbox.call(params.name, params.arguments, mcpReq.signal);
    return result as CallToolResult;
  });
  server.setRequestHandler("resources/list", async ({ params }) =>
    rethrown(
      listArtifacts(workspace, { sessionId }, params?.cursor) as Promise<ListResourcesResult>,
    ),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [ARTIFACT_TEMPLATE],
  }));
  server.setRequestHandler("resources/read", async ({ params }) =>
    rethrown(readArtifact(workspace, params.uri, { sessionId }) as Promise<ReadResourceResult>),
  );
  return mcp;
}

/** A wrong URI or cursor is the client's error, and is answered with the codes of the protocol. */
async function rethrown<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ContextOffloadError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`);
  }
}

/** Serves a workspace on the standard input and output of this process, until its input ends. */
export function serveStdio(options: McpServerOptions): { close(): Promise<void> } {
  return serveFactory(() => createMcpServer(options));
}
