/** The MCP server of bench/gateway.mjs: one tool, which answers with a text of the wanted length. */
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { logPieces } from "./sample-log.mjs";

const log = Buffer.concat([...logPieces(1_000_000)]).toString();
let call = 0;

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" });
  for (const name of ["read", "read_whole"]) {
    const inputSchema = z.object({ chars: z.number() });
    server.registerTool(name, { inputSchema }, ({ chars }) => {
      const text = log.slice(0, chars) + " ".repeat(++call % 50);
      return { content: [{ type: "text", text }] };
    });
  }
  return server;
});
