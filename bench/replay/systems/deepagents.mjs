import { importPeer } from "../../peers.mjs";
import { isSearch } from "../reader.mjs";
import { presentOnArrival } from "./replaced-text.mjs";

/**
 * deepagents' file system middleware over its file backend, with the two tools that reading needs.
 *
 * @param {number} [maxTokens] results of more tokens than this are written to files; its own default otherwise
 * @returns {import("../replay.mjs").System}
 */
export function deepagents(maxTokens) {
  return {
    name: maxTokens === undefined ? "deepagents" : `deepagents (${maxTokens} tokens)`,
    async start({ folder, reader }) {
      const { createFilesystemMiddleware, FilesystemBackend } = await importPeer("deepagents");
      const { ToolMessage } = await importPeer("@langchain/core/messages");
      const middleware = createFilesystemMiddleware({
        backend: new FilesystemBackend({ rootDir: folder, virtualMode: true }),
        tools: ["read_file", "grep"],
        ...(maxTokens === undefined ? {} : { toolTokenLimitBeforeEvict: maxTokens }),
      });
      const state = {};

      /** @param {string} name @param {object} input */
      async function call(name, input) {
        const tool = middleware.tools.find((/** @type {any} */ each) => each.name === name);
        const content = await tool.invoke(input);
        const answer = typeof content === "string" ? content : content[0].text;
        return { name, input, answer };
      }

      return {
        overhead: await describeTools(middleware),

        present: presentOnArrival(async ({ callId, toolName, text, isError }) => {
          const status = isError ? "error" : "success";
          const message = new ToolMessage({
            content: text,
            tool_call_id: callId,
            name: toolName,
            status,
          });
          const request = { toolCall: { id: callId, name: toolName }, state, runtime: {} };
          const result = await middleware.wrapToolCall(request, () => message);
          return (result.update?.messages[0] ?? result).content;
        }),

        async *read(_result, sent, facts) {
          const file_path = /saved in the filesystem at this path: (\S+)/.exec(sent ?? "")?.[1];
          if (file_path === undefined) return;
          const search = (/** @type {string} */ fact) =>
            call("grep", { pattern: fact.trim(), path: file_path });
          let missing = facts;
          if (isSearch(reader, facts)) {
            // Its search takes one plain text. The first answer may show the others as well.
            missing = yield await Promise.all(facts.slice(0, 1).map(search));
            if (missing.length > 0) yield await Promise.all(missing.map(search));
          }
          /** @type {string | undefined} */
          let offset = "0";
          while (offset !== undefined) {
            const step = await call("read_file", { file_path, offset: Number(offset) });
            missing = yield [step];
            offset = /^@@.* next offset (\d+)/m.exec(step.answer)?.[1];
          }
          // What a read cuts off a long line, only a search can reach.
          yield await Promise.all(missing.map(search));
        },
      };
    },
  };
}

/**
 * The tools that it adds to a request, in the form in which they are sent.
 *
 * @param {any} middleware
 * @returns {Promise<string>}
 */
async function describeTools(middleware) {
  const { convertToOpenAITool } = await importPeer("@langchain/core/utils/function_calling");
  /** @type {any[]} */
  let tools = [];
  const request = { tools: middleware.tools, messages: [], state: {}, runtime: {} };
  await middleware.wrapModelCall(request, (/** @type {any} */ sent) => {
    tools = sent.tools;
  });
  return JSON.stringify(tools.map((tool) => convertToOpenAITool(tool).function));
}
