import { createOffloader, createWorkspace, parseKnowledgeList, TOOL_NAMES } from "context-offload";
import { type AnthropicMessage } from "context-offload/formats";
import { type Policy } from "context-offload/policies";
import type { Item, ResultItem } from "../conversation/conversation.js";
import { isSearch, leadingLines, patternOf, type ReadStep } from "../reader.js";
import { createReplacer, once, type SessionStart, type System } from "./system.js";

/** The one reading tool that an offloader adds. */
const READING_TOOL = "read_stored";
const NEXT_CALL = new RegExp(`\\b(${TOOL_NAMES.join("|")})\\((\\{".*\\})\\)`);

/** Sends all results whole: what the others are measured against. */
export const everything: System = {
  name: "everything",
  start: () => Promise.resolve({ overhead: "", present: (history) => [...history] }),
};

export interface OursOptions {
  readonly name: string;
  readonly policy?: Policy | undefined;
  readonly digestChars?: number | undefined;
  /** Another reference instead of ours. */
  readonly rewrite?: (reference: string, result: ResultItem, start: SessionStart) => string;
}

/** This package, as an agent would use it: the whole history is passed before each request. */
export function ours({ name, policy, digestChars, rewrite }: OursOptions): System {
  return {
    name,
    start(start) {
      const workspace = createWorkspace({ root: start.folder, digestChars });
      const offloader = createOffloader({
        workspace,
        sessionId: "replay",
        format: "anthropic",
        policy,
      });
      const toMessage = once(toAnthropic);
      const replace = createReplacer();
      const references = new Map<ResultItem, string>();

      async function call(tool: string, input: object): Promise<ReadStep> {
        const { content } = await offloader.handleToolCall({
          type: "tool_use",
          id: "read",
          name: tool,
          input,
        });
        const answer = typeof content === "string" ? content : JSON.stringify(content);
        return { name: tool, input, answer };
      }

      const idOf = (result: ResultItem) => parseKnowledgeList(references.get(result) ?? "")?.[0];

      /** An answer, and the ones that it names to go on, until so many characters have come. */
      async function* pages(first: ReadCall, maxChars = Infinity) {
        let chars = 0;
        for (let page: ReadCall | undefined = first; page && chars < maxChars;) {
          const step: ReadStep = await call(...page);
          yield [step];
          chars += step.answer.length;
          page = nextCall(step.answer);
        }
      }

      return Promise.resolve({
        overhead: `${JSON.stringify(offloader.tools())}\n${offloader.systemPrompt()}`,

        async present(history) {
          const { messages } = await offloader.offload(history.map(toMessage));
          return history.map((item, index) => {
            if (item.role !== "result") return item;
            const block = messages[index]?.content[0];
            const text =
              typeof block === "object" && "content" in block ? block.content : undefined;
            if (typeof text !== "string" || text === item.text) return item;
            references.set(item, text);
            return replace(item, rewrite ? rewrite(text, item, start) : text);
          });
        },

        async *read(result, _sent, facts) {
          const id = idOf(result);
          if (id === undefined) return;
          if (isSearch(start.reader, facts)) {
            const around =
              start.contextLines === undefined
                ? {}
                : { context_before: start.contextLines, context_after: start.contextLines };
            const search = (wanted: readonly string[]) =>
              call(READING_TOOL, { id, pattern: patternOf(wanted), ...around });
            // An answer holds so many matches, and of a long line only some: search again for the rest.
            let missing = facts;
            for (let before = Infinity; missing.length > 0 && missing.length < before;) {
              before = missing.length;
              let next: ReadCall | undefined;
              do {
                const step = await (next ? call(...next) : search(missing));
                missing = yield [step];
                next = nextCall(step.answer);
              } while (next && missing.length > 0);
            }
          }
          yield* pages([READING_TOOL, { id }]);
        },

        async *readPart(result, _sent, part) {
          const id = idOf(result);
          if (id === undefined) return;
          const lines = part < 1 ? { lines: `1-${leadingLines(result.text, part)}` } : {};
          yield* pages([READING_TOOL, { id, ...lines }], result.text.length * part);
        },

        close: () => workspace.close(),
      });
    },
  };
}

/** Our own tools with a reference that shows nothing: a digest must do better than this. */
export const bareReference = ours({
  name: "bare reference",
  rewrite: (_reference, { callId }) => `[stored as ${callId}]`,
});

/** Our own tools with a digest that knew what will be used: how far a digest can get. */
export const oracle = ours({
  name: "oracle",
  rewrite: (_reference, result, { usedLater }) =>
    [`[stored as ${result.callId}]`, ...(usedLater.get(result) ?? [])].join("\n"),
});

type ReadCall = readonly [tool: string, input: object];

/** The call that the last line of an answer names to go on. */
function nextCall(answer: string): ReadCall | undefined {
  const last = answer.slice(answer.lastIndexOf("\n") + 1);
  const [, tool, input] = NEXT_CALL.exec(last) ?? [];
  return tool && input ? [tool, JSON.parse(input) as object] : undefined;
}

/** Each item as one message. */
function toAnthropic(item: Item): AnthropicMessage {
  if (item.role === "user") return { role: "user", content: [{ type: "text", text: item.text }] };
  if (item.role === "result") {
    const { callId, text, isError } = item;
    const block = { type: "tool_result" as const, tool_use_id: callId, content: text };
    return { role: "user", content: [isError ? { ...block, is_error: true } : block] };
  }
  const calls = item.calls.map(({ id, name, input }) => ({
    ...{ type: "tool_use" as const, id, name },
    input: input as Record<string, unknown>,
  }));
  const text = item.text === "" ? [] : [{ type: "text" as const, text: item.text }];
  return { role: "assistant", content: [...text, ...calls] };
}
