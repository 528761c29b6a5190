import { isSearch, leadingLines, type ReadStep } from "../reader.js";
import type { ImportPeer } from "./import-peer.js";
import { presentOnArrival, type System } from "./system.js";

interface ToolMessage {
  readonly content: string;
}

interface Middleware {
  readonly tools: readonly {
    readonly name: string;
    invoke(input: object): Promise<string | readonly [{ readonly text: string }]>;
  }[];
  wrapToolCall(
    request: object,
    next: () => ToolMessage,
  ): Promise<ToolMessage & { readonly update?: { readonly messages: readonly [ToolMessage] } }>;
  wrapModelCall(
    request: object,
    next: (sent: { readonly tools: readonly unknown[] }) => void,
  ): Promise<unknown>;
}

interface DeepAgents {
  readonly createFilesystemMiddleware: (options: object) => Middleware;
  readonly FilesystemBackend: new (options: { rootDir: string; virtualMode: boolean }) => object;
}

interface LangChainMessages {
  readonly ToolMessage: new (fields: object) => ToolMessage;
}

interface LangChainTools {
  readonly convertToOpenAITool: (tool: unknown) => { readonly function: unknown };
}

/**
 * deepagents' file system middleware over its file backend, with the two tools that reading needs.
 *
 * @param maxTokens - Results of more tokens than this are written to files; its own default otherwise.
 */
export function deepagents(importPeer: ImportPeer, maxTokens?: number): System {
  return {
    name: maxTokens === undefined ? "deepagents" : `deepagents (${maxTokens} tokens)`,
    async start({ folder, reader }) {
      const { createFilesystemMiddleware, FilesystemBackend } =
        await importPeer<DeepAgents>("deepagents");
      const { ToolMessage } = await importPeer<LangChainMessages>("@langchain/core/messages");
      const middleware = createFilesystemMiddleware({
        backend: new FilesystemBackend({ rootDir: folder, virtualMode: true }),
        tools: ["read_file", "grep"],
        ...(maxTokens === undefined ? {} : { toolTokenLimitBeforeEvict: maxTokens }),
      });
      const state = {};

      async function call(name: string, input: object): Promise<ReadStep> {
        const content = await middleware.tools.find((tool) => tool.name === name)?.invoke(input);
        const answer = typeof content === "string" ? content : (content?.[0].text ?? "");
        return { name, input, answer };
      }

      return {
        overhead: await describeTools(middleware, importPeer),

        present: presentOnArrival(async ({ callId, toolName, text, isError }) => {
          const message = new ToolMessage({
            content: text,
            tool_call_id: callId,
            name: toolName,
            status: isError ? "error" : "success",
          });
          const request = { toolCall: { id: callId, name: toolName }, state, runtime: {} };
          const result = await middleware.wrapToolCall(request, () => message);
          return (result.update?.messages[0] ?? result).content;
        }),

        async *read(_result, sent, facts) {
          const file_path = pathIn(sent);
          if (file_path === undefined) return;
          const search = (fact: string) => call("grep", { pattern: fact.trim(), path: file_path });
          let missing = facts;
          if (isSearch(reader, facts)) {
            // Its search takes one plain text. The first answer may show the others as well.
            missing = yield await Promise.all(facts.slice(0, 1).map(search));
            if (missing.length > 0) yield await Promise.all(missing.map(search));
          }
          let offset: string | undefined = "0";
          while (offset !== undefined) {
            const step: ReadStep = await call("read_file", { file_path, offset: Number(offset) });
            missing = yield [step];
            offset = /^@@.* next offset (\d+)/m.exec(step.answer)?.[1];
          }
          // What a read cuts off a long line, only a search can reach.
          yield await Promise.all(missing.map(search));
        },

        async *readPart({ text }, sent, part) {
          const file_path = pathIn(sent);
          if (file_path === undefined) return;
          const limit = leadingLines(text, part);
          yield [await call("read_file", { file_path, offset: 0, limit })];
        },
      };
    },
  };
}

function pathIn(sent = ""): string | undefined {
  return /saved in the filesystem at this path: (\S+)/.exec(sent)?.[1];
}

/** The tools that it adds to a request, in the form in which they are sent. */
async function describeTools(middleware: Middleware, importPeer: ImportPeer): Promise<string> {
  const { convertToOpenAITool } = await importPeer<LangChainTools>(
    "@langchain/core/utils/function_calling",
  );
  let tools: readonly unknown[] = [];
  const request = { tools: middleware.tools, messages: [], state: {}, runtime: {} };
  await middleware.wrapModelCall(request, (sent) => {
    tools = sent.tools;
  });
  return JSON.stringify(tools.map((tool) => convertToOpenAITool(tool).function));
}
