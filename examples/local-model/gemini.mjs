// Gemini's generateContent, as far as an agent without streaming needs it: checks a request as the
// vendor does, and wraps the model's move as a response.

import { checkInputSchema } from "./json-schema.mjs";
import {
  allowOnly,
  readChoice,
  readList,
  readMatching,
  readObject,
  Refusal,
  rejectRepeated,
} from "./request-checks.mjs";

/**
 * @typedef {import("./request-checks.mjs").JsonObject} JsonObject
 * @typedef {import("./script.mjs").ToolAnswer} ToolAnswer
 */

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

/** @type {import("./server.mjs").VendorApi} */
export const gemini = {
  path: "/v1beta/models/local-model:generateContent",
  model: "local-model",

  read(body) {
    allowOnly(body, "body", ["contents", "tools", "systemInstruction", "generationConfig"]);
    const toolNames = checkTools(body["tools"]);
    const contents = readList(body["contents"], "contents").map(readContent);
    checkPairs(contents);
    return { toolNames, answers: contents.flatMap(({ answers }) => answers) };
  },

  respond(move, { id, bytes }) {
    const part =
      "say" in move
        ? { text: move.say }
        : { functionCall: { id: `call_${id}`, name: move.call, args: move.input } };
    return {
      responseId: id,
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: Math.ceil(bytes / 4), candidatesTokenCount: 20 },
    };
  },

  describeRefusal: ({ message }) => ({
    error: { code: 400, message, status: "INVALID_ARGUMENT" },
  }),
};

/** @param {unknown} tools @returns {string[]} */
function checkTools(tools) {
  if (tools === undefined) return [];
  const names = readList(tools, "tools").flatMap((value, at) => {
    const path = `tools[${at}].functionDeclarations`;
    const { functionDeclarations } = readObject(value, `tools[${at}]`);
    return readList(functionDeclarations, path).map((declaration, index) => {
      const { name, parametersJsonSchema } = readObject(declaration, `${path}[${index}]`);
      if (parametersJsonSchema !== undefined) {
        checkInputSchema(parametersJsonSchema, `${path}[${index}].parametersJsonSchema`);
      }
      return readMatching(name, `${path}[${index}].name`, NAME);
    });
  });
  rejectRepeated(names, "tools: names must be unique");
  return names;
}

/**
 * @param {unknown} value
 * @param {number} at
 * @returns {{ calls: number, answers: ToolAnswer[] }}
 */
function readContent(value, at) {
  const path = `contents[${at}]`;
  const { role, parts } = readObject(value, path);
  const writer = readChoice(role, `${path}.role`, ["user", "model"]);
  /** @type {ToolAnswer[]} */
  const answers = [];
  let calls = 0;
  for (const [index, part] of readList(parts, `${path}.parts`).entries()) {
    const { functionCall, functionResponse } = readObject(part, `${path}.parts[${index}]`);
    if (functionCall !== undefined && writer === "model") calls += 1;
    if (functionResponse === undefined) continue;
    const { name, response } = readObject(functionResponse, `${path}.parts[${index}]`);
    const values = Object.values(readObject(response, `${path}.parts[${index}].response`));
    const text = values.map(String).join("\n");
    answers.push({ tool: readMatching(name, `${path}.parts[${index}].name`, NAME), text });
  }
  return { calls, answers };
}

/** @param {readonly { calls: number, answers: readonly ToolAnswer[] }[]} contents */
function checkPairs(contents) {
  for (const [at, { calls }] of contents.entries()) {
    const answers = contents[at + 1]?.answers.length ?? 0;
    if (calls === answers || at === contents.length - 1) continue;
    throw new Refusal(
      "the number of function response parts must equal that of the function call parts",
      `contents[${at + 1}]`,
    );
  }
}
