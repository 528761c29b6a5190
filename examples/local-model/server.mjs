// A model's API on this machine: it rejects what the vendors reject, and a script plays the model.

import { once } from "node:events";
import { createServer } from "node:http";
import { anthropicMessages } from "./anthropic-messages.mjs";
import { gemini } from "./gemini.mjs";
import { openaiChat } from "./openai-chat.mjs";
import { openaiResponses } from "./openai-responses.mjs";
import { readObject, readString, Refusal } from "./request-checks.mjs";
import { investigate } from "./script.mjs";

/**
 * @typedef {import("./request-checks.mjs").JsonObject} JsonObject
 * @typedef {import("./script.mjs").Move} Move
 * @typedef {import("./script.mjs").Script} Script
 * @typedef {import("./script.mjs").ToolAnswer} ToolAnswer
 *
 * @typedef {object} VendorApi
 * @property {string} path
 * @property {string} [model] The model that the path names, where the body does not.
 * @property {(body: JsonObject) => { toolNames: string[], answers: ToolAnswer[] }} read
 *   Throws a Refusal where the vendor would.
 * @property {(move: Move, about: { id: string, model: string, bytes: number }) => object} respond
 * @property {(refusal: Refusal) => object} describeRefusal
 *
 * @typedef {object} RecordedRequest
 * @property {string} path
 * @property {number} bytes How long its body was.
 * @property {number} status What it was answered with.
 * @property {string | undefined} call The tool that the model called in answer to it.
 *
 * @typedef {object} LocalModel
 * @property {string} url
 * @property {RecordedRequest[]} requests
 * @property {() => Promise<void>} close
 */

const APIS = [anthropicMessages, openaiChat, openaiResponses, gemini];

/** @param {{ script?: Script }} [options] @returns {Promise<LocalModel>} */
export async function startLocalModel({ script = investigate } = {}) {
  /** @type {RecordedRequest[]} */
  const requests = [];
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      const text = Buffer.concat(chunks);
      const id = String(requests.length + 1).padStart(4, "0");
      const { status, body, call } = answer(path, text, id, script);
      requests.push({ path, bytes: text.length, status, call });
      // An open connection would keep the program running.
      response.writeHead(status, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // So that a program may simply end.
  server.unref();
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * @param {string} path
 * @param {Buffer} text
 * @param {string} id
 * @param {Script} script
 * @returns {{ status: number, body: object, call: string | undefined }}
 */
function answer(path, text, id, script) {
  const api = APIS.find((one) => one.path === path);
  if (!api)
    return { status: 404, body: { error: { message: `no ${path} here` } }, call: undefined };
  try {
    const body = readObject(JSON.parse(text.toString("utf8")), "body");
    if (body["stream"] === true) throw new Refusal("stream: this model does not stream", "stream");
    const model = api.model ?? readString(body["model"], "model");
    const { toolNames, answers } = api.read(body);
    const move = script(answers);
    const call = "call" in move ? move.call : undefined;
    if (call !== undefined && !toolNames.includes(call)) {
      throw new Refusal(`tools: this model needs ${call}, and it is not there`, "tools");
    }
    return { status: 200, body: api.respond(move, { id, model, bytes: text.length }), call };
  } catch (error) {
    if (error instanceof Refusal || error instanceof SyntaxError) {
      const refusal = error instanceof Refusal ? error : new Refusal(error.message, "body");
      return { status: 400, body: api.describeRefusal(refusal), call: undefined };
    }
    return { status: 500, body: { error: { message: String(error) } }, call: undefined };
  }
}
