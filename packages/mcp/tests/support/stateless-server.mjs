/**
 * A server of SDK 2 on standard input and output, or with the argument "http" at a free port of 127.0.0.1, whose
 * address it prints. With "only" it speaks nothing but the revision 2026-07-28. Its headers come out of the tool
 * `headers`, and every tool that asks something works in rounds.
 */
import { createServer } from "node:http";
import { Readable } from "node:stream";
import {
  acceptedContent,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const LOG = Array.from({ length: 3_000 }, (_, line) => `line ${line}: status ok`).join("\n");
const codec = createRequestStateCodec({ key: "k".repeat(32) });
const named = z.object({ name: z.string() });
const text = (/** @type {string} */ value) => ({
  content: [{ type: /** @type {const} */ ("text"), text: value }],
});

/** @param {Headers} [headers] */
function create(headers) {
  const server = new McpServer(
    { name: "stateless", version: "1.0.0" },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
      },
      instructions: "Ask me.",
      requestState: { verify: codec.verify },
    },
  );
  const none = z.object({});
  server.registerTool("log", { inputSchema: none }, () => text(LOG));
  server.registerTool("small", { inputSchema: z.object({ text: z.string() }) }, (input) =>
    text(input.text),
  );
  server.registerTool("greet", { inputSchema: none }, async (_, { mcpReq }) => {
    const answered = acceptedContent(mcpReq.inputResponses, "who", named);
    const state = await mcpReq.requestState();
    if (answered) return text(`Hello ${answered.name}, ${JSON.stringify(state)}`);
    const message = "Who are you?";
    const who = inputRequired.elicit({ message, requestedSchema: named });
    const requestState = await codec.mint({ asked: message });
    return inputRequired({ inputRequests: { who }, requestState });
  });
  server.registerTool("places", { inputSchema: none }, (_, { mcpReq }) => {
    const answers = mcpReq.inputResponses ?? {};
    if ("roots" in answers) return text(JSON.stringify(answers["roots"]));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool("insatiable", { inputSchema: none }, () =>
    inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }),
  );
  server.registerTool("shout", { inputSchema: none }, async (_, { mcpReq }) => {
    await mcpReq.log("info", "shouting");
    return text("shouted");
  });
  server.registerTool("grow", { inputSchema: none }, async () => {
    server.registerTool("grown", { inputSchema: none }, () => text("grown"));
    server.sendToolListChanged();
    await server.server.sendResourceUpdated({ uri: "note://one" });
    return text("it grew");
  });
  server.registerTool("wait", { inputSchema: none }, async (_, { mcpReq }) => {
    await new Promise((resolve) => {
      mcpReq.signal.addEventListener("abort", resolve);
    });
    process.stderr.write("wait was cancelled\n");
    return text("cancelled");
  });
  server.registerTool(
    "headers",
    { inputSchema: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }) },
    () => text(JSON.stringify(Object.fromEntries(headers ?? []))),
  );
  server.registerResource("note", "note://one", {}, (uri) => ({
    contents: [{ uri: uri.href, text: "a note" }],
  }));
  return server;
}

const options = process.argv.includes("only") ? { legacy: /** @type {const} */ ("reject") } : {};
if (process.argv.includes("http")) {
  /** @type {Headers | undefined} */
  let last;
  const handler = createMcpHandler(() => create(last), options);
  const server = createServer(async (incoming, outgoing) => {
    const body = incoming.method === "POST" ? Readable.toWeb(incoming) : null;
    const gone = new AbortController();
    outgoing.once("close", () => {
      gone.abort();
    });
    const init = { method: incoming.method, headers: incoming.headers, body, signal: gone.signal };
    const request = new Request(
      "http://127.0.0.1/mcp",
      /** @type {any} */ ({ ...init, duplex: "half" }),
    );
    last = request.headers;
    const response = await handler.fetch(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (!response.body) outgoing.end();
    else
      Readable.fromWeb(/** @type {any} */ (response.body))
        .on("error", () => {})
        .pipe(outgoing);
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
} else serveStdio(() => create(), options);
