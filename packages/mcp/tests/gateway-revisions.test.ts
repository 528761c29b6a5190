import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { createWorkspace } from "context-offload";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGateway, resultOf, startGateway, stateless, wordsOf } from "./support/gateway-here.js";
import { Rounds } from "../src/gateway/rounds.js";
import { toStateless } from "../src/gateway/stateless.js";
import type { Params, RpcResponse } from "../src/gateway/json-rpc.js";
import {
  connect,
  connectGateway,
  everything,
  EVERYTHING,
  faulty,
  STATELESS,
  tempFolder,
  textOf,
  callUntilProgress,
  until,
  type Generation,
  type Json,
  type Peer,
} from "./support/peers.js";

/** A server of 2026-07-28 that speaks nothing else, and one that speaks the older revisions as well. */
const NEW = { command: process.execPath, args: [STATELESS, "only"] };
const BOTH = { command: process.execPath, args: [STATELESS] };
const OLD_CLIENTS: readonly Generation[] = ["v1", "v2"];
const NEW_CLIENTS: readonly Generation[] = ["v2 auto", "v2 2026"];
const CLIENTS = [...OLD_CLIENTS, ...NEW_CLIENTS];

/** The same server at an address, until the test is over. */
async function serveHttp(...args: readonly string[]): Promise<{ url: string }> {
  const child = spawn(process.execPath, [STATELESS, "http", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url };
}

async function readBack(gateway: Peer, result: Json): Promise<void> {
  const [reference, link] = result["content"] as { text: string; uri: string; name: string }[];
  expect(reference?.text).toMatch(/^<knowledge_list>/);
  const { contents } = await gateway.request("resources/read", { uri: link?.uri });
  expect((contents as { text: string }[])[0]?.text).toContain("line 1234: status ok");
  const read = await gateway.callTool("read_stored", { id: link?.name, pattern: "line 1234:" });
  expect(textOf(read)).toContain("line 1234: status ok");
}

describe.each(CLIENTS)("client %s and a server of 2026-07-28", (generation) => {
  it.each(["alone", "and of the older ones"])("that speaks it %s", async (which) => {
    const server = which === "alone" ? NEW : BOTH;
    const gateway = await connectGateway({ servers: { server }, generation });
    const { tools } = (await gateway.request("tools/list")) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["greet", "log", "read_stored"]),
    );
    expect(textOf(await gateway.callTool("small", { text: "hello" }))).toBe("hello");
    await readBack(gateway, await gateway.callTool("log"));
    expect(textOf(await gateway.callTool("greet"))).toBe('Hello Ada, {"asked":"Who are you?"}');
    expect(textOf(await gateway.callTool("places"))).toContain("file:///tmp/project");
    expect(gateway.asked.map(({ method }) => method)).toEqual(["elicitation/create", "roots/list"]);
    await expect(gateway.callTool("no-such-tool")).rejects.toThrow(/no-such-tool/);
    expect(await gateway.request("resources/read", { uri: "note://one" })).toMatchObject({
      contents: [{ text: "a note" }],
    });
  });

  it("at an address, with its headers and without a session", async () => {
    const server = await serveHttp("only");
    const gateway = await connectGateway({ servers: { server }, generation });
    expect(textOf(await gateway.callTool("greet"))).toContain("Hello Ada");
    await readBack(gateway, await gateway.callTool("log"));
    const region = " Zürich ";
    const headers = JSON.parse(textOf(await gateway.callTool("headers", { region }))) as Json;
    expect(headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "headers",
      "mcp-param-region": `=?base64?${Buffer.from(region).toString("base64")}?=`,
    });
    expect(headers).not.toHaveProperty("mcp-session-id");
    await expect(gateway.callTool("no-such-tool")).rejects.toThrow(/no-such-tool/);
  });

  it("passes on what has changed", async () => {
    const gateway = await connectGateway({ servers: { server: NEW }, generation });
    await gateway.request("tools/list");
    if (OLD_CLIENTS.includes(generation)) {
      await gateway.request("resources/subscribe", { uri: "note://one" });
      await gateway.callTool("grow");
      await until(() => gateway.notices.some(({ method }) => method.includes("tools/list")));
      await until(() => gateway.notices.some(({ method }) => method.includes("updated")));
    } else await gateway.callTool("grow");
    await until(async () => {
      const { tools } = (await gateway.request("tools/list")) as { tools: { name: string }[] };
      return tools.some(({ name }) => name === "grown");
    });
    expect(textOf(await gateway.callTool("grown"))).toBe("grown");
  });
});

describe.each(NEW_CLIENTS)("client %s and a server with a handshake", (generation) => {
  it("answers as the server does to a client with a handshake", async () => {
    const [direct, gateway] = await Promise.all([
      connect([EVERYTHING, "stdio"], "v2"),
      connectGateway({ servers: { everything }, generation }),
    ]);
    const calls: readonly (readonly [string, Json])[] = [
      ["echo", { message: "hello ✓" }],
      ["get-structured-content", { location: "New York" }],
      ["get-sum", { a: "not a number" }],
      ["get-tiny-image", {}],
      ["get-roots-list", {}],
      ["trigger-elicitation-request", {}],
      ["trigger-sampling-request", { prompt: "tell me", maxTokens: 10 }],
    ];
    for (const [name, input] of calls) {
      const [left, right] = await Promise.all(
        [direct, gateway].map((peer) => peer.callTool(name, input)),
      );
      expect([name, right?.["content"]]).toEqual([name, left?.["content"]]);
      expect(right?.["structuredContent"]).toEqual(left?.["structuredContent"]);
    }
    expect(new Set(gateway.asked.map(({ method }) => method))).toEqual(
      new Set(["roots/list", "sampling/createMessage", "elicitation/create"]),
    );
    expect(await gateway.request("prompts/get", { name: "simple-prompt" })).toMatchObject({
      messages: [{ role: "user" }],
    });
    await readBack(
      gateway,
      await gateway.callTool("echo", {
        message: Array.from({ length: 3_000 }, (_, line) => `line ${line}: status ok`).join("\n"),
      }),
    );
  });

  it("tells of progress, and cancels", async () => {
    const gateway = await connectGateway({ servers: { everything }, generation });
    await expect(callUntilProgress(gateway)).rejects.toThrow();
    expect(textOf(await gateway.callTool("echo", { message: "there" }))).toBe("Echo: there");
  });
});

describe("the revision 2026-07-28 on the wire", () => {
  const elicitation = { elicitation: { form: {} } };

  it("has a type in each result, and says how long lists may be kept", async () => {
    const { request } = await startGateway({ server: everything });
    const discovered = resultOf(await request("server/discover", stateless()));
    expect(discovered).toMatchObject({
      ...{ resultType: "complete", supportedVersions: ["2026-07-28"] },
      ...{ ttlMs: 0, cacheScope: "private", capabilities: { tools: {} } },
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "context-offload-gateway" } },
    });
    expect(discovered["capabilities"]).not.toHaveProperty("tasks");
    for (const method of ["tools/list", "prompts/list", "resources/list"]) {
      expect(resultOf(await request(method, stateless()))).toMatchObject({
        ...{ resultType: "complete", ttlMs: 0, cacheScope: "private" },
      });
    }
    const called = resultOf(
      await request("tools/call", stateless({ name: "echo", arguments: { message: "a" } })),
    );
    expect(called).toEqual({
      resultType: "complete",
      content: [{ type: "text", text: "Echo: a" }],
    });
  });

  it.each([
    ["another version", -32022, { "io.modelcontextprotocol/protocolVersion": "2030-01-01" }],
    ["no capabilities", -32602, { "io.modelcontextprotocol/clientCapabilities": undefined }],
  ])("rejects an envelope with %s", async (_, code, more) => {
    const { request } = await startGateway({ server: everything });
    const answer = await request("tools/list", stateless({}, {}, more));
    expect(answer).toMatchObject({ error: { code } });
  });

  it.each(["ping", "initialize", "logging/setLevel", "resources/subscribe", "tasks/result"])(
    "has no %s",
    async (method) => {
      const { request } = await startGateway({ server: everything });
      expect(await request(method, stateless())).toMatchObject({ error: { code: -32601 } });
    },
  );

  it.each([-32002, -32042])("never has the error code %i of the older ones", (code) => {
    const answer = toStateless("resources/read", { error: { code, message: "no" } });
    expect(answer).toMatchObject({ error: { message: "no" } });
    expect(answer).not.toMatchObject({ error: { code } });
  });

  it("has log messages for requests that ask for them only", async () => {
    for (const server of [NEW, everything]) {
      const { request, notices } = await startGateway({ server });
      const name = server === NEW ? "shout" : "trigger-long-running-operation";
      const params = { name, arguments: { duration: 0.1, steps: 1 } };
      await request("tools/call", stateless(params));
      expect(notices).toEqual([]);
      if (server !== NEW) continue;
      const level = { "io.modelcontextprotocol/logLevel": "info" };
      await request("tools/call", stateless(params, {}, level));
      expect(notices).toMatchObject([{ method: "notifications/message" }]);
    }
  });

  it("tells of changes in a subscription, until it is cancelled", async () => {
    const { request, notices, notify, answers } = await startGateway({ server: NEW });
    await request("tools/list", stateless());
    const subscriptionId = 2;
    const filter = { toolsListChanged: true, resourceSubscriptions: ["note://one"] };
    void request("subscriptions/listen", stateless({ notifications: filter }));
    await until(() => notices.length > 0);
    const _meta = { "io.modelcontextprotocol/subscriptionId": subscriptionId };
    expect(notices).toMatchObject([
      {
        method: "notifications/subscriptions/acknowledged",
        params: { _meta, notifications: filter },
      },
    ]);
    // The server is asked for the resource meanwhile.
    await until(async () => {
      await request("tools/call", stateless({ name: "grow", arguments: {} }));
      return notices.some(({ method }) => method === "notifications/resources/updated");
    });
    expect(notices.every(({ params }) => params?.["_meta"] !== undefined)).toBe(true);
    expect(notices).toContainEqual({
      ...{ jsonrpc: "2.0", method: "notifications/resources/updated" },
      params: { _meta, uri: "note://one" },
    });
    notify("notifications/cancelled", { requestId: subscriptionId });
    await request("tools/list", stateless());
    const told = notices.length;
    await request("tools/call", stateless({ name: "small", arguments: { text: "a" } }));
    expect(notices).toHaveLength(told);
    expect(answers.some(({ id }) => id === subscriptionId)).toBe(false);
  });

  it("asks a client for nothing that it cannot do", async () => {
    const { request } = await startGateway({ server: everything });
    await request("server/discover", stateless({}, elicitation));
    const params = { name: "trigger-elicitation-request", arguments: {} };
    const answer = await request("tools/call", stateless(params));
    expect(resultOf(answer)["resultType"]).toBe("complete");
  });

  describe("the state of a request that is sent again", () => {
    const params = { name: "trigger-elicitation-request", arguments: {} };
    const input = (asked: RpcResponse): Params => ({
      inputResponses: Object.fromEntries(
        Object.keys(resultOf(asked)["inputRequests"] as object).map((key) => [
          key,
          { action: "accept", content: { name: "Ada", check: true } },
        ]),
      ),
      requestState: resultOf(asked)["requestState"],
    });
    const open = async () => {
      const gateway = await startGateway({ server: everything });
      const ask = (more: Params = {}, own: Params = params): Promise<RpcResponse> =>
        gateway.request("tools/call", stateless({ ...own, ...more }, elicitation));
      return { ...gateway, ask };
    };
    const INVALID = { error: { code: -32602, message: "Invalid or expired requestState" } };

    it("is good once, for the same request", async () => {
      const { ask } = await open();
      const asked = await ask();
      expect(resultOf(asked)).toMatchObject({ resultType: "input_required" });
      const other = { name: "echo", arguments: { message: "a" } };
      expect(await ask(input(asked), other)).toMatchObject(INVALID);
      const answered = await ask(input(asked));
      expect(JSON.stringify(answered)).toContain("Ada");
      expect(await ask(input(asked))).toMatchObject(INVALID);
    });

    it("asks again for what was not answered", async () => {
      const { ask } = await open();
      const asked = await ask();
      const again = await ask({ ...input(asked), inputResponses: {} });
      expect(resultOf(again)["inputRequests"]).toEqual(resultOf(asked)["inputRequests"]);
      expect(JSON.stringify(await ask(input(again)))).toContain("Ada");
    });

    it("is worth nothing if it was changed or made up", async () => {
      const { ask } = await open();
      const asked = await ask();
      const state = String(resultOf(asked)["requestState"]);
      const changed = fc.oneof(
        fc.string(),
        fc.uuid(),
        fc.nat(state.length - 1).map((at) => state.slice(0, at)),
        fc
          .tuple(fc.nat(state.length - 1), fc.constantFrom("0", "7", "a", "f", "-", "."))
          .map(([at, letter]) => state.slice(0, at) + letter + state.slice(at + 1))
          .filter((other) => other !== state),
        fc.constant(`${state} `),
        fc.constantFrom<unknown>(7, {}, [state]).map((value) => value as string),
      );
      await fc.assert(
        fc.asyncProperty(changed, async (requestState) => {
          const answer = await ask({ ...input(asked), requestState });
          expect(answer).toMatchObject({ error: { code: -32602 } });
        }),
        { numRuns: 40 },
      );
      expect(JSON.stringify(await ask(input(asked)))).toContain("Ada");
    });

    it("is dropped with the call when the client is not heard of again", async () => {
      const cancelled: unknown[] = [];
      const cancel = ({ requestId }: Params) => void cancelled.push(requestId);
      const rounds = new Rounds({ heldMs: 1, cancel });
      const server = {};
      const envelope = { capabilities: { roots: {} }, clientInfo: {}, logLevel: undefined };
      const run = (requestState?: unknown) =>
        rounds.run(
          { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", requestState } },
          envelope,
          (request) => {
            rounds.join(request, server);
            void rounds.ask(server, { method: "roots/list" });
            return new Promise(() => undefined);
          },
        );
      const asked = (await run()) as { result: Params };
      expect(asked.result["resultType"]).toBe("input_required");
      await until(() => cancelled.length > 0);
      expect(await run(asked.result["requestState"])).toMatchObject(INVALID);
    });
  });
});

describe("a server that does not know the question for its revision", () => {
  it.each(["ignores it", "ends"])("and %s, is opened with a handshake", async (what) => {
    const server = faulty(what === "ends" ? "ends-on-discover" : "ignores-discover");
    const { request } = await startGateway({ server } as never, {
      probeMs: 100,
      firstRestartMs: 10,
    });
    const answer = await request("tools/call", stateless({ name: "work", arguments: {} }));
    expect(wordsOf(answer)).toMatch(/pid \d+/);
  });
});

it("a server that asks for ever costs an old client one failed call", async () => {
  const capable = { protocolVersion: "2025-06-18", capabilities: { roots: {} } };
  const client = await startGateway({ server: NEW });
  await client.request("initialize", { ...capable, clientInfo: { name: "t", version: "1" } });
  client.notify("notifications/initialized");
  const call = client.call({}, "insatiable");
  let answered = 0;
  await Promise.race([
    call,
    (async () => {
      for (;;) {
        await until(() => client.asked.length > answered);
        const { id } = client.asked[answered++] ?? { id: "" };
        client.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { roots: [] } })}\n`);
      }
    })(),
  ]);
  expect(resultOf(await call)).toMatchObject({ isError: true });
  expect(wordsOf(await call)).toContain("rounds");
});

describe("projects", () => {
  const LONG = Array.from({ length: 3_000 }, (_, line) => `line ${line}: status ok`).join("\n");

  it.each<Generation>(["v2", "v2 2026"])(
    "are kept apart by the client's roots, client %s",
    async (by) => {
      const folder = await tempFolder();
      const opened: string[] = [];
      const workspace = (project: string) => {
        opened.push(project);
        const where = `${folder}/${opened.length}`;
        return { workspace: createWorkspace({ root: where }), where };
      };
      const uris = ["file:///tmp/one", "file:///tmp/two"].map((uri) =>
        process.platform === "win32" ? pathToFileURL(uri).href : uri,
      );
      const run = async (uri = "") => {
        const client = await startGateway({ server: everything }, {}, { workspace });
        const capabilities = { roots: {} };
        const isOld = by === "v2";
        if (isOld) {
          await client.request("initialize", {
            ...{ protocolVersion: "2025-06-18", capabilities },
            clientInfo: { name: "t", version: "1" },
          });
          client.notify("notifications/initialized");
        }
        const answerAll = setInterval(() => {
          for (const { id } of client.asked.splice(0)) {
            client.write(
              `${JSON.stringify({ jsonrpc: "2.0", id, result: { roots: [{ uri }] } })}\n`,
            );
          }
        }, 5);
        onTestFinished(() => {
          clearInterval(answerAll);
        });
        const call = async (name: string, input: Params): Promise<RpcResponse> => {
          const params = { name, arguments: input };
          if (isOld) return client.call(input, name);
          let answer = await client.request("tools/call", stateless(params, capabilities));
          for (let round = 0; round < 5; round++) {
            const { resultType, inputRequests, requestState } = resultOf(answer);
            if (resultType !== "input_required") break;
            const keys = Object.keys(inputRequests as object);
            const inputResponses = Object.fromEntries(
              keys.map((key) => [key, { roots: [{ uri }] }]),
            );
            const again = { ...params, inputResponses, requestState };
            answer = await client.request("tools/call", stateless(again, capabilities));
          }
          return answer;
        };
        return { call };
      };
      const [one, two] = [await run(uris[0]), await run(uris[1])];
      const [, link] = resultOf(await one.call("echo", { message: LONG }))["content"] as Json[];
      expect(link).toMatchObject({ description: `Stored in ${folder}/1` });
      expect(wordsOf(await one.call("read_stored", { pattern: "line 1234:" }))).toContain("1234");
      expect(wordsOf(await two.call("read_stored", { pattern: "line 1234:" }))).not.toContain(
        "status",
      );
      expect(opened).toEqual(["/tmp/one", "/tmp/two"]);
    },
  );

  it("are the working folder without roots", async () => {
    const opened: string[] = [];
    const root = await tempFolder();
    const workspace = (project: string) => {
      opened.push(project);
      return { workspace: createWorkspace({ root }), where: root };
    };
    const client = await openGateway({ server: everything }, {}, { workspace });
    expect(wordsOf(await client.call({ message: LONG }, "echo"))).toMatch(/^<knowledge_list>/);
    expect(opened).toEqual([process.cwd()]);
  });
});
