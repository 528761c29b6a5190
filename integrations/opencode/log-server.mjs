// An MCP server for the tests: a tool that answers with what a file holds and an image, one that fails,
// and one that saves what it is given.

import { readFile, writeFile } from "node:fs/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const IMAGE = { type: "image", data: PIXEL, mimeType: "image/png" };

/** @type {Record<string, (input: Record<string, unknown>) => Promise<object[]>>} */
const TOOLS = {
  fetch_log: async () => [{ type: "text", text: await readFile("app.log", "utf8") }, IMAGE],
  fail: () => Promise.reject(new Error("no such log")),
  save: async ({ text }) => {
    await writeFile("saved.txt", String(text));
    return [{ type: "text", text: "saved" }];
  },
};

const server = new Server({ name: "logs", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: "object" } })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  try {
    return { content: await TOOLS[params.name]?.(params.arguments ?? {}) };
  } catch (error) {
    return { isError: true, content: [{ type: "text", text: String(error) }] };
  }
});
await server.connect(new StdioServerTransport());
