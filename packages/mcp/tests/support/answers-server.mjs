/** Serves the tools of answers.mjs on standard input and output, with SDK 1. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ANSWERS } from "./answers.mjs";

const server = new Server({ name: "answers", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(ANSWERS).map(([name, { outputSchema }]) => ({
    name,
    inputSchema: { type: "object" },
    outputSchema,
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ANSWERS[params.name]?.result ?? {});
await server.connect(new StdioServerTransport());
