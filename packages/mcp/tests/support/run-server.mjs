/** Runs the MCP server of a workspace on standard input and output, with the options in its first argument. */
import { createWorkspace } from "context-offload";
import { serveStdio } from "@context-offload/mcp";

const { root, namespace, sessionId, isReadOnly } = JSON.parse(process.argv[2] ?? "{}");
serveStdio({ workspace: createWorkspace({ root, namespace }), sessionId, isReadOnly });
