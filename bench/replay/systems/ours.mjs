import { createOffloader, createWorkspace, parseKnowledgeList, TOOL_NAMES } from "context-offload";
import { isSearch, patternOf } from "../reader.mjs";
import { createReplacer } from "./replaced-text.mjs";

const NEXT_CALL = new RegExp(`\\b(${TOOL_NAMES.join("|")})\\((\\{".*\\})\\)`);

/**
 * @typedef {object} OursOptions
 * @property {string} name
 * @property {import("context-offload/policies").Policy} [policy]
 * @property {number} [digestChars]
 * @property {{ afterTurns: number, minChars?: number } | false} [forgetReads]
 * @property {(reference: string, result: import("../conversation.mjs").ResultItem, start: import("../replay.mjs").SessionStart) => string} [rewrite]
 *   another reference instead of ours
 */

/**
 * This package, as an agent would use it: the whole history is passed before each request.
 *
 * @param {OursOptions} options
 * @returns {import("../replay.mjs").System}
 */
export function ours({ name, policy, digestChars, forgetReads, rewrite }) {
  return {
    name,
    async start(start) {
      const workspace = createWorkspace({ root: start.folder, digestChars });
      const offloader = createOffloader({
        workspace,
        sessionId: "replay",
        format: "anthropic",
        policy,
        forgetReads,
      });
      const toMessage = createConverter();
      const replace = createReplacer();
      /** @type {Map<import("../conversation.mjs").ResultItem, string>} */
      const references = new Map();

      /** @param {string} tool @param {object} input */
      async function call(tool, input) {
        const { content } = await offloader.handleToolCall({
          type: "tool_use",
          id: "read",
          name: tool,
          input,
        });
        const answer = typeof content === "string" ? content : JSON.stringify(content);
        return { name: tool, input, answer };
      }

      /** @param {string} artifact_id */
      async function* page(artifact_id) {
        /** @type {[string, object] | undefined} */
        let next = ["get_knowledge_by_id", { artifact_id }];
        while (next) {
          const step = await call(...next);
          yield [step];
          next = nextCall(step.answer);
        }
      }

      return {
        overhead: `${JSON.stringify(offloader.tools())}\n${offloader.systemPrompt()}`,

        async present(history) {
          const { messages } = await offloader.offload(history.map(toMessage));
          return history.map((item, index) => {
            if (item.role !== "result") return item;
            const block = messages[index]?.content[0];
            const text = block && "content" in block ? block.content : item.text;
            if (typeof text !== "string" || text === item.text) return item;
            references.set(item, text);
            return replace(item, rewrite ? rewrite(text, item, start) : text);
          });
        },

        async *read(result, _sent, facts) {
          const artifact_id = parseKnowledgeList(references.get(result) ?? "")?.[0];
          if (artifact_id === undefined) return;
          if (isSearch(start.reader, facts)) {
            const around =
              start.contextLines === undefined
                ? {}
                : { context_before: start.contextLines, context_after: start.contextLines };
            const search = (/** @type {readonly string[]} */ wanted) =>
              call("grep_knowledge", { artifact_id, pattern: patternOf(wanted), ...around });
            // An answer holds so many matches, and of a long line only some: search again for the rest.
            let missing = facts;
            for (let before = Infinity; missing.length > 0 && missing.length < before;) {
              before = missing.length;
              /** @type {[string, object] | undefined} */
              let next;
              do {
                const step = await (next ? call(...next) : search(missing));
                missing = yield [step];
                next = nextCall(step.answer);
              } while (next && missing.length > 0);
            }
          }
          yield* page(artifact_id);
        },

        close: () => workspace.close(),
      };
    },
  };
}

/**
 * The call that the last line of an answer names to go on.
 *
 * @param {string} answer
 * @returns {[string, object] | undefined}
 */
function nextCall(answer) {
  const last = answer.slice(answer.lastIndexOf("\n") + 1);
  const [, tool, input] = NEXT_CALL.exec(last) ?? [];
  return tool && input ? [tool, JSON.parse(input)] : undefined;
}

/** Each item as one message, the same object each time. */
function createConverter() {
  /** @type {WeakMap<import("../conversation.mjs").Item, { role: string, content: any[] }>} */
  const messages = new WeakMap();
  return (/** @type {import("../conversation.mjs").Item} */ item) => {
    const known = messages.get(item);
    if (known) return known;
    const made = toAnthropic(item);
    messages.set(item, made);
    return made;
  };
}

/**
 * @param {import("../conversation.mjs").Item} item
 * @returns {{ role: string, content: any[] }}
 */
function toAnthropic(item) {
  if (item.role === "user") return { role: "user", content: [{ type: "text", text: item.text }] };
  if (item.role === "result") {
    const block = { type: "tool_result", tool_use_id: item.callId, content: item.text };
    return { role: "user", content: [item.isError ? { ...block, is_error: true } : block] };
  }
  const calls = item.calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
  const text = item.text === "" ? [] : [{ type: "text", text: item.text }];
  return { role: "assistant", content: [...text, ...calls] };
}
