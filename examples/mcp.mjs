// An MCP client whose server answers with 200 kB: one line more than without offloading.

import assert from "node:assert/strict";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { offloadClient } from "context-offload/mcp";
import { LOG_TOOL, makeLog } from "./local-model/log-tool.mjs";
import { makeTempFolder } from "./local-model/temp-folder.mjs";

const { log, requestId } = makeLog();
const server = new McpServer({ name: "logs", version: "1.0.0" });
server.registerTool(LOG_TOOL.name, { description: LOG_TOOL.description }, () => ({
  content: [{ type: "text", text: log }],
}));

const client = offloadClient(new Client({ name: "agent", version: "1.0.0" }), {
  root: makeTempFolder(),
});
const [one, other] = InMemoryTransport.createLinkedPair();
await server.connect(one);
await client.connect(other);

// What an agent does: it lists the tools, calls one, and searches what it got a reference to.
const { tools } = await client.listTools();
const fetched = await client.callTool({ name: LOG_TOOL.name });
const reference = JSON.stringify(fetched);
const id = /<knowledge id=\\"([^"\\]+)/.exec(reference)?.[1];
const search = { id, pattern: "\\bERROR\\b" };
const found = await client.callTool({ name: "read_stored", arguments: search });

assert.ok(tools.some(({ name }) => name === "read_stored"));
assert.ok(reference.length < log.length / 10);
assert.match(JSON.stringify(found), new RegExp(requestId));
console.log(`${tools.length} tools; ${log.length} characters became ${reference.length}`);
await client.close();
