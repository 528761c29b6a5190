import { isSearch, leadingLines, patternOf, type ReadStep } from "../reader.js";
import type { ImportPeer } from "./import-peer.js";
import { presentOnArrival, type System } from "./system.js";

const PAGE_LINES = 200;
/** Its patterns are cut after 200 characters. */
const MAX_PATTERN_CHARS = 200;

type Hook = (event: object) => unknown;

interface StrandsAgent {
  readonly metrics: { cycleCount: number };
  readonly model: { countTokens(messages: unknown): unknown };
  addHook(event: unknown, hook: Hook): void;
}

interface StrandsReadingTool {
  readonly name: string;
  readonly toolSpec: unknown;
  invoke(input: object): Promise<unknown>;
}

interface OffloaderPlugin {
  readonly ContextOffloader: new (options: object) => {
    initAgent(agent: StrandsAgent): void;
    getTools(): readonly [StrandsReadingTool];
  };
}

interface ResultBlock {
  readonly content: readonly { readonly text: string }[];
}

interface Strands {
  readonly AfterToolCallEvent: unknown;
  readonly BeforeModelCallEvent: unknown;
  readonly Model: { readonly prototype: { countTokens(messages: unknown): unknown } };
  readonly TextBlock: new (text: string) => ResultBlock["content"][number];
  readonly ToolResultBlock: new (fields: object) => ResultBlock;
}

/** Strands' context offloader with its defaults: it forgets what is older than 20 cycles of the agent. */
export function strands(importPeer: ImportPeer): System {
  return {
    name: "Strands",
    async start({ reader, contextLines }) {
      const { ContextOffloader } = await importPeer<OffloaderPlugin>(
        "@strands-agents/sdk/vended-plugins/context-offloader",
      );
      const { AfterToolCallEvent, BeforeModelCallEvent, Model, TextBlock, ToolResultBlock } =
        await importPeer<Strands>("@strands-agents/sdk");
      const hooks = new Map<unknown, Hook>();
      const agent: StrandsAgent = {
        metrics: { cycleCount: 0 },
        model: { countTokens: (messages) => Model.prototype.countTokens(messages) },
        addHook: (event, hook) => void hooks.set(event, hook),
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
        return event.result.content.map((block) => block.text).join("\n");
      });

      async function call(input: object): Promise<ReadStep> {
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
          const reference = referenceIn(sent);
          if (reference === undefined) return;
          let missing = facts;
          if (isSearch(reader, facts)) {
            const around = contextLines === undefined ? {} : { context_lines: contextLines };
            for (const wanted of [...groupsOf(facts), ...facts.map((fact) => [fact])]) {
              if (!wanted.some((fact) => missing.includes(fact))) continue;
              const step = await call({ reference, pattern: patternOf(wanted), ...around });
              missing = yield [step];
              if (isGone(step)) return;
            }
          }
          for (let start = 1; ;) {
            const end = start + PAGE_LINES - 1;
            const step = await call({ reference, line_range: { start, end } });
            if (start > 1 && step.answer.startsWith("Error")) break;
            yield [step];
            if (isGone(step)) return;
            const shown = [...step.answer.matchAll(/^ *(\d+)\| /gm)].at(-1)?.[1];
            if (shown === undefined || Number(shown) < start) break;
            start = Number(shown) + 1;
          }
          yield [await call({ reference })];
        },

        async *readPart({ text }, sent, part) {
          const reference = referenceIn(sent);
          if (reference === undefined) return;
          yield [
            await call({ reference, line_range: { start: 1, end: leadingLines(text, part) } }),
          ];
        },
      };
    },
  };
}

function referenceIn(sent = ""): string | undefined {
  return /\[Stored references:\]\n {2}(\S+)/.exec(sent)?.[1];
}

function isGone({ answer }: ReadStep): boolean {
  return answer.startsWith("Error: reference not found");
}

function groupsOf(facts: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const fact of facts) {
    const last = groups.at(-1);
    if (last && patternOf([...last, fact]).length <= MAX_PATTERN_CHARS) last.push(fact);
    else groups.push([fact]);
  }
  return groups;
}
