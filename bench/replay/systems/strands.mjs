import { importPeer } from "../../peers.mjs";
import { isSearch, patternOf } from "../reader.mjs";
import { presentOnArrival } from "./replaced-text.mjs";

const PAGE_LINES = 200;
const PATTERN_CHARS = 200;

/**
 * Strands' context offloader with its defaults: it forgets what is older than 20 cycles of the agent.
 *
 * @type {import("../replay.mjs").System}
 */
export const strands = {
  name: "Strands",
  async start({ reader, contextLines }) {
    const { ContextOffloader } = await importPeer(
      "@strands-agents/sdk/vended-plugins/context-offloader",
    );
    const sdk = await importPeer("@strands-agents/sdk");
    const { AfterToolCallEvent, BeforeModelCallEvent, Model, TextBlock, ToolResultBlock } = sdk;
    /** @type {Map<unknown, (event: any) => unknown>} */
    const hooks = new Map();
    const agent = {
      metrics: { cycleCount: 0 },
      model: {
        countTokens: (/** @type {any} */ messages) => Model.prototype.countTokens(messages),
      },
      addHook: (/** @type {unknown} */ event, /** @type {(event: any) => unknown} */ hook) =>
        hooks.set(event, hook),
    };
    const plugin = new ContextOffloader({});
    plugin.initAgent(agent);
    const [tool] = plugin.getTools();

    const arrive = presentOnArrival(async ({ callId, toolName, text, isError }) => {
      const result = new ToolResultBlock({
        toolUseId: callId,
        status: isError ? "error" : "success",
        content: [new TextBlock(text)],
      });
      const event = { agent, tool, toolUse: { name: toolName, toolUseId: callId }, result };
      await hooks.get(AfterToolCallEvent)?.(event);
      return event.result.content.map((/** @type {any} */ block) => block.text).join("\n");
    });

    /** @param {object} input */
    async function call(input) {
      const value = await tool.invoke(input);
      const answer = typeof value === "string" ? value : JSON.stringify(value);
      return { name: tool.name, input, answer };
    }

    return {
      overhead: JSON.stringify(tool.toolSpec),

      async present(history) {
        const sent = await arrive(history);
        agent.metrics.cycleCount++;
        await hooks.get(BeforeModelCallEvent)?.({ agent });
        return sent;
      },

      async *read(_result, sent, facts) {
        const reference = /\[Stored references:\]\n {2}(\S+)/.exec(sent ?? "")?.[1];
        if (reference === undefined) return;
        let missing = facts;
        if (isSearch(reader, facts)) {
          const around = contextLines === undefined ? {} : { context_lines: contextLines };
          for (const wanted of [...groupsOf(facts), ...facts.map((fact) => [fact])]) {
            if (!wanted.some((fact) => missing.includes(fact))) continue;
            const step = await call({ reference, pattern: patternOf(wanted), ...around });
            missing = yield [step];
            if (isGone(step.answer)) return;
          }
        }
        for (let start = 1; ;) {
          const end = start + PAGE_LINES - 1;
          const step = await call({ reference, line_range: { start, end } });
          if (start > 1 && step.answer.startsWith("Error")) break;
          yield [step];
          if (isGone(step.answer)) return;
          const shown = [...step.answer.matchAll(/^ *(\d+)\| /gm)].at(-1)?.[1];
          if (shown === undefined || Number(shown) < start) break;
          start = Number(shown) + 1;
        }
        yield [await call({ reference })];
      },
    };
  },
};

/** @param {string} answer */
function isGone(answer) {
  return answer.startsWith("Error: reference not found");
}

/**
 * Its patterns are cut after 200 characters.
 *
 * @param {readonly string[]} facts
 */
function groupsOf(facts) {
  /** @type {string[][]} */
  const groups = [];
  for (const fact of facts) {
    const last = groups.at(-1);
    if (last && patternOf([...last, fact]).length <= PATTERN_CHARS) last.push(fact);
    else groups.push([fact]);
  }
  return groups;
}
