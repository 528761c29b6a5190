import {
  BaseLlm,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  Runner,
  StreamingMode,
} from "@google/adk";
import * as adk1 from "adk-1";
import type { Content, Part } from "@google/genai";
import { offloadPlugin } from "context-offload/google";
import { describe, expect, it } from "vitest";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";

type Model = (contents: readonly Content[]) => Part[];

/** ADK, its current version and the one before. */
const VERSIONS = {
  "ADK 2": { BaseLlm, FunctionTool, InMemorySessionService, LlmAgent, Runner },
  "ADK 1": adk1 as unknown as {
    BaseLlm: typeof BaseLlm;
    FunctionTool: typeof FunctionTool;
    InMemorySessionService: typeof InMemorySessionService;
    LlmAgent: typeof LlmAgent;
    Runner: typeof Runner;
  },
};

function responses(contents: readonly Content[]): Record<string, unknown>[] {
  return contents.flatMap(({ parts = [] }) =>
    parts.flatMap(({ functionResponse }) =>
      functionResponse ? [functionResponse.response ?? {}] : [],
    ),
  );
}

/** Fetches the log, searches the reference, and answers from what it read. */
const story: Model = (contents) => {
  const last = responses(contents.slice(-1))[0];
  if (!last) return [{ functionCall: { name: "fetch_log", args: {} } }];
  const text = (last["output"] ?? last["result"]) as string;
  const id = /<knowledge id="([^"]+)"/.exec(text)?.[1];
  if (id === undefined) return [{ text: `Read: ${text.slice(0, 500)}` }];
  return [{ functionCall: { name: SEARCH.name, args: { ...SEARCH.input, id } } }];
};

async function run(
  version: keyof typeof VERSIONS,
  model: Model,
  plugin: ReturnType<typeof offloadPlugin>,
  { userId = "ann", turns = 1, streamingMode = StreamingMode.NONE, toolName = "fetch_log" } = {},
) {
  const adk = VERSIONS[version];
  const requests: { contents: Content[]; tools: unknown; systemInstruction: unknown }[] = [];
  class ScriptedLlm extends adk.BaseLlm {
    override async *generateContentAsync(
      request: Parameters<BaseLlm["generateContentAsync"]>[0],
      isStreamed?: boolean,
    ) {
      const { tools, systemInstruction } = request.config ?? {};
      requests.push({ contents: structuredClone(request.contents), tools, systemInstruction });
      await Promise.resolve();
      const parts = model(request.contents);
      const text = parts.map((part) => part.text ?? "").join("");
      const middle = Math.floor(text.length / 2);
      const pieces = isStreamed && text !== "" ? [text.slice(0, middle), text.slice(middle)] : [];
      for (const piece of pieces) {
        yield { content: { role: "model", parts: [{ text: piece }] }, partial: true };
      }
      yield { content: { role: "model", parts } };
    }
    override connect(): never {
      throw new Error("not live");
    }
  }
  const fail = new adk.FunctionTool({
    name: "fail",
    description: "Fails",
    execute: () => {
      throw new Error("no such service");
    },
  });
  const crash = new adk.FunctionTool({
    name: "crash",
    description: "Fails with a log",
    execute: () => {
      throw new Error(LOG);
    },
  });
  const agent = new adk.LlmAgent({
    name: "agent",
    model: new ScriptedLlm({ model: "scripted" }),
    tools: [
      new adk.FunctionTool({ name: toolName, description: "The log", execute: () => LOG }),
      fail,
      crash,
    ],
  });
  const sessionService = new adk.InMemorySessionService();
  const runner = new adk.Runner({ appName: "app", agent, sessionService, plugins: [plugin] });
  await sessionService.createSession({ appName: "app", userId, sessionId: "s1" });
  let answer = "";
  const pieces: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const newMessage = { role: "user", parts: [{ text: "Why was 7731 declined?" }] };
    const runConfig = { streamingMode };
    for await (const event of runner.runAsync({
      ...{ userId, sessionId: "s1", newMessage, runConfig },
    })) {
      const text = event.content?.parts?.map((part) => part.text ?? "").join("");
      if (event.partial) pieces.push(text ?? "");
      else answer = text ?? answer;
    }
  }
  const session = await sessionService.getSession({ appName: "app", userId, sessionId: "s1" });
  return { answer, pieces, requests, saved: JSON.stringify(session?.events) };
}

describe.each(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])(
  "offloadPlugin, %s",
  (version) => {
    it.each(["reference", "original"] as const)(
      "the model greps; the %s is saved",
      async (keep) => {
        const { workspace } = await storyWorkspace();
        const { answer, requests, saved } = await run(
          version,
          story,
          offloadPlugin({ workspace, keep }),
        );
        expect(answer).toContain(NEEDED);
        expect(requests[0]?.systemInstruction).toMatch(/<knowledge_list> replaces.*read_stored/);
        expect(
          Math.max(...requests.map((request) => JSON.stringify(request.contents).length)),
        ).toBeLessThan(2 * SHORT);
        if (keep === "original") expect(saved.length).toBeGreaterThan(LOG.length);
        else expect(saved.length).toBeLessThan(3 * SHORT);
        const { artifacts } = await workspace.getToolResultOffloadInfo({ sessionId: "ann/s1" });
        expect(artifacts.map(({ tool_name }) => tool_name)).toEqual(["fetch_log"]);
      },
    );

    it("streams", async () => {
      const { workspace } = await storyWorkspace();
      const { answer, pieces, requests, saved } = await run(
        ...([version, story, offloadPlugin({ workspace })] as const),
        { streamingMode: StreamingMode.SSE },
      );
      expect(pieces).toHaveLength(2);
      expect(pieces.join("")).toBe(answer);
      expect(answer).toContain(NEEDED);
      const lengths = requests.map(({ contents }) => JSON.stringify(contents).length);
      expect(Math.max(...lengths)).toBeLessThan(2 * SHORT);
      expect(saved.length).toBeLessThan(3 * SHORT);
    });

    it("keeps a second turn cheap, and two users with the same session id apart", async () => {
      const { workspace } = await storyWorkspace();
      const plugin = offloadPlugin({ workspace });
      const { requests } = await run(version, story, plugin, { turns: 2 });
      expect(JSON.stringify(requests.at(-1)?.contents).length).toBeLessThan(4 * SHORT);
      await run(version, story, plugin, { userId: "bob" });
      const page = await workspace.getToolResultOffloadInfo({ sessionId: "bob/s1" });
      expect(page.artifacts).toHaveLength(1);
    });

    it("answers parallel calls and a thrown error", async () => {
      const { workspace } = await storyWorkspace();
      const model: Model = (contents) =>
        responses(contents).length > 0
          ? [{ text: "Done." }]
          : ["fetch_log", "fetch_log", "fail"].map((name) => ({
              functionCall: { name, args: {} },
            }));
      const { requests } = await run(version, model, offloadPlugin({ workspace }));
      const [first, second, failed] = responses(requests.at(-1)?.contents ?? []);
      expect(first?.["output"]).toContain("<knowledge_list");
      expect(second?.["output"]).toContain("<knowledge_list");
      expect(JSON.stringify(failed)).toContain("no such service");
    });

    it("offloads an error as long as a log, still as an error", async () => {
      const { workspace } = await storyWorkspace();
      const model: Model = (contents) =>
        responses(contents).length > 0
          ? [{ text: "Done." }]
          : [{ functionCall: { name: "crash", args: {} } }];
      const { requests } = await run(version, model, offloadPlugin({ workspace }));
      const [failed] = responses(requests.at(-1)?.contents ?? []);
      expect(failed?.["error"]).toContain("<knowledge_list");
      expect(JSON.stringify(failed).length).toBeLessThan(SHORT);
    });

    it("rejects a tool that has the name of a reading tool, and what cannot be kept", async () => {
      const { workspace } = await storyWorkspace();
      const plugin = offloadPlugin({ workspace });
      const { requests, saved } = await run(version, story, plugin, { toolName: SEARCH.name });
      // ADK ends the run with an event.
      expect(saved).toMatch(/"errorMessage":"[^"]*toolNames/);
      expect(requests).toEqual([]);
      expect(() => offloadPlugin({ keep: "both" as "original" })).toThrow(/keep/);
    });

    it("goes on when nothing can be stored, and says so", async () => {
      const { workspace, events } = await brokenWorkspace();
      const { answer } = await run(version, story, offloadPlugin({ workspace }));
      expect(answer).toContain("Read: ");
      expect(events.map(({ event }) => event)).toContain("failure");
    });
  },
);

// Never called: that it compiles is the test.
export const types = () => {
  const options = { appName: "app", plugins: [offloadPlugin()] };
  const sessionService = new InMemorySessionService();
  new Runner({ ...options, sessionService, agent: new LlmAgent({ name: "a" }) });
  new adk1.Runner({
    ...{ ...options, agent: new adk1.LlmAgent({ name: "a" }) },
    sessionService: new adk1.InMemorySessionService(),
  });
  // @ts-expect-error there are two kinds of copies to keep
  offloadPlugin({ keep: "both" });
};
