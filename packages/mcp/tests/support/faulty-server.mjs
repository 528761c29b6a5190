/**
 * An MCP server that misbehaves in the way that its first argument says. Written without the SDK,
 * which would not let it.
 */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [mode, file, methods] = process.argv.slice(2);
if (file !== undefined) appendFileSync(file, `${process.pid}\n`);
const long = "a line of a long answer\n".repeat(2_000);
const send = (/** @type {unknown} */ message) =>
  process.stdout.write(`${JSON.stringify(message)}\n`);

if (mode === "ends-at-once") {
  process.stderr.write("no configuration found\n");
  process.exit(3);
}
if (mode === "rubbish-only") {
  setInterval(() => process.stdout.write("\u0000\u0001 this is not JSON {]\n[1,2,3]\n{}\n"), 20);
}

const text = { type: "string" };
/** @param {Record<string, object>} properties */
const listOf = (properties) => ({
  type: "array",
  items: {
    ...{ type: "object", properties, required: Object.keys(properties) },
    additionalProperties: false,
  },
});

const tools = ["work", "hang", "die", "rubbish", "rows", "numbers", "graph"].map((name) => ({
  name,
  inputSchema: { type: "object" },
  ...(name === "graph"
    ? {
        outputSchema: {
          type: "object",
          properties: {
            entities: listOf({ name: text, type: text, notes: { type: "array", items: text } }),
            relations: listOf({ from: text, to: text }),
          },
          required: ["entities", "relations"],
          additionalProperties: false,
        },
      }
    : {}),
  ...(name === "rows" || name === "numbers"
    ? {
        outputSchema: {
          type: "object",
          properties: { rows: { type: "array", items: { type: "number" } } },
          required: ["rows"],
        },
      }
    : {}),
}));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (methods !== undefined) appendFileSync(methods, `${method} ${JSON.stringify(params)}\n`);
  const answer = (/** @type {unknown} */ result) => send({ jsonrpc: "2.0", id, result });
  if (mode === "ends-on-discover" && method === "server/discover") process.exit(1);
  if (mode === "ignores-discover" && method === "server/discover") continue;
  if (mode === "hangs-at-start" || mode === "rubbish-only" || id === undefined) continue;
  if (method === "initialize") {
    const { protocolVersion } = params;
    const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
    const serverInfo = { name: mode === "ours" ? "context-offload" : "faulty", version: "1.0.0" };
    answer({ protocolVersion, serverInfo, capabilities });
  } else if (method === "ping") {
    if (mode !== "hangs") answer({});
  } else if (method === "tools/list") {
    if (mode !== "hangs-at-list") answer({ tools });
  } else if (method === "tools/call") {
    switch (params.name) {
      case "die":
        process.stderr.write("the disk is on fire\n");
        process.exit(1);
        break;
      case "hang":
        break;
      case "rubbish":
        process.stdout.write('{"half": \nnot json at all\n{"jsonrpc":"1.0"}\n[[[\n');
        process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: "nobody", result: {} })}\n`);
        answer({ content: [{ type: "text", text: "after the rubbish" }] });
        break;
      case "rows": {
        const rows = Array.from({ length: 5_000 }, (_, row) => row);
        const text = JSON.stringify({ rows });
        answer({ content: [{ type: "text", text }], structuredContent: { rows } });
        break;
      }
      case "numbers": {
        const rows = Array.from({ length: 20_000 }, (_, row) => row);
        answer({
          content: [{ type: "text", text: "20,000 numbers" }],
          structuredContent: { rows },
        });
        break;
      }
      case "graph": {
        const entities = Array.from({ length: 800 }, (_, at) => ({
          ...{ name: `entity ${at}`, type: "service", notes: ["a note on it"] },
        }));
        const relations = entities.map(({ name }) => ({ from: name, to: "entity 1" }));
        const graph = { entities, relations };
        const content = [{ type: "text", text: JSON.stringify(graph, null, 2) }];
        answer({ content, structuredContent: graph });
        break;
      }
      default:
        answer({ content: [{ type: "text", text: `pid ${process.pid}\n${long}` }] });
    }
  } else if (method === "logging/setLevel" || method === "resources/subscribe") answer({});
  else send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
}
