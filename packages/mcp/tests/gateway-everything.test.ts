import { expect, describe, it } from "vitest";
import {
  connect,
  connectGateway,
  everything,
  EVERYTHING,
  gatewayArgs,
  callUntilProgress,
  until,
  wireOf,
  type Generation,
  type Json,
  type Peer,
} from "./support/peers.js";

const READING_TOOLS = 1;

/** Every tool of server-everything that answers the same twice, and what it is called with. */
const CALLS: readonly (readonly [string, Json])[] = [
  ["echo", { message: "hello ✓ \u0000 \ud83d\ude00" }],
  ["get-annotated-message", { messageType: "error", includeImage: true }],
  ["get-env", {}],
  ["get-resource-links", { count: 3 }],
  ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
  ["get-structured-content", { location: "New York" }],
  ["get-sum", { a: 1, b: 2 }],
  ["get-sum", { a: "not a number" }],
  ["get-tiny-image", {}],
  ["get-roots-list", {}],
  ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain;base64,aGVsbG8=" }],
  ["trigger-elicitation-request", {}],
  ["trigger-sampling-request", { prompt: "tell me", maxTokens: 10 }],
  ["no-such-tool", {}],
];

const REQUESTS: readonly (readonly [string, Json])[] = [
  ["prompts/list", {}],
  ["prompts/get", { name: "simple-prompt" }],
  ["prompts/get", { name: "args-prompt", arguments: { city: "Paris", state: "TX" } }],
  [
    "prompts/get",
    { name: "resource-prompt", arguments: { resourceType: "Text", resourceId: "1" } },
  ],
  ["prompts/get", { name: "no-such-prompt" }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "demo://resource/session/a.gz" }],
  ["resources/read", { uri: "demo://resource/nothing" }],
  [
    "completion/complete",
    {
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "name", value: "A" },
      context: { arguments: { department: "Engineering" } },
    },
  ],
  [
    "completion/complete",
    {
      ref: { type: "ref/resource", uri: "demo://resource/dynamic/text/{resourceId}" },
      argument: { name: "resourceId", value: "1" },
    },
  ],
  ["ping", {}],
  ["logging/setLevel", { level: "debug" }],
  ["no/such-method", {}],
];

describe.each<Generation>(["v2", "v1"])("server-everything behind the gateway, client %s", (by) => {
  it("answers every request as it does without it", async () => {
    const [direct, gateway] = await connectBoth(by);
    const [tools, shown] = (await Promise.all(
      [direct, gateway].map((peer) => peer.request("tools/list")),
    )) as [{ tools: Json[] }, { tools: Json[] }];
    expect(shown.tools.slice(0, -READING_TOOLS)).toEqual(tools.tools);
    expect(gateway.capabilities()).toEqual(direct.capabilities());
    for (const [name, input] of CALLS) {
      const params = { name, arguments: input };
      const [left, right] = await bothAnswer(direct, gateway, "tools/call", params);
      // The text of an unknown tool differs between versions of the SDK, the rest must not.
      if (name !== "no-such-tool") expect([name, right]).toEqual([name, left]);
      else expect(right).toHaveProperty("code", -32602);
    }
    for (const [method, params] of REQUESTS) {
      const [left, right] = await bothAnswer(direct, gateway, method, params);
      if (params["name"] === "no-such-prompt") expect(right).toHaveProperty("code", -32602);
      else expect([method, right]).toEqual([method, left]);
    }
    // The server asks for roots by a timer, too: when, and perhaps twice, depends on how long the calls take.
    const askedOf = ({ asked }: Peer) => [...new Set(asked.map((one) => JSON.stringify(one)))];
    expect(askedOf(gateway).sort()).toEqual(askedOf(direct).sort());
    expect(new Set(gateway.asked.map(({ method }) => method))).toEqual(
      new Set(["roots/list", "sampling/createMessage", "elicitation/create"]),
    );
  });

  it("passes logging, subscriptions and changes on", async () => {
    const gateway = await connectGateway({ servers: { everything }, generation: by });
    const uri = "demo://resource/dynamic/text/1";
    await gateway.request("resources/subscribe", { uri });
    await gateway.callTool("toggle-subscriber-updates");
    await until(() => gateway.notices.some(({ method }) => method.endsWith("resources/updated")));
    expect(gateway.notices).toContainEqual({
      method: "notifications/resources/updated",
      params: { uri },
    });
    await gateway.request("logging/setLevel", { level: "debug" });
    await gateway.callTool("toggle-simulated-logging");
    await until(() => gateway.notices.some(({ method }) => method === "notifications/message"));
    await gateway.callTool("gzip-file-as-resource", { data: "data:text/plain;base64,aGVsbG8=" });
    await until(() =>
      gateway.notices.some(({ method }) => method.endsWith("resources/list_changed")),
    );

    const asked = gateway.asked.length;
    await gateway.notify("notifications/roots/list_changed");
    await until(() => gateway.asked.length > asked);
  });
});

describe("server-everything behind the gateway", () => {
  it("sends the same messages over the wire for a call with progress", async () => {
    const params = {
      name: "trigger-long-running-operation",
      arguments: { duration: 0.2, steps: 4 },
      _meta: { progressToken: "token-1" },
    };
    const [direct, gateway] = await Promise.all([
      wireOf([EVERYTHING, "stdio"], "tools/call", params),
      wireOf(await gatewayArgs({ servers: { everything } }), "tools/call", params),
    ]);
    expect(direct).toHaveLength(5);
    expect(gateway).toEqual(direct);
  });

  it("passes tasks on", async () => {
    const [direct, gateway] = await connectBoth("v1");
    const answers = await Promise.all(
      [direct, gateway].map(async (peer) => {
        const params = { name: "simulate-research-query", arguments: { topic: "rust" } };
        const { task } = (await peer.request("tools/call", {
          ...params,
          task: { ttl: 60_000 },
        })) as {
          task: { taskId: string };
        };
        const { taskId } = task;
        await until(async () => {
          const { status } = await peer.request("tasks/get", { taskId });
          return status === "completed";
        });
        const { content } = await peer.request("tasks/result", { taskId });
        return content;
      }),
    );
    expect(JSON.stringify(answers[1])).toContain("rust");
    expect(typeof answers[0]).toBe(typeof answers[1]);
  });
});

it("cancels a call at the server", async () => {
  const gateway = await connectGateway({ servers: { everything } });
  await expect(callUntilProgress(gateway)).rejects.toThrow();
  expect(await gateway.callTool("echo", { message: "still there" })).toMatchObject({
    content: [{ text: "Echo: still there" }],
  });
});

it("serves a client that tries the protocol of 2026 first", async () => {
  const gateway = await connectGateway({ servers: { everything }, generation: "v2 auto" });
  const { content } = await gateway.callTool("echo", { message: "hello" });
  expect(content).toEqual([{ type: "text", text: "Echo: hello" }]);
});

async function connectBoth(generation: Generation): Promise<[Peer, Peer]> {
  return Promise.all([
    connect([EVERYTHING, "stdio"], generation),
    connectGateway({ servers: { everything }, generation }),
  ]);
}

/** The results, or the errors. */
async function bothAnswer(
  direct: Peer,
  gateway: Peer,
  method: string,
  params: Json,
): Promise<[unknown, unknown]> {
  const answer = (peer: Peer): Promise<unknown> =>
    peer.request(method, params).catch((error: unknown) => {
      const { code, message, data } = error as { code: number; message: string; data: unknown };
      return { code, message, data };
    });
  const answers = await Promise.all([answer(direct), answer(gateway)]);
  // Some say when they were made, to the second.
  const withoutTimes = JSON.stringify(answers).replace(/\d{1,2}:\d\d:\d\d/g, "00:00:00");
  return JSON.parse(withoutTimes) as [unknown, unknown];
}
