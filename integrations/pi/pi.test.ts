import {
  Agent,
  type AgentMessage,
  type AgentOptions,
  type AgentTool,
} from "@mariozechner/pi-agent-core";
import {
  fauxAssistantMessage,
  fauxToolCall,
  registerFauxProvider,
  type FauxResponseStep,
} from "@mariozechner/pi-ai";
import { offloadAgent } from "context-offload/pi";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  answerFrom,
  brokenWorkspace,
  LOG,
  NEEDED,
  QUESTION,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";

const fetchCall = (id: string) => fauxToolCall("fetch_log", {}, { id });
const grepCall = fauxToolCall(SEARCH.name, SEARCH.input, { id: "call-2" });
const calls = (...content: ReturnType<typeof fauxToolCall>[]) =>
  fauxAssistantMessage(content, { stopReason: "toolUse" });

const fetchLog: AgentTool = {
  ...{ name: "fetch_log", label: "Fetch", description: "Fetches the log." },
  parameters: { type: "object", properties: {} },
  execute: () => Promise.resolve({ content: [{ type: "text", text: LOG }], details: {} }),
};

const textOf = (message: AgentMessage | undefined): string => {
  const content = message && "content" in message ? message.content : "";
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
};

/** pi's own fake provider playing the turns, and what each request held. */
function scriptedModel(...turns: FauxResponseStep[]) {
  const requests: { prompt: string; tools: string[]; results: string[] }[] = [];
  const faux = registerFauxProvider();
  onTestFinished(() => {
    faux.unregister();
  });
  faux.setResponses(
    turns.map((turn) => (context, ...rest) => {
      requests.push({
        prompt: context.systemPrompt ?? "",
        tools: (context.tools ?? []).map(({ name }) => name),
        results: context.messages.filter(({ role }) => role === "toolResult").map(textOf),
      });
      return typeof turn === "function" ? turn(context, ...rest) : turn;
    }),
  );
  return { model: faux.getModel(), requests };
}

/** Says what the last result says of the payment. */
const answer: FauxResponseStep = ({ messages }) =>
  fauxAssistantMessage(answerFrom(textOf(messages.at(-1))));

const state = (model: ReturnType<typeof scriptedModel>["model"], tools = [fetchLog]) => ({
  initialState: { systemPrompt: "Be brief.", model, tools },
  sessionId: "chat-1",
});

const said = ({ state: { messages } }: Agent) => textOf(messages.at(-1));

describe("offloadAgent", () => {
  it.each(["reference", "original"] as const)("saves the %s", async (keep) => {
    const { workspace } = await storyWorkspace();
    const { model, requests } = scriptedModel(
      ...[calls(fetchCall("call-1")), calls(grepCall), answer],
      fauxAssistantMessage("You are welcome."),
    );
    const agent = new Agent(offloadAgent(state(model), { workspace, keep }));
    const updates: string[] = [];
    agent.subscribe((event) => {
      if (event.type === "message_update") updates.push(textOf(event.message));
    });
    await agent.prompt(QUESTION);
    expect(said(agent)).toBe(NEEDED);
    expect(updates.at(-1)).toBe(NEEDED);
    expect(requests[0]).toMatchObject({ prompt: expect.stringMatching(/^Be brief\.\n\nLong/) });
    expect(requests[0]?.tools).toEqual(expect.arrayContaining(["fetch_log", SEARCH.name]));
    expect(requests.flatMap(({ results }) => results).filter((r) => r.length > SHORT)).toEqual([]);
    expect(await workspace.getOriginal("call-1", { sessionId: "chat-1" })).toEqual([
      { type: "text", text: LOG },
    ]);

    const saved = agent.state.messages.find(({ role }) => role === "toolResult");
    if (keep === "original") expect(textOf(saved)).toBe(LOG);
    else expect(textOf(saved)).toMatch(/^<knowledge_list>/);

    // The second turn is cheap.
    await agent.prompt("Thank you.");
    expect(requests).toHaveLength(4);
    expect(requests[3]?.results).not.toEqual([]);
    expect(requests[3]?.results.every(({ length }) => length < SHORT)).toBe(true);
  });

  it("offloads the results of parallel calls, each under its own id", async () => {
    const { workspace } = await storyWorkspace();
    const ids = ["a", "b", "c"];
    const { model, requests } = scriptedModel(
      calls(...ids.map(fetchCall)),
      calls(grepCall),
      answer,
    );
    const agent = new Agent(offloadAgent(state(model), { workspace }));
    await agent.prompt(QUESTION);
    expect(said(agent)).toBe(NEEDED);
    expect(requests[1]?.results.map(({ length }) => length < SHORT)).toEqual([true, true, true]);
    for (const id of ids) await workspace.getOriginal(id, { sessionId: "chat-1" });
  });

  it.each(["reference", "original"] as const)(
    "goes on with the whole result if it cannot be stored (%s)",
    async (keep) => {
      const { workspace, events } = await brokenWorkspace();
      const { model, requests } = scriptedModel(calls(fetchCall("call-1")), answer);
      const agent = new Agent(offloadAgent(state(model), { workspace, keep }));
      await agent.prompt(QUESTION);
      expect(said(agent)).toBe(NEEDED);
      expect(requests[1]?.results).toEqual([LOG]);
      expect(events.map(({ event }) => event)).toContain("failure");
    },
  );

  it("leaves what a tool threw to pi, and answers wrong reads with an error", async () => {
    const { workspace } = await storyWorkspace();
    const failing = { ...fetchLog, execute: () => Promise.reject(new Error("no such log")) };
    const wrong = fauxToolCall("read_stored", { id: "none" }, { id: "call-2" });
    const { model } = scriptedModel(calls(fetchCall("call-1")), calls(wrong), answer);
    const agent = new Agent(offloadAgent(state(model, [failing]), { workspace }));
    await agent.prompt(QUESTION);
    const results = agent.state.messages.filter(({ role }) => role === "toolResult");
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    expect(results.map(textOf)).toEqual(["no such log", expect.stringContaining("none")]);
  });

  it("offloads what a tool threw if it is as long as a log, still as an error", async () => {
    const { workspace } = await storyWorkspace();
    const failing = { ...fetchLog, execute: () => Promise.reject(new Error(LOG)) };
    const { model } = scriptedModel(calls(fetchCall("call-1")), answer);
    const agent = new Agent(offloadAgent(state(model, [failing]), { workspace }));
    await agent.prompt(QUESTION);
    const [result] = agent.state.messages.filter(({ role }) => role === "toolResult");
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain("<knowledge_list>");
  });

  it("runs the host's own hooks first", async () => {
    const { workspace } = await storyWorkspace();
    const { model } = scriptedModel(calls(fetchCall("call-1")), calls(grepCall), answer);
    let requests = 0;
    const hooks: Pick<AgentOptions, "afterToolCall" | "transformContext"> = {
      afterToolCall: ({ toolCall }) =>
        Promise.resolve(
          toolCall.name === "fetch_log"
            ? { content: [{ type: "text", text: LOG.replaceAll("7731", "****") }] }
            : undefined,
        ),
      transformContext: (messages) => {
        requests += 1;
        return Promise.resolve(messages.slice());
      },
    };
    const agent = new Agent(offloadAgent({ ...state(model), ...hooks }, { workspace }));
    await agent.prompt(QUESTION);
    expect(said(agent)).toContain("payment ****");
    expect(requests).toBe(3);
  });

  it("has a random session for each agent where there is none", async () => {
    const { workspace } = await storyWorkspace();
    const first = scriptedModel(calls(fetchCall("call-1")), calls(grepCall), answer);
    const { initialState } = state(first.model);
    await new Agent(offloadAgent({ initialState }, { workspace })).prompt(QUESTION);
    const { model } = scriptedModel(calls(grepCall), answer);
    const other = new Agent(offloadAgent({ initialState: { model } }, { workspace }));
    await other.prompt(QUESTION);
    expect(said(other)).toBe("Nothing found.");
  });
});

// Never called: that it compiles is the test.
export const types = (settings: AgentOptions) => {
  new Agent(offloadAgent(settings));
  new Agent(offloadAgent({ ...settings, sessionId: "chat" }, { keep: "original" }));
  // @ts-expect-error a hook of pi must not throw
  offloadAgent(settings, { onError: "throw" });
};
