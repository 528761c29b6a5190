import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "@opencode-ai/plugin";
import { createWorkspace, type Workspace } from "context-offload";
import offloadPlugin, * as plugin from "context-offload/opencode";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import buildDist from "../../tests/support/build-dist.js";
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
import { exportSession, makeProject, runOpenCode } from "./run-opencode.mjs";
import { startScriptedModel } from "../scripted-chat-model.mjs";

const FETCH = { name: "bash", input: { command: "cat app.log", description: "Reads the log" } };
const GREP = { name: SEARCH.name, input: SEARCH.input, id: "grep-1" };
const TIMEOUT = { timeout: 180_000 };

const answer = (results: readonly string[]) => ({ say: answerFrom(results.at(-1)) });

let projects = 0;
let base = "";

beforeAll(async () => {
  await buildDist();
  base = await realpath(await mkdtemp(join(tmpdir(), "context-offload-")));
}, 300_000);
afterAll(() => rm(base, { recursive: true, force: true }));

/** A project whose model plays the script. */
async function startProject(
  script: Parameters<typeof startScriptedModel>[0],
  settings?: Parameters<typeof makeProject>[2],
) {
  const model = await startScriptedModel(script);
  const folder = join(base, `project-${(projects += 1)}`);
  await makeProject(folder, model.url, settings);
  await writeFile(join(folder, "app.log"), LOG);
  return { folder, model, run: (...args: string[]) => runOpenCode(folder, QUESTION, args) };
}

const stored = (folder: string, root = ".offload"): Workspace =>
  createWorkspace({ root: join(folder, root) });

/** The results in a request. */
const resultsIn = (body: string) =>
  (JSON.parse(body) as { messages: { role: string; content: string }[] }).messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);

/** How long the longest of them was. */
const longest = (body: string) => Math.max(0, ...resultsIn(body).map(({ length }) => length));

describe("the plugin in OpenCode", () => {
  it(
    "replaces what OpenCode would cut, and finds the line in the whole of it",
    TIMEOUT,
    async () => {
      const { folder, model, run } = await startProject((results) => {
        if (results.length === 0) return [{ ...FETCH, id: "call-1" }];
        return results.length === 1 ? [GREP] : answer(results);
      });
      const { answer: said, events, sessionID } = await run();
      expect(said).toBe(NEEDED);
      expect(model.requests).toHaveLength(3);
      expect(model.requests.filter(({ body }) => longest(body) > SHORT)).toEqual([]);
      expect(await stored(folder).getOriginal("call-1", { sessionId: sessionID })).toBe(LOG);

      // What OpenCode saves and shows is the reference.
      const saved = events.find(({ type }) => type === "tool_use").part.state.output as string;
      expect(saved).toMatch(/^<knowledge_list>/);

      // The tools are described as elsewhere, and the system prompt explains references.
      const grep = model.requests[0]?.tools.find(({ function: { name } }) => name === GREP.name);
      // By itself, OpenCode would require every argument.
      expect(grep.function.parameters.required ?? []).toEqual([]);
      const { messages } = JSON.parse(model.requests[0]?.body ?? "") as {
        messages: { role: string; content: string }[];
      };
      const system = messages.filter(({ role }) => role === "system");
      expect(system.map(({ content }) => content).join()).toContain("read_stored reads");

      // The second turn is cheap, and another conversation finds nothing.
      await run("--session", sessionID);
      expect(longest(model.requests.at(-1)?.body ?? "")).toBeLessThan(SHORT);
      const other = await startProject(
        (results) => (results.length === 0 ? [GREP] : answer(results)),
        {
          options: { root: join(folder, ".offload") },
        },
      );
      expect((await other.run()).answer).toBe("Nothing found.");
    },
  );

  it(
    "takes raw results of MCP servers, parallel calls and references as arguments",
    TIMEOUT,
    async () => {
      const server = fileURLToPath(new URL("log-server.mjs", import.meta.url));
      const sentBack: string[][] = [];
      const { folder, model, run } = await startProject(
        (results) => {
          sentBack.push([...results]);
          if (results.length === 0) {
            return ["call-1", "call-2"].map((id) => ({ name: "logs_fetch_log", input: {}, id }));
          }
          if (results.length === 2) return [{ name: "logs_fail", input: {}, id: "call-3" }];
          if (results.length === 3) {
            const text = "offload:none";
            const bash = { ...FETCH, input: { ...FETCH.input, command: text }, id: "call-4b" };
            return [{ name: "logs_save", input: { text }, id: "call-4" }, bash];
          }
          if (results.length === 5) {
            const text = "offload:call-1#lines=2346";
            return [{ name: "logs_save", input: { text }, id: "call-5" }];
          }
          return { say: results.at(-1) ?? "" };
        },
        {
          options: { root: "elsewhere", acceptReferences: ["logs_save", "bash"] },
          config: { mcp: { logs: { type: "local", command: [process.execPath, server] } } },
        },
      );
      const { answer: said, sessionID, events } = await run();
      expect(said).toContain("saved");
      expect(await readFile(join(folder, "saved.txt"), "utf8")).toContain(NEEDED);
      for (const id of ["call-1", "call-2"]) {
        expect(await stored(folder, "elsewhere").getOriginal(id, { sessionId: sessionID })).toBe(
          LOG,
        );
      }
      expect(model.requests.filter(({ body }) => longest(body) > SHORT)).toEqual([]);
      expect(sentBack[2]?.at(-1)).toContain("no such log");
      // A bad reference is answered with the ids that exist, and the tool does not run.
      for (const refused of sentBack[3]?.slice(3) ?? []) expect(refused).toMatch(/none[^]*call-1/);
      expect(sentBack[3]).toHaveLength(5);
      // The image beside the text is kept.
      const first = events.find(({ type }) => type === "tool_use").part.state;
      expect(first.output).toMatch(/^<knowledge_list>/);
      expect(first.attachments).toMatchObject([{ mime: "image/png" }]);
    },
  );

  it("gives a subagent its own session, which its parent can read too", TIMEOUT, async () => {
    const task = { description: "Read", prompt: "Find the payment.", subagent_type: "general" };
    const { folder, run } = await startProject((results, question) => {
      if (question.includes(task.prompt)) {
        return results.length === 0 ? [{ ...FETCH, id: "inner-1" }] : answer(results);
      }
      if (results.length === 0) return [{ name: "task", input: task, id: "outer-1" }];
      return results.length === 1 ? [GREP] : answer(results);
    });
    const { answer: said, sessionID } = await run();
    expect(said).toBe(NEEDED);
    const { artifacts } = await stored(folder).getToolResultOffloadInfo({ sessionId: sessionID });
    expect(artifacts.map(({ artifact_id }) => artifact_id)).toEqual(["inner-1"]);
    expect(artifacts[0]?.session_id).not.toBe(sessionID);
  });

  it(
    "sends references for stale results, in steps, while OpenCode keeps them whole",
    TIMEOUT,
    async () => {
      const calls = 30;
      const lines = (at: number) => LOG.split("\n").slice(at * 60, at * 60 + 60);
      const { folder, model, run } = await startProject((results) => {
        if (results.length === calls) return { say: "Done." };
        const [first, last] = [results.length * 60 + 1, results.length * 60 + 60];
        const input = { ...FETCH.input, command: `sed -n '${first},${last}p' app.log` };
        return [{ ...FETCH, input, id: `call-${results.length}` }];
      });
      const { sessionID } = await run();
      const sent = model.requests.map(({ body }) => resultsIn(body));
      expect(sent).toHaveLength(calls + 1);
      // What has just arrived is whole, and between two steps requests only grow.
      expect(sent.map((results) => results.at(-1)?.trim()).slice(1)).toEqual(
        Array.from({ length: calls }, (_, at) => lines(at).join("\n")),
      );
      const steps = sent.filter((results, at) =>
        sent[at - 1]?.some((result, index) => result !== results[index]),
      );
      expect(steps.length).toBeGreaterThan(0);
      expect(steps.length).toBeLessThan(5);
      expect(sent.at(-1)?.[0]).toMatch(/<knowledge /);
      const { messages } = await exportSession(folder, sessionID);
      const saved = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool"));
      expect(saved.map(({ state }) => state.output.trim())).toEqual(
        Array.from({ length: calls }, (_, at) => lines(at).join("\n")),
      );
    },
  );

  it("goes on if nothing can be stored", TIMEOUT, async () => {
    const { folder, run } = await startProject(
      (results) =>
        results.length === 0
          ? [{ ...FETCH, id: "call-1" }]
          : { say: results[0]?.slice(0, 40) ?? "" },
      { options: { root: "app.log" } },
    );
    const { answer: said } = await run();
    // As OpenCode cuts it by itself.
    expect(said).toContain("...output truncated...");
    expect(await readFile(join(folder, "app.log"), "utf8")).toBe(LOG);
  });
});

describe("its hooks", () => {
  const CALL = { tool: "bash", sessionID: "ses-1", callID: "call-1", args: {} };

  it("are all that the file exports: OpenCode calls every export", () => {
    expect(new Set(Object.values(plugin))).toEqual(new Set([offloadPlugin]));
  });

  it("keep a result that cannot be stored, and an event says so", async () => {
    const { workspace, events } = await brokenWorkspace();
    const hooks = await offloadPlugin({ directory: "." }, { workspace });
    const output = { title: "", output: LOG, metadata: {} };
    await hooks["tool.execute.after"](CALL, output);
    expect(output.output).toBe(LOG);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("keep what was cut if its file is gone, files that were read, and answers of reading tools", async () => {
    const { workspace } = await storyWorkspace();
    const hooks = await offloadPlugin({ directory: "." }, { workspace });
    for (const tool of ["read", "skill", SEARCH.name]) {
      const output = { output: LOG };
      await hooks["tool.execute.after"]({ ...CALL, tool }, output);
      expect(output.output).toBe(LOG);
    }
    const gone = { output: "cut", metadata: { truncated: true, outputPath: "/does/not/exist" } };
    await hooks["tool.execute.after"](CALL, gone);
    expect(gone.output).toBe("cut");
    const excluding = await offloadPlugin({ directory: "." }, { workspace, excludeTools: [] });
    const output = { output: LOG };
    await excluding["tool.execute.after"]({ ...CALL, tool: "read" }, output);
    expect(output.output).toMatch(/^<knowledge_list>/);
  });

  it("answer a wrong call of a reading tool with an error that the model can use", async () => {
    const { workspace } = await storyWorkspace();
    const hooks = await offloadPlugin({ directory: "." }, { workspace });
    await hooks["tool.execute.after"](CALL, { output: LOG });
    const context = { sessionID: "ses-1", abort: new AbortController().signal };
    const read = hooks.tool["read_stored"];
    expect(await read?.execute({ id: "none" }, context)).toMatch(/^Error: .*call-1/s);
    expect(await read?.execute({ id: "call-1" }, { ...context, sessionID: "ses-2" })).toMatch(
      /^Error:/,
    );
  });
});

// Never called: that it compiles is the test.
export const types = () => {
  const asPlugin: Plugin = offloadPlugin;
  const own: Plugin = (input) => offloadPlugin(input, { excludeTools: ["read", "webfetch"] });
  // @ts-expect-error tools are named in a list
  const wrong: Plugin = (input) => offloadPlugin(input, { excludeTools: "read" });
  return [asPlugin, own, wrong];
};
