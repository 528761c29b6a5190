/**
 * An MCP server that does with each request what a script says, in its first argument, as JSON: the acts for
 * each page of its list of tools, the acts for each call, and whether it answers pings.
 */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

const { pages = [], calls = [], pings = true } = JSON.parse(process.argv[2] ?? "{}");
const write = (/** @type {string | Buffer} */ text) => process.stdout.write(text);
const send = (/** @type {unknown} */ message) => write(`${JSON.stringify(message)}\n`);
const content = (/** @type {string} */ text) => ({ content: [{ type: "text", text }] });

/** @type {Record<string, (id: number, result: unknown) => void>} */
const acts = {
  answer: (id, result) => send({ jsonrpc: "2.0", id, result }),
  "answer with a text as id": (id, result) => send({ jsonrpc: "2.0", id: String(id), result }),
  "answer with another id": (id, result) => send({ jsonrpc: "2.0", id: id + 1e6, result }),
  "answer in a batch": (id, result) => send([null, 7, [], { jsonrpc: "2.0", id, result }]),
  "answer with a byte order mark": (id, result) =>
    write(`\u{feff}${JSON.stringify({ jsonrpc: "2.0", id, result })}\r\n`),
  "answer byte by byte": (id, result) => {
    for (const byte of Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)) {
      write(Buffer.of(byte));
    }
  },
  "invalid UTF-8": (id) => {
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    write(Buffer.of(0xff, 0xfe, 0xc3));
    write('"}]}}\n');
  },
  "no result": (id) => send({ jsonrpc: "2.0", id }),
  "a result that is a text": (id) => send({ jsonrpc: "2.0", id, result: "done" }),
  "a result that is null": (id) => send({ jsonrpc: "2.0", id, result: null }),
  "an error that is a text": (id) => send({ jsonrpc: "2.0", id, error: "boom" }),
  "an error without an id": () =>
    send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } }),
  "an answer of wrong shapes": (id) =>
    send({ jsonrpc: "2.0", id, result: { content: { type: 7 }, tools: 3, nextCursor: 5 } }),
  "broken JSON": (id) => write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type"\n`),
  "broken JSON with the id last": (id) =>
    write(`{"result":{"a":"\u0001},"jsonrpc":"2.0","id":${id}}\n`),
  "a deeply nested answer": (id) => {
    const [open, close] = ["[".repeat(60_000), "]".repeat(60_000)];
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"deep":${open}${close}}}\n`);
  },
  "a line that is too long": (id) =>
    write(`{"jsonrpc":"2.0","id":${id},"result":{"a":"${"a".repeat(300_000)}"}}\n`),
  "an endless line": () => {
    const more = () => {
      while (write("a".repeat(65_536)));
      process.stdout.once("drain", more);
    };
    more();
  },
  "half an answer": (id) => write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`),
  "half an answer, then the end": (id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(0));
  },
  "the end": () => process.exit(1),
  "the end, with a process that holds its streams": () => {
    const holder = spawn(process.execPath, ["-e", "setTimeout(() => {}, 3000)"], {
      stdio: "inherit",
    });
    holder.once("spawn", () => process.exit(1));
  },
  "the end of its output": () => closeSync(1),
  "the end of its input": () => closeSync(0),
  noise: () => write('\u0000\u0001 not JSON {]\n{"half": \n[[[\n{}\n[]\n42\nnull\n"id"\n\n'),
  notices: () => {
    send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: null });
    send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: [1] });
    send({ jsonrpc: "2.0", method: 7 });
  },
  requests: () => {
    send({ jsonrpc: "2.0", id: "q1", method: "roots/list" });
    send({ jsonrpc: "2.0", id: "q2", method: "roots/list", params: 7 });
    send({ jsonrpc: "2.0", id: null, method: "roots/list" });
    send({ id: "q3", method: "ping" });
  },
  silence: () => undefined,
  busy: () => {
    for (;;);
  },
};

let page = 0;
let call = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = (/** @type {unknown} */ result) => send({ jsonrpc: "2.0", id, result });
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "scripted", version: "1.0.0" };
    answer({ protocolVersion, serverInfo, capabilities: { tools: {} } });
  } else if (method === "tools/list") {
    const { act = "answer", nextCursor, wait = 0 } = pages[Math.min(page, pages.length - 1)] ?? {};
    const tools = [{ name: `tool-${page}`, inputSchema: { type: "object" } }];
    // "#" makes each cursor another one.
    const cursor = nextCursor?.replace("#", String(page));
    page++;
    setTimeout(() => acts[act]?.(id, { tools, nextCursor: cursor }), wait);
  } else if (method === "tools/call") {
    const { chars } = params.arguments ?? {};
    const result = content(
      typeof chars === "number" ? "line of words\n".repeat(chars / 14) : "done",
    );
    for (const act of calls[call++ % calls.length] ?? ["answer"]) acts[act]?.(id, result);
  } else if (method === "ping") {
    if (pings) answer({});
  } else answer({});
}
