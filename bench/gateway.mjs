import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { measure } from "./harness.mjs";

const ROUNDS = 300;
const SERVER = fileURLToPath(new URL("gateway-server.mjs", import.meta.url));
const GATEWAY = fileURLToPath(
  new URL("../packages/mcp/tests/support/run-gateway.mjs", import.meta.url),
);

/**
 * What the gateway adds to a tool call, as ratios to the same call of the same server without it.
 *
 * @param {string} folder
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function benchGateway(folder) {
  const config = {
    mcpServers: { bench: { command: process.execPath, args: [SERVER] } },
    contextOffload: { minTokens: 400, tools: { read_whole: { offload: false } } },
  };
  const direct = await connect([SERVER]);
  const gateway = await connect([GATEWAY, JSON.stringify({ root: folder, config })]);
  try {
    const rows = [];
    for (const { what, name, chars, limit, share } of [
      { what: "a small call", name: "read", chars: 200, limit: 2, share: 1 },
      { what: "10 kB, offloaded", name: "read", chars: 10_000, limit: null, share: 1 },
      { what: "1 MB, passed through", name: "read_whole", chars: 1e6, limit: null, share: 0.2 },
      { what: "1 MB, offloaded", name: "read", chars: 1e6, limit: null, share: 0.2 },
    ]) {
      const call = (/** @type {Client} */ client) => () =>
        client.callTool({ name, arguments: { chars } });
      const took = await measure(
        { direct: call(direct), gateway: call(gateway) },
        { rounds: Math.ceil(ROUNDS * share) },
      );
      rows.push({
        what: `gateway: ${what}`,
        against: "the same server without it",
        ours: took["gateway"] ?? 0,
        theirs: took["direct"] ?? 0,
        aim: limit === null ? "none" : `at most ${limit}`,
        limit,
      });
    }
    return rows;
  } finally {
    await Promise.all([direct.close(), gateway.close()]);
  }
}

/** @param {string[]} args */
async function connect(args) {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}
