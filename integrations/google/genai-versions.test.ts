import { GoogleGenAI, type CallableTool, type Content, type Part } from "@google/genai";
import * as genai1 from "genai-1";
import { offloadCallable } from "context-offload/google";
import { afterEach, describe, expect, it } from "vitest";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../../tests/support/framework-story.js";
import { serveFetch } from "../../tests/support/serve-fetch.js";

/** The SDK, its current major and the one before. */
const VERSIONS = {
  "Gen AI 2": GoogleGenAI,
  "Gen AI 1": genai1.GoogleGenAI as unknown as typeof GoogleGenAI,
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const logs: CallableTool = {
  tool: () =>
    Promise.resolve({ functionDeclarations: [{ name: "fetch_log", description: "The log" }] }),
  callTool: (calls) =>
    Promise.resolve(
      calls.map(({ id = "", name = "" }) => ({
        functionResponse: { id, name, response: { output: LOG } },
      })),
    ),
};

const outputOf = (content: Content | undefined): string | undefined => {
  const part = content?.parts?.find(({ functionResponse }) => functionResponse);
  return part && String(part.functionResponse?.response?.["output"]);
};

/** Fetches the log once, searches the reference, and answers from what it read. */
function story(contents: readonly Content[]): Part[] {
  const read = outputOf(contents.at(-1));
  const isFetched = contents.some((content) => outputOf(content) !== undefined);
  if (read === undefined && isFetched) return [{ text: "You are welcome." }];
  if (read === undefined) return [{ functionCall: { id: "c1", name: "fetch_log", args: {} } }];
  const id = /<knowledge id="([^"]+)"/.exec(read)?.[1];
  if (id === undefined) return [{ text: `Read: ${read.slice(0, 500)}` }];
  return [{ functionCall: { name: SEARCH.name, args: { ...SEARCH.input, id } } }];
}

describe.each(Object.entries(VERSIONS))("offloadCallable, %s", (_, SDK) => {
  /** Gemini's API with a scripted model, and what it was sent. */
  async function start() {
    const sent: string[] = [];
    const server = await serveFetch((url, init) => {
      const { contents } = JSON.parse(init?.body as string) as { contents: Content[] };
      sent.push(JSON.stringify(contents));
      const content = { role: "model", parts: story(contents) };
      const reply = { candidates: [{ content, finishReason: "STOP" }] };
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(
        (url as string).includes("streamGenerateContent")
          ? new Response(`data: ${JSON.stringify(reply)}\n\n`, { headers })
          : Response.json(reply),
      );
    });
    closing.push(() => server.close());
    return { ai: new SDK({ apiKey: "none", httpOptions: { baseUrl: server.url } }), sent };
  }

  it("plays the story in a chat, whose second turn is cheap", async () => {
    const { workspace } = await storyWorkspace();
    const { ai, sent } = await start();
    const tools = [offloadCallable(logs, { workspace, sessionId: "s1" })];
    const chat = ai.chats.create({ model: "gemini-flash", config: { tools } });
    expect((await chat.sendMessage({ message: "Why?" })).text).toContain(NEEDED);
    expect(sent).toHaveLength(3);
    expect(await workspace.getOriginal("c1", { sessionId: "s1" })).toEqual({ output: LOG });
    expect(JSON.stringify(chat.getHistory()).length).toBeLessThan(2 * SHORT);
    await chat.sendMessage({ message: "Thank you." });
    expect(sent).toHaveLength(4);
    expect(sent.filter(({ length }) => length > 2 * SHORT)).toEqual([]);
  });

  it("streams", async () => {
    const { workspace } = await storyWorkspace();
    const { ai, sent } = await start();
    const tools = [offloadCallable(logs, { workspace })];
    const asked = { model: "gemini-flash", contents: "Why?", config: { tools } };
    let text = "";
    for await (const chunk of await ai.models.generateContentStream(asked)) {
      text += chunk.text ?? "";
    }
    expect(text).toContain(NEEDED);
    expect(sent.filter(({ length }) => length > 2 * SHORT)).toEqual([]);
  });

  it("goes on when nothing can be stored, and says so", async () => {
    const { workspace, events } = await brokenWorkspace();
    const { ai } = await start();
    const tools = [offloadCallable(logs, { workspace })];
    const asked = { model: "gemini-flash", contents: "Why?", config: { tools } };
    expect((await ai.models.generateContent(asked)).text).toContain("Read: ");
    expect(events.map(({ event }) => event)).toContain("failure");
  });
});

// Never called: that it compiles is the test.
export const types = (callable: genai1.CallableTool) => {
  const tools: genai1.CallableTool[] = [offloadCallable(callable, { root: "x" })];
  return new genai1.GoogleGenAI({}).chats.create({ model: "m", config: { tools } });
};
