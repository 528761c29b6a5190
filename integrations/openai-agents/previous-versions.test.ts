import * as agents11 from "agents-0.11";
import * as agents19 from "agents-0.19";
import {
  offloadFilter,
  offloadTools,
  type OpenAIAgentsOptions,
  type OffloadFilter,
} from "context-offload/openai-agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";

const QUESTION = "Which payment was declined?";
const LOG_TOOL = { name: "fetch_log", description: "The log.", parameters: z.object({}) };

/** A request, of any version. */
interface Request {
  readonly input: string | readonly object[];
  readonly systemInstructions?: string;
}

const calling = (name: string, input: object, callId: string) => ({
  ...{ type: "function_call" as const, status: "completed" as const, callId, name },
  arguments: JSON.stringify(input),
});
const saying = (text: string) => ({
  ...{ type: "message" as const, role: "assistant" as const, status: "completed" as const },
  content: [{ type: "output_text" as const, text }],
});
const fetching = () => [calling("fetch_log", {}, "call-1")];
const grep = () => [calling(SEARCH.name, SEARCH.input, "call-2")];
/** Says what the last result says of the payment. */
const answer = ({ input }: Request) => {
  const last = JSON.stringify(input.at(-1));
  return [saying(/ERROR payment[^"\\]*/.exec(last)?.[0] ?? "Nothing found.")];
};
type Reply = (request: Request) => (ReturnType<typeof calling> | ReturnType<typeof saying>)[];

/** A model that gives these replies in turn, and keeps what it was sent. */
function scriptedModel<U>(replies: Reply[], usage: U) {
  const sent: string[] = [];
  const reply = (request: Request) => {
    const output = replies[sent.length]?.(request) ?? [];
    sent.push(JSON.stringify(request.input));
    return { usage, output, responseId: `response-${sent.length}` };
  };
  return {
    sent,
    getResponse: (request: Request) => Promise.resolve(reply(request)),
    async *getStreamedResponse(request: Request) {
      await Promise.resolve();
      const { output, responseId } = reply(request);
      const response = {
        ...{ id: responseId, output },
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      };
      yield { type: "response_done" as const, response };
    },
  };
}

interface Run {
  readonly replies: Reply[];
  readonly tools?: OpenAIAgentsOptions;
  readonly filter?: OffloadFilter;
  readonly stream?: boolean;
}

/** Runs an agent of each version, with tools of its own types. */
const VERSIONS = {
  "0.19": async ({ replies, tools, filter, stream = false }: Run) => {
    agents19.setTracingDisabled(true);
    const model = scriptedModel(replies, new agents19.Usage());
    const own = [agents19.tool({ ...LOG_TOOL, execute: () => LOG })];
    const agent = new agents19.Agent({
      ...{ name: "A", model },
      tools: filter ? [...own, ...filter.tools] : offloadTools(own, tools),
    });
    const runner = new agents19.Runner(filter ? { callModelInputFilter: filter } : {});
    const session = new agents19.MemorySession();
    if (!stream) {
      const { finalOutput } = await runner.run(agent, QUESTION, { session });
      return { finalOutput, sent: model.sent, saved: await session.getItems() };
    }
    const result = await runner.run(agent, QUESTION, { session, stream });
    await result.completed;
    const { finalOutput } = result;
    return { finalOutput, sent: model.sent, saved: await session.getItems() };
  },
  "0.11": async ({ replies, tools, filter, stream = false }: Run) => {
    agents11.setTracingDisabled(true);
    const model = scriptedModel(replies, new agents11.Usage());
    const own = [agents11.tool({ ...LOG_TOOL, execute: () => LOG })];
    const agent = new agents11.Agent({
      ...{ name: "A", model },
      tools: filter ? [...own, ...filter.tools] : offloadTools(own, tools),
    });
    const runner = new agents11.Runner(filter ? { callModelInputFilter: filter } : {});
    const session = new agents11.MemorySession();
    if (!stream) {
      const { finalOutput } = await runner.run(agent, QUESTION, { session });
      return { finalOutput, sent: model.sent, saved: await session.getItems() };
    }
    const result = await runner.run(agent, QUESTION, { session, stream });
    await result.completed;
    const { finalOutput } = result;
    return { finalOutput, sent: model.sent, saved: await session.getItems() };
  },
};

describe.each(Object.entries(VERSIONS))("@openai/agents %s", (_, run) => {
  it.each([false, true])("offloadTools saves the reference (streamed: %s)", async (stream) => {
    const { workspace } = await storyWorkspace();
    const tools = { workspace, sessionId: "chat" };
    const ran = await run({ replies: [fetching, grep, answer], tools, stream });
    expect(ran.finalOutput).toBe(NEEDED);
    expect(ran.sent.filter((input) => input.length > SHORT)).toEqual([]);
    expect(JSON.stringify(ran.saved).length).toBeLessThan(SHORT);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toBe(LOG);
  });

  it("offloadFilter saves the original", async () => {
    const { workspace } = await storyWorkspace();
    const filter = offloadFilter({ workspace });
    const ran = await run({ replies: [fetching, grep, answer], filter });
    expect(ran.finalOutput).toBe(NEEDED);
    expect(ran.sent.filter((input) => input.length > SHORT)).toEqual([]);
    expect(JSON.stringify(ran.saved).length).toBeGreaterThan(LOG.length);
  });

  it("goes on with the whole result if it cannot be stored", async () => {
    const { workspace, events } = await brokenWorkspace();
    const ran = await run({ replies: [fetching, answer], tools: { workspace } });
    expect(ran.finalOutput).toBe(NEEDED);
    expect(ran.sent.at(-1)?.length).toBeGreaterThan(LOG.length);
    expect(events.map(({ event }) => event)).toContain("failure");
  });
});
