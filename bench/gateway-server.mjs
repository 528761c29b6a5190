/** The MCP server of bench/gateway.mjs: one tool, which answers with a text of the wanted length. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { logPieces } from "./samples.mjs";

const log = Buffer.concat([...logPieces(1_000_000)]).toString();
let call = 0;

const server = new McpServer({ name: "bench", version: "1.0.0" });
for (const name of ["read", "read_whole"]) {
  server.registerTool(name, { inputSchema: { chars: z.number() } }, ({ chars }) => {
    const text = log.slice(0, chars) + " ".repeat(++call % 50);
    return { content: [{ type: "text", text }] };
  });
}
await server.connect(new StdioServerTransport());
