import { describe, expect, it } from "vitest";
import { parseConversation } from "../../../src/formats/index.js";
import { createOffloader } from "../../../src/index.js";
import { everything } from "../../../src/policies.js";
import { makeTempFolder } from "../../support/temp-folder.js";

const LOG = Array.from({ length: 400 }, (_, at) => `${at} GET /health 200`).join("\n");
const DATA = JSON.stringify({
  items: Array.from({ length: 300 }, (_, id) => ({ id, name: `n${id}` })),
});
const HEADER =
  "Chunk ID: a46620\nWall time: 0.0427 seconds\nProcess exited with code 0\nOriginal token count: 900\nOutput:\n";
const print = (text: string) =>
  `meta=None content=[TextContent(type='text', text='${text.replaceAll("\n", "\\n")}', annotations=None)] isError=False`;

const codex = (output: string) =>
  [
    {
      type: "response_item",
      payload: { type: "function_call", name: "sh", arguments: "{}", call_id: "c1" },
    },
    { type: "response_item", payload: { type: "function_call_output", call_id: "c1", output } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
const chat = (content: string) =>
  JSON.stringify([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "sh", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content },
  ]);

describe("what a client puts around a result is wrapping", () => {
  it.each<[string, string, string]>([
    ["a header of Codex", codex(HEADER + LOG), codex(HEADER + DATA)],
    ["the print of a Python client", chat(print(LOG)), chat(print(DATA))],
  ])("%s: the content behind is digested, searched and queried", async (_what, log, data) => {
    const root = await makeTempFolder();
    for (const [index, text] of [log, data].entries()) {
      const { messages, stringify, format } = parseConversation(text);
      const sessionId = `s${index}`;
      const offloader = createOffloader({ root, sessionId, format, policy: everything });
      const { messages: shorter, report } = await offloader.offload(messages);
      const [result] = report.results;
      expect(result?.outcome).toBe("offloaded");
      expect(result?.reference).not.toMatch(/Chunk ID|TextContent/);
      const { workspace } = offloader;
      const { text: read } =
        index === 0
          ? await workspace.grepKnowledge("c1", "^7 GET", { sessionId })
          : await workspace.queryKnowledge("c1", { pointer: "/items/7/name", sessionId });
      expect(read).toContain(index === 0 ? "8:7 GET /health 200" : "n7");
      expect(stringify(await offloader.restore(shorter))).toBe(text);
    }
  });
});
