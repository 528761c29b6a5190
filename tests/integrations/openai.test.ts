import { offloadResponses, offloadTools, type ReadingTool } from "context-offload/openai";
import { readLedger } from "context-offload/ledger";
import OpenAI6 from "openai";
import OpenAI7 from "openai-7";
import { zodFunction as zodFunction6 } from "openai/helpers/zod";
import { zodFunction as zodFunction7 } from "openai-7/helpers/zod";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../support/framework-story.js";
import { scriptOpenAI } from "../support/scripted-openai.js";

const SDKS = [
  { name: "openai 6", OpenAI: OpenAI6, zodFunction: zodFunction6 },
  // Both take the same calls; the types of version 7 are checked in a test of their own.
  {
    name: "openai 7",
    OpenAI: OpenAI7 as unknown as typeof OpenAI6,
    zodFunction: zodFunction7 as unknown as typeof zodFunction6,
  },
];

const FETCH = { id: "call-1", name: "fetch_log", input: { service: "checkout" } };
const GREP = { id: "call-2", ...SEARCH };
const QUESTION = { role: "user" as const, content: "Which payment was declined?" };
const answer = (read: string) => /ERROR payment[^"\\]*/.exec(read)?.[0] ?? "Nothing found.";
const STORY = [[FETCH], [GREP], answer];

describe.each(SDKS)("offloading with $name", ({ OpenAI, zodFunction }) => {
  const parameters = { type: "object", properties: {} };
  const fetchLog = {
    type: "function" as const,
    function: {
      ...{ name: "fetch_log", description: "Fetches the log.", parameters },
      parse: JSON.parse as (text: string) => { service: string },
      function: () => LOG as unknown,
    },
  };
  const open = (moves: Parameters<typeof scriptOpenAI>[0]) => {
    const { requests, fetch } = scriptOpenAI(moves);
    const client = new OpenAI({ apiKey: "none", fetch, maxRetries: 0 });
    const run = (tools: [typeof fetchLog, ...ReadingTool[]]) =>
      client.chat.completions.runTools({ model: "scripted", messages: [QUESTION], tools });
    return { requests, client, run };
  };
  const expectShort = (requests: readonly object[], count: number) => {
    expect(requests).toHaveLength(count);
    const sizes = requests.map((body) => JSON.stringify({ ...body, tools: undefined }).length);
    expect(sizes.filter((size) => size > SHORT)).toEqual([]);
  };

  describe("offloadTools in runTools", () => {
    it("gives the model a reference, which the runner's messages keep", async () => {
      const { workspace } = await storyWorkspace();
      const { requests, client, run } = open([...STORY, "You are welcome."]);
      const tools = offloadTools([fetchLog], { workspace, sessionId: "chat" });
      const runner = run(tools);
      expect(await runner.finalContent()).toBe(NEEDED);
      expectShort(requests, 3);
      expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toBe(LOG);
      expect(JSON.stringify(runner.messages).length).toBeLessThan(SHORT);

      const messages = [...runner.messages, { role: "user" as const, content: "Thank you." }];
      await client.chat.completions.runTools({ model: "scripted", messages, tools }).done();
      expectShort(requests, 4);
    });

    it("streams", async () => {
      const { workspace } = await storyWorkspace();
      const { requests, client } = open(STORY);
      const runner = client.chat.completions.runTools({
        ...{ model: "scripted", messages: [QUESTION], stream: true },
        tools: offloadTools([fetchLog], { workspace }),
      });
      expect(await runner.finalContent()).toBe(NEEDED);
      expectShort(requests, 3);
    });

    it("notes what OpenAI counted, cached input apart, beside our estimates", async () => {
      const { workspace } = await storyWorkspace();
      for (const stream of [false, true]) {
        const { client } = open(STORY);
        const sessionId = `stream ${stream}`;
        const tools = offloadTools([fetchLog], { workspace, sessionId });
        const body = { model: "scripted", messages: [QUESTION], tools };
        await (
          stream
            ? client.chat.completions.runTools({ ...body, stream })
            : client.chat.completions.runTools(body)
        ).done();
        const { sessions } = await readLedger(workspace, { sessionId });
        expect(sessions[0]?.usage).toEqual({
          ...{ requests: 3, inputTokens: 3 * 200, cacheReadTokens: 3 * 1_000 },
          ...{ cacheWriteTokens: 0, outputTokens: 3 * 30 },
        });
        expect(sessions[0]?.whole).toBeGreaterThan(6_400);
      }
    });

    it("offloads the results of parallel calls that are alike, each under its own id", async () => {
      const { workspace } = await storyWorkspace();
      let count = 0;
      const counting = {
        ...fetchLog,
        function: { ...fetchLog.function, function: () => `${LOG}\n${++count}` as unknown },
      };
      const calls = ["a", "b", "c"].map((id) => ({ ...FETCH, id }));
      const { requests, run } = open([calls, [GREP], answer]);
      await run(offloadTools([counting], { workspace, sessionId: "chat" })).done();
      expectShort(requests, 3);
      for (const [at, id] of ["a", "b", "c"].entries()) {
        expect(await workspace.getOriginal(id, { sessionId: "chat" })).toBe(`${LOG}\n${at + 1}`);
      }
    });

    it("goes on with the whole result if it cannot be stored", async () => {
      const { workspace, events } = await brokenWorkspace();
      const { requests, run } = open([[FETCH], answer]);
      expect(await run(offloadTools([fetchLog], { workspace })).finalContent()).toBe(NEEDED);
      expect(JSON.stringify(requests.at(-1)).length).toBeGreaterThan(LOG.length);
      expect(events.map(({ event }) => event)).toContain("failure");
    });

    it("fails with what a tool throws, as without it", async () => {
      const { workspace } = await storyWorkspace();
      const failing = {
        ...fetchLog,
        function: {
          ...fetchLog.function,
          function: (): unknown => {
            throw new Error("no such log");
          },
        },
      };
      const { run } = open(STORY);
      await expect(run(offloadTools([failing], { workspace })).done()).rejects.toThrow(
        /no such log/,
      );
    });

    it("wraps the tools of zodFunction, and those without a parser or a name", async () => {
      const { workspace } = await storyWorkspace();
      const schema = z.object({ service: z.string() });
      const byZod = zodFunction({ name: "fetch_log", parameters: schema, function: () => LOG });
      const raw = {
        type: "function" as const,
        function: {
          parameters,
          description: "",
          function: function fetch_log() {
            return LOG;
          },
        },
      };
      const inputs = [
        offloadTools([byZod], { workspace }),
        offloadTools([raw], { workspace }),
      ] as const;
      for (const tools of inputs) {
        const { requests, client } = open(STORY);
        const body = { model: "scripted", messages: [QUESTION] };
        const runner = client.chat.completions.runTools({ ...body, tools });
        expect(await runner.finalContent()).toBe(NEEDED);
        expectShort(requests, 3);
        expect(JSON.stringify(requests[0]?.tools)).toContain('"name":"fetch_log"');
        expect(JSON.stringify(requests[1])).toContain('<knowledge id=\\"call-1\\"');
      }
    });

    it("takes references as arguments of tools on the list", async () => {
      const { workspace } = await storyWorkspace();
      const got: unknown[] = [];
      const take = (args: unknown): string => {
        got.push(args);
        return "saved";
      };
      const save = {
        type: "function" as const,
        function: { ...fetchLog.function, name: "save", description: "Saves.", function: take },
      };
      const saveRaw = {
        type: "function" as const,
        function: { name: "save_raw", description: "Saves.", parameters, function: take },
      };
      const text = "offload:call-1#lines=2346";
      const { requests, client } = open([
        [FETCH],
        [
          { id: "s1", name: "save", input: { text } },
          { id: "s2", name: "save_raw", input: { text } },
          { id: "s3", name: "save", input: { text: "offload:elsewhere" } },
          { id: "s4", name: "save_raw", input: { text: "offload:elsewhere" } },
        ],
        "done",
      ]);
      await client.chat.completions
        .runTools({
          ...{ model: "scripted", messages: [QUESTION] },
          tools: offloadTools([fetchLog, save, saveRaw], {
            ...{ workspace, acceptReferences: ["save", "save_raw"] },
          }),
        })
        .done();
      const line = `2026-11-15T08:00:00Z ${NEEDED}`;
      expect(new Set(got)).toEqual(new Set([{ text: line }, JSON.stringify({ text: line })]));
      const answers = requests
        .at(-1)
        ?.messages?.slice(-2)
        .map(({ content }) => content);
      expect(answers).toEqual([
        expect.stringContaining("elsewhere"),
        expect.stringContaining("elsewhere"),
      ]);
      expect(JSON.stringify(requests[0]?.tools)).toContain("Saves. Instead of copying");
    });

    it("rejects tools that have the name of a reading tool", () => {
      const { function: described } = fetchLog;
      const named = { ...fetchLog, function: { ...described, name: "grep_knowledge" } };
      expect(() => offloadTools([named])).toThrow(/toolNames/);
    });
  });

  describe("offloadResponses", () => {
    /** The loop that an agent on the Responses API has. */
    async function loop(
      moves: Parameters<typeof scriptOpenAI>[0],
      offload: ReturnType<typeof offloadResponses>,
      before: readonly OpenAI6.Responses.ResponseInputItem[] = [],
    ) {
      const { requests, client } = open(moves);
      const input: OpenAI6.Responses.ResponseInputItem[] = [...before, QUESTION];
      for (;;) {
        const response = await client.responses.create({
          ...{ model: "scripted", input, store: false },
          ...{ tools: offload.tools, instructions: offload.instructions },
        });
        input.push(...(response.output as OpenAI6.Responses.ResponseInputItem[]));
        const answers = await offload.answer(response);
        if (answers.length === 0) return { text: response.output_text, requests, input };
        input.push(...answers);
      }
    }

    it("answers calls with references, and those of the reading tools", async () => {
      const { workspace } = await storyWorkspace();
      const got: string[] = [];
      const fetch_log = ({ service }: { service: string }) => {
        got.push(service);
        return LOG;
      };
      const offload = offloadResponses({ fetch_log }, { workspace, sessionId: "chat" });
      const { text, requests, input } = await loop(STORY, offload);
      expect(text).toBe(NEEDED);
      // What the host saves is short, and so is the next turn.
      expect(JSON.stringify(input).length).toBeLessThan(SHORT);
      const next = await loop(["You are welcome."], offload, input);
      expectShort(next.requests, 1);
      expect(got).toEqual(["checkout"]);
      expectShort(requests, 3);
      expect(await workspace.getOriginal("call-1", { sessionId: "chat" })).toBe(LOG);
      expect(offload.instructions).toContain("read_stored");
      // As OpenAI counted it, cached input apart.
      const { sessions } = await readLedger(workspace, { sessionId: "chat" });
      expect(sessions[0]?.usage).toEqual({
        ...{ requests: 4, inputTokens: 4 * 300, cacheReadTokens: 4 * 600 },
        ...{ cacheWriteTokens: 0, outputTokens: 4 * 20 },
      });
    });

    it("answers the calls of a reply that was streamed", async () => {
      const { workspace } = await storyWorkspace();
      const options = { workspace, sessionId: "chat" };
      const offload = offloadResponses({ fetch_log: () => LOG }, options);
      const { requests, client } = open(STORY);
      const input: OpenAI6.Responses.ResponseInputItem[] = [QUESTION];
      let text = "";
      while (text === "") {
        const stream = await client.responses.create({
          ...{ model: "scripted", input, store: false, stream: true },
          ...{ tools: offload.tools, instructions: offload.instructions },
        });
        for await (const event of stream) {
          if (event.type !== "response.completed") continue;
          const { output } = event.response;
          input.push(...(output as OpenAI6.Responses.ResponseInputItem[]));
          input.push(...(await offload.answer(output)));
          for (const item of output) {
            if (item.type === "message") text = JSON.stringify(item.content);
          }
        }
      }
      expect(text).toContain(NEEDED);
      expectShort(requests, 3);
    });

    it("answers parallel calls, data, nothing and errors", async () => {
      const { workspace } = await storyWorkspace();
      const functions = {
        rows: () => Promise.resolve({ rows: LOG.split("\n") }),
        small: () => ({ ok: true }),
        nothing: () => undefined,
        broken: () => {
          throw new Error("no such log");
        },
      };
      const call = (name: string) => ({ id: `call-${name}`, name, input: {} });
      const names = [...Object.keys(functions), "approve"];
      const { requests } = await loop(
        [names.map(call), "done"],
        offloadResponses(functions, { workspace }),
      );
      const outputs = requests[1]?.input?.filter(({ output }) => output !== undefined);
      expect(outputs?.map(({ output }) => output)).toEqual([
        expect.stringContaining('<knowledge id="call-rows"'),
        '{"ok":true}',
        "",
        "Error: no such log",
      ]);
    });

    it("goes on with the whole result if it cannot be stored", async () => {
      const { workspace, events } = await brokenWorkspace();
      const offload = offloadResponses({ fetch_log: () => LOG }, { workspace });
      expect((await loop([[FETCH], answer], offload)).text).toBe(NEEDED);
      expect(events.map(({ event }) => event)).toContain("failure");
    });

    it("takes references as arguments of functions on the list", async () => {
      const { workspace } = await storyWorkspace();
      const got: string[] = [];
      const save = ({ text }: { text: string }) => void got.push(text);
      const acceptReferences = ["save"];
      const offload = offloadResponses(
        { fetch_log: () => LOG, save },
        { workspace, acceptReferences },
      );
      const text = "offload:call-1#lines=2346";
      await loop([[FETCH], [{ id: "s", name: "save", input: { text } }], "done"], offload);
      expect(got).toEqual([`2026-11-15T08:00:00Z ${NEEDED}`]);
      expect(offload.instructions).toContain("argument of save");
    });
  });
});
