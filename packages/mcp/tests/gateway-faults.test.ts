import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  connectGateway,
  everything,
  faulty,
  tempFolder,
  textOf,
  until,
  type Json,
  type Peer,
} from "./support/peers.js";

const QUICK = { firstRestartMs: 50, lastRestartMs: 2_000 };

/** The other server works, whatever the first does. */
async function expectOtherWorks(gateway: Peer): Promise<void> {
  const { content } = await gateway.callTool("echo", { message: "fine" });
  expect(content).toEqual([{ type: "text", text: "Echo: fine" }]);
}

async function toolNames(gateway: Peer): Promise<string[]> {
  const { tools } = (await gateway.request("tools/list")) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

describe("a server that ends", () => {
  it("in a call: a clear error, a restart, and the others go on", async () => {
    const log = join(await tempFolder(), "pids");
    const servers = { bad: faulty("works", log), everything };
    const gateway = await connectGateway({ servers, limits: QUICK });
    const died = await gateway.callTool("die");
    expect(died).toMatchObject({ isError: true });
    expect(textOf(died)).toMatch(/MCP server "bad" is not available: it ended.*disk is on fire/s);
    await expectOtherWorks(gateway);
    expect(textOf(await gateway.callTool("work"))).toMatch(/^<knowledge_list>|^pid/);
    expect((await readFile(log, "utf8")).trim().split("\n")).toHaveLength(2);
    await until(() => gateway.notices.some(({ method }) => method.endsWith("tools/list_changed")));
  });

  it("killed from outside: open calls are answered, the next call works", async () => {
    const log = join(await tempFolder(), "pids");
    const servers = { bad: faulty("works", log), everything };
    const gateway = await connectGateway({ servers, limits: QUICK });
    const names = await toolNames(gateway);
    const open = [gateway.callTool("hang"), gateway.callTool("hang")];
    await expectOtherWorks(gateway);
    process.kill(Number((await readFile(log, "utf8")).trim()), "SIGKILL");
    for (const result of await Promise.all(open)) expect(result).toMatchObject({ isError: true });
    expect(await toolNames(gateway)).toEqual(names);
    expect(await gateway.callTool("work")).not.toHaveProperty("isError");
  });

  it("is brought back to where it was: log level and subscriptions", async () => {
    const folder = await tempFolder();
    const methods = join(folder, "methods");
    const servers = { bad: faulty("works", join(folder, "pids"), methods) };
    const gateway = await connectGateway({ servers, limits: QUICK });
    await gateway.request("logging/setLevel", { level: "warning" });
    await gateway.request("resources/subscribe", { uri: "x://1" });
    await gateway.callTool("die");
    await gateway.callTool("work");
    await until(async () => {
      const [, again = ""] = (await readFile(methods, "utf8")).split(/"die".*\n/);
      return (
        again.includes('logging/setLevel {"level":"warning"}') &&
        again.includes('resources/subscribe {"uri":"x://1"}') &&
        again.includes("notifications/initialized")
      );
    });
  });

  it("at every start: its error names the reason, and pauses between starts grow", async () => {
    const log = join(await tempFolder(), "pids");
    const servers = { bad: faulty("ends-at-once", log), everything };
    const limits = { firstRestartMs: 200, lastRestartMs: 60_000 };
    const gateway = await connectGateway({ servers, limits });
    await expectOtherWorks(gateway);
    await until(async () => (await readFile(log, "utf8")).trim().split("\n").length >= 3);
    const alone = connectGateway({ servers: { bad: faulty("ends-at-once") } });
    await expect(alone).rejects.toThrow(
      /"bad" is not available: it ended.*no configuration found/s,
    );
  });

  it("or cannot be started at all: a clear error", async () => {
    const servers = { bad: { command: "no-such-command-here" } };
    await expect(connectGateway({ servers })).rejects.toThrow(/"bad" is not available.*ENOENT/s);
  });
});

describe("a server that hangs", () => {
  it("at its start: the client is served by the others", async () => {
    const servers = { bad: faulty("hangs-at-start"), everything };
    const gateway = await connectGateway({ servers, limits: { patienceMs: 300 } });
    await expectOtherWorks(gateway);
  });

  it("at its list: the others' tools are shown", async () => {
    const servers = { bad: faulty("hangs-at-list"), everything };
    const gateway = await connectGateway({ servers, limits: { listMs: 300 } });
    expect(await toolNames(gateway)).toContain("echo");
    await expectOtherWorks(gateway);
  });

  it("in a call: a clear error once it answers no ping, and a restart", async () => {
    const servers = { bad: faulty("hangs"), everything };
    const limits = { ...QUICK, silenceMs: 1_000, pingMs: 2_000 };
    const gateway = await connectGateway({ servers, limits });
    const hung = gateway.callTool("hang");
    await expectOtherWorks(gateway);
    expect(textOf(await hung)).toMatch(/"bad" is not available: it has said nothing/);
    expect(await gateway.callTool("work")).not.toHaveProperty("isError");
  });

  it("is not taken for one that works long and answers a ping", async () => {
    const servers = { slow: everything };
    const limits = { silenceMs: 100, pingMs: 5_000 };
    const gateway = await connectGateway({ servers, limits });
    const input = { duration: 1, steps: 1 };
    const result = await gateway.callTool("trigger-long-running-operation", input);
    expect(textOf(result)).toContain("Long running operation completed");
  });
});

describe("a server that writes rubbish", () => {
  it("among its answers is understood all the same", async () => {
    const servers = { bad: faulty("works"), everything };
    const gateway = await connectGateway({ servers });
    expect(textOf(await gateway.callTool("rubbish"))).toBe("after the rubbish");
    await expectOtherWorks(gateway);
  });

  it("and nothing else harms no other", async () => {
    const servers = { bad: faulty("rubbish-only"), everything };
    const gateway = await connectGateway({ servers, limits: { patienceMs: 300 } });
    await expectOtherWorks(gateway);
  });
});

it("a call that the client cancels is cancelled at its server, by the server's id for it", async () => {
  const folder = await tempFolder();
  const methods = join(folder, "methods");
  const servers = { one: faulty("works", join(folder, "pids"), methods) };
  const gateway = await connectGateway({ servers });
  const stop = new AbortController();
  const params = { name: "hang", arguments: {} };
  const call = gateway.request("tools/call", params, { signal: stop.signal });
  const written = (): Promise<string> => readFile(methods, "utf8");
  await until(async () => (await written()).includes("tools/call"));
  stop.abort("enough");
  await expect(call).rejects.toThrow();
  await until(async () => /notifications\/cancelled \{.*"requestId":\d/.test(await written()));
});

describe("several servers", () => {
  it("have names before what two of them list, and only before that", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "a.txt"), "a");
    const gateway = await connectGateway({
      servers: { one: everything, two: everything, three: faulty("works") },
    });
    const names = await toolNames(gateway);
    expect(names).toEqual(expect.arrayContaining(["one__echo", "two__echo", "work"]));
    expect(names).not.toContain("echo");
    expect(new Set(names).size).toBe(names.length);
    const { content } = await gateway.callTool("two__get-sum", { a: 2, b: 3 });
    expect(JSON.stringify(content)).toContain("5");
    const { prompts } = (await gateway.request("prompts/list")) as { prompts: { name: string }[] };
    expect(prompts.map(({ name }) => name)).toContain("two__simple-prompt");
    const prompt = await gateway.request("prompts/get", { name: "two__simple-prompt" });
    expect(prompt).toHaveProperty("messages");
    const uris = await listAll(gateway, "resources/list", "resources", "uri");
    const own = uris.filter((uri) => !uri.startsWith("two+"));
    expect(uris.filter((uri) => uri.startsWith("two+"))).toEqual(own.map((uri) => `two+${uri}`));
    for (const uri of [own[0], `two+${own[0] ?? ""}`]) {
      expect(await gateway.request("resources/read", { uri })).toHaveProperty("contents");
    }
    const uri = "two+demo://resource/dynamic/text/3";
    expect(await gateway.request("resources/read", { uri })).toHaveProperty("contents");
    await gateway.callTool("two__get-roots-list");
    expect(gateway.asked.map(({ method }) => method)).toContain("roots/list");
  });
});

async function listAll(
  gateway: Peer,
  method: string,
  kind: string,
  key: string,
): Promise<string[]> {
  const found: string[] = [];
  let cursor: unknown;
  do {
    const page: Json = await gateway.request(method, cursor === undefined ? {} : { cursor });
    found.push(...(page[kind] as Json[]).map((item) => item[key] as string));
    cursor = page["nextCursor"];
  } while (cursor !== undefined);
  return found;
}
