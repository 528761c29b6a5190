import { serveStdio as serveFactory } from "@modelcontextprotocol/server/stdio";
import { createMcpServer, type McpServerOptions } from "./create-mcp-server.js";

/** Serves a workspace on the standard input and output of this process, until its input ends. */
export function serveStdio(options: McpServerOptions): { close(): Promise<void> } {
  return serveFactory(() => createMcpServer(options));
}
