import { GoogleGenAI, type CallableTool, type Content, type Part } from "@google/genai";
import { offloadCallable } from "context-offload/google";
import { afterEach, describe, expect, it } from "vitest";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../support/framework-story.js";
import { serveFetch } from "../support/serve-fetch.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const received: unknown[] = [];
const logs: CallableTool = {
  tool: () =>
    Promise.resolve({
      functionDeclarations: [
        { name: "fetch_log", description: "Returns the log" },
        { name: "save", description: "Saves text" },
        { name: "fail", description: "Fails" },
      ],
    }),
  callTool: (calls) =>
    Promise.resolve(
      calls.map(({ id, name = "", args }) => {
        received.push(args?.["content"]);
        const response = name === "fail" ? { error: "no such service" } : { output: LOG };
        return { functionResponse: { ...(id === undefined ? {} : { id }), name, response } };
      }),
    ),
};

function responsesOf(contents: readonly Content[]): Record<string, unknown>[] {
  return contents.flatMap(({ parts = [] }) =>
    parts.flatMap(({ functionResponse }) =>
      functionResponse ? [functionResponse.response ?? {}] : [],
    ),
  );
}

/** Gemini's API with a scripted model. */
async function startGemini(model: (contents: readonly Content[]) => Part[]) {
  const requests: { contents: Content[]; tools?: unknown }[] = [];
  const server = await serveFetch((url, init) => {
    const body = JSON.parse(init?.body as string) as { contents: Content[] };
    requests.push(body);
    const content = { role: "model", parts: model(body.contents) };
    const reply = { candidates: [{ content, finishReason: "STOP" }] };
    const isStream = (url as string).includes("streamGenerateContent");
    return Promise.resolve(
      isStream
        ? new Response(`data: ${JSON.stringify(reply)}\n\n`, {
            headers: { "content-type": "text/event-stream" },
          })
        : Response.json(reply),
    );
  });
  closing.push(() => server.close());
  const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
  return { ai, requests };
}

const story = (contents: readonly Content[]): Part[] => {
  const last = responsesOf(contents.slice(-1))[0];
  if (!last) return [{ functionCall: { id: "c1", name: "fetch_log", args: {} } }];
  const text = String(last["output"]);
  const id = /<knowledge id="([^"]+)"/.exec(text)?.[1];
  if (id === undefined) return [{ text: `Read: ${text.slice(0, 500)}` }];
  return [{ functionCall: { name: SEARCH.name, args: { ...SEARCH.input, artifact_id: id } } }];
};

const ASK = { model: "gemini-flash", contents: "Why was 7731 declined?" };

describe("offloadCallable", () => {
  it("the model greps and answers from what it read, streamed or not", async () => {
    const { workspace } = await storyWorkspace();
    const { ai, requests } = await startGemini(story);
    const tools = [offloadCallable(logs, { workspace, sessionId: "s1" })];
    const reply = await ai.models.generateContent({ ...ASK, config: { tools } });
    expect(reply.text).toContain(NEEDED);
    expect(
      Math.max(...requests.map(({ contents }) => JSON.stringify(contents).length)),
    ).toBeLessThan(2 * SHORT);
    // What the SDK gives to save is the reference.
    const saved = JSON.stringify(reply.automaticFunctionCallingHistory);
    expect(saved.length).toBeLessThan(2 * SHORT);
    expect(await workspace.getOriginal("c1", { sessionId: "s1" })).toEqual({ output: LOG });

    let text = "";
    const stream = await ai.models.generateContentStream({ ...ASK, config: { tools } });
    for await (const chunk of stream) text += chunk.text ?? "";
    expect(text).toContain(NEEDED);
  });

  it("answers parallel calls, errors, and references as arguments", async () => {
    const { workspace } = await storyWorkspace();
    await workspace.put({ content: "stored" }, { toolCallId: "a", sessionId: "s1" });
    const { ai, requests } = await startGemini((contents) =>
      responsesOf(contents).length > 0
        ? [{ text: "Done." }]
        : [
            { functionCall: { name: "fetch_log", args: {} } },
            { functionCall: { name: "save", args: { content: "offload:a" } } },
            { functionCall: { name: "fail", args: {} } },
          ],
    );
    const options = { workspace, sessionId: "s1", acceptReferences: ["save"] };
    await ai.models.generateContent({
      ...ASK,
      config: { tools: [offloadCallable(logs, options)] },
    });
    expect(received).toContain("stored");
    const [first, second, failed] = responsesOf(requests[1]?.contents ?? []);
    expect(first?.["output"]).toContain("<knowledge_list");
    expect(second?.["output"]).toContain("<knowledge_list");
    expect(failed).toEqual({ error: "no such service" });
    expect(JSON.stringify(requests[0]?.tools)).toContain("offload:<artifact_id>");
  });

  it("passes on what a callable throws, as the SDK does without it", async () => {
    const { workspace, events } = await storyWorkspace();
    const failing = { ...logs, callTool: () => Promise.reject(new Error("no such service")) };
    for (const tool of [failing, offloadCallable(failing, { workspace, sessionId: "s1" })]) {
      const { ai } = await startGemini(story);
      const asked = ai.models.generateContent({ ...ASK, config: { tools: [tool] } });
      await expect(asked).rejects.toThrow("no such service");
    }
    expect(events).toEqual([]);
  });

  it("tells the model of a bad reference, and runs the other calls", async () => {
    const { workspace } = await storyWorkspace();
    await workspace.put({ content: "own" }, { toolCallId: "mine", sessionId: "s1" });
    await workspace.put({ content: "secret" }, { toolCallId: "theirs", sessionId: "s2" });
    received.length = 0;
    const { ai, requests } = await startGemini((contents) =>
      responsesOf(contents).length > 0
        ? [{ text: "Done." }]
        : [
            { functionCall: { id: "c1", name: "save", args: { content: "offload:theirs" } } },
            { functionCall: { id: "c2", name: "save", args: { content: "offload:mine" } } },
          ],
    );
    const options = { workspace, sessionId: "s1", acceptReferences: ["save"] };
    const tools = [offloadCallable(logs, options)];
    const reply = await ai.models.generateContent({ ...ASK, config: { tools } });
    expect(reply.text).toBe("Done.");
    expect(received).toEqual(["own"]);
    const parts = requests[1]?.contents.at(-1)?.parts ?? [];
    const refused = parts.find(({ functionResponse }) => functionResponse?.id === "c1");
    expect(refused?.functionResponse).toMatchObject({
      name: "save",
      response: { error: expect.stringMatching(/theirs[^]*mine/) as string },
    });
    expect(JSON.stringify(parts)).not.toContain("secret");
    expect(parts).toHaveLength(2);
  });

  it("rejects a function that has the name of a reading tool", async () => {
    const { workspace } = await storyWorkspace();
    const { ai } = await startGemini(story);
    const own: CallableTool = {
      tool: () => Promise.resolve({ functionDeclarations: [{ name: SEARCH.name }] }),
      callTool: () => Promise.resolve([]),
    };
    const tools = [offloadCallable(own, { workspace })];
    const asked = ai.models.generateContent({ ...ASK, config: { tools } });
    await expect(asked).rejects.toThrow(/toolNames/);
  });

  it("goes on when nothing can be stored, and keeps the caller's type", async () => {
    const { workspace, events } = await brokenWorkspace();
    const { ai } = await startGemini(story);
    const tool: CallableTool = offloadCallable(logs, { workspace });
    const reply = await ai.models.generateContent({ ...ASK, config: { tools: [tool] } });
    expect(reply.text).toContain("Read: ");
    expect(events.map(({ event }) => event)).toContain("failure");
    // @ts-expect-error: not a callable tool
    expect(() => offloadCallable({ functionDeclarations: [] })).toThrow(/callTool/);
  });
});
