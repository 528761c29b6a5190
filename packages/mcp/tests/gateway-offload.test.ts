import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { createWorkspace } from "context-offload";
import { describe, expect, it } from "vitest";
import { createGateway } from "../src/index.js";
import {
  connect,
  connectGateway,
  everything,
  faulty,
  filesystem,
  FILESYSTEM,
  tempFolder,
  textOf,
  type Generation,
  type Json,
} from "./support/peers.js";

const LONG = Array.from({ length: 3_000 }, (_, line) => `line ${line}: status ok`).join("\n");

describe.each<Generation>(["v2", "v1"])("a large answer, client %s", (generation) => {
  it("is stored and answered with digest, link and hint, and can be read back", async () => {
    const gateway = await connectGateway({ servers: { everything }, generation });
    const result = await gateway.callTool("echo", { message: LONG });
    const [reference, link, ...others] = result["content"] as Json[];
    expect(others).toEqual([]);
    expect(reference?.["text"]).toMatch(/^<knowledge_list>[^]*line 0[^]*More: read_stored\n/);
    expect(link).toMatchObject({ type: "resource_link" });
    expect(JSON.stringify(result).length).toBeLessThan(4_000);
    const { uri, name } = link as { uri: string; name: string };
    const { contents } = await gateway.request("resources/read", { uri });
    expect(contents).toEqual([{ uri, mimeType: "text/plain", text: `Echo: ${LONG}` }]);
    const found = await gateway.callTool("grep_knowledge", { pattern: "line 1234:" });
    expect(textOf(found)).toContain("line 1234: status ok");
    const lines = await gateway.callTool("get_knowledge_by_lines", {
      ...{ artifact_id: name, start_line: 1, end_line: 2 },
    });
    expect(textOf(lines)).toContain("Echo: line 0: status ok\nline 1: status ok");
  });
});

it("the same answer gets the same reference, in this process and the next", async () => {
  const root = await tempFolder();
  const first = await connectGateway({ root, servers: { everything } });
  const one = await first.callTool("echo", { message: LONG });
  expect(await first.callTool("echo", { message: LONG })).toEqual(one);
  await first.close();
  const second = await connectGateway({ root, servers: { everything } });
  expect(await second.callTool("echo", { message: LONG })).toEqual(one);
});

it("answers of the reading tools are never offloaded", async () => {
  const gateway = await connectGateway({ servers: { everything } });
  const [, link] = (await gateway.callTool("echo", { message: LONG }))["content"] as Json[];
  const read = await gateway.callTool("get_knowledge_by_id", { artifact_id: link?.["name"] });
  expect(textOf(read).length).toBeGreaterThan(15_000);
  expect(read).not.toHaveProperty("structuredContent");
});

it("answers of a server of ours behind the gateway are never offloaded", async () => {
  const gateway = await connectGateway({ servers: { inner: faulty("ours") } });
  expect(textOf(await gateway.callTool("work"))).toMatch(/^pid \d+\na line/);
});

describe("a tool with an output schema", () => {
  it("answers with what its schema allows, as the official client checks", async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, "long.txt"), LONG);
    const direct = await connect([FILESYSTEM, folder]);
    const path = join(folder, "long.txt");
    const whole = await direct.callTool("read_text_file", { path });
    expect(whole).toMatchObject({ structuredContent: { content: LONG } });
    const gateway = await connectGateway({ servers: { files: filesystem(folder) } });
    await gateway.request("tools/list");
    // The client throws if the structured content does not fit the output schema.
    const result = await gateway.callTool("read_text_file", { path });
    const { structuredContent } = result as { structuredContent: { content: string } };
    expect(structuredContent.content).toBe(textOf(result));
    expect(structuredContent.content).toMatch(/^<knowledge_list>/);
    const [, link] = result["content"] as { uri: string }[];
    const { contents } = await gateway.request("resources/read", { uri: link?.uri });
    // The structured content is the text once more, which is stored once.
    expect(contents).toMatchObject([{ mimeType: "text/plain", text: LONG }]);
  });

  it("keeps its structured content if its schema allows nothing shorter, and shortens the text", async () => {
    const gateway = await connectGateway({ servers: { rows: faulty("works") } });
    await gateway.request("tools/list");
    const result = await gateway.callTool("rows");
    const { structuredContent, content } = result as {
      structuredContent: { rows: number[] };
      content: { text: string }[];
    };
    expect(structuredContent.rows).toHaveLength(5_000);
    expect(content[0]?.text).toMatch(/^<knowledge_list>/);
  });
});

describe("a file that comes as text and as structured content", () => {
  it("has its own lines, numbers and size, and is found once", async () => {
    const folder = await tempFolder();
    const lines = Array.from(
      { length: 800 },
      (_, at) => `export const value${at + 1} = "${at}";\n`,
    );
    const path = join(folder, "values.ts");
    await writeFile(path, lines.join(""));
    const servers = { files: filesystem(folder) };
    const gateway = await connectGateway({ servers, contextOffload: { minTokens: 500 } });
    const result = await gateway.callTool("read_text_file", { path });
    expect(textOf(result)).toContain(`chars="${lines.join("").length}" lines="800"`);
    const id = (result["content"] as Json[])[1]?.["name"];
    const search = { id, pattern: "value400 ", context_after: 0 };
    const found = textOf(await gateway.callTool("read_stored", search));
    expect(found).toBe(`400:${lines[399]?.trimEnd()}`);
  });
});

it("a list of objects is left with one of them, which has the reference, if the schema allows that", async () => {
  const gateway = await connectGateway({ servers: { memory: faulty("works") } });
  await gateway.request("tools/list");
  // The client throws if the structured content does not fit the output schema.
  const result = await gateway.callTool("graph");
  expect(JSON.stringify(result).length).toBeLessThan(5_000);
  const { entities, relations } = result["structuredContent"] as Record<string, Json[]>;
  expect(entities).toEqual([{ name: textOf(result), type: "service", notes: ["a note on it"] }]);
  expect(relations).toEqual([
    { from: expect.stringContaining("Stored") as string, to: "entity 1" },
  ]);
});

it("an answer that cannot be shortened is not stored", async () => {
  const gateway = await connectGateway({ servers: { memory: faulty("works") } });
  const result = await gateway.callTool("numbers");
  expect((result["structuredContent"] as { rows: number[] }).rows).toHaveLength(20_000);
  expect(textOf(result)).toBe("20,000 numbers");
  expect(textOf(await gateway.callTool("read_stored"))).toContain("No tool results");
});

it("every reading tool is answered, whichever is listed", async () => {
  const gateway = await connectGateway({ servers: { everything, other: faulty("works") } });
  const { tools } = (await gateway.request("tools/list")) as { tools: { name: string }[] };
  const own = tools.map(({ name }) => name).filter((name) => /knowledge|stored|offload/.test(name));
  expect(own).toEqual(["read_stored"]);
  await gateway.callTool("echo", { message: LONG });
  const found = await gateway.callTool("grep_knowledge", { pattern: "line 1234:" });
  expect(textOf(found)).toContain("line 1234: status ok");
});

describe("policy", () => {
  it("is set per tool, per server and for all", async () => {
    const gateway = await connectGateway({
      servers: {
        one: everything,
        two: { ...faulty("works"), contextOffload: { offload: false } },
      },
      contextOffload: { minTokens: 1_000_000, tools: { echo: { minTokens: 300 } } },
    });
    expect(textOf(await gateway.callTool("echo", { message: LONG }))).toMatch(/^<knowledge_list>/);
    expect(textOf(await gateway.callTool("work"))).toMatch(/^pid/);
    const kept = await connectGateway({
      servers: { one: everything },
      contextOffload: { tools: { echo: { offload: false } } },
    });
    expect(textOf(await kept.callTool("echo", { message: LONG }))).toBe(`Echo: ${LONG}`);
  });

  it("keeps errors", async () => {
    const folder = await tempFolder();
    const gateway = await connectGateway({ servers: { files: filesystem(folder) } });
    const path = join(folder, "missing".repeat(200));
    const result = await gateway.callTool("read_text_file", { path });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).not.toContain("knowledge_list");
  });
});

describe("the switch", () => {
  it("as a file passes everything through at once, and reading still works", async () => {
    const gateway = await connectGateway({ servers: { everything } });
    const [, link] = (await gateway.callTool("echo", { message: LONG }))["content"] as Json[];
    await writeFile(join(gateway.root, "off"), "");
    expect(textOf(await gateway.callTool("echo", { message: LONG }))).toBe(`Echo: ${LONG}`);
    const { tools } = (await gateway.request("tools/list")) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).not.toContain("grep_knowledge");
    const read = await gateway.callTool("get_knowledge_by_id", { artifact_id: link?.["name"] });
    expect(textOf(read)).toContain("line 7:");
    await rm(join(gateway.root, "off"));
    expect(textOf(await gateway.callTool("echo", { message: LONG }))).toMatch(/^<knowledge_list>/);
  });

  it("as an environment variable passes everything through", async () => {
    const env = { CONTEXT_OFFLOAD: "off" };
    const gateway = await connectGateway({ servers: { everything }, env });
    expect(textOf(await gateway.callTool("echo", { message: LONG }))).toBe(`Echo: ${LONG}`);
  });
});

it("a workspace that cannot be written lets answers through", async () => {
  const root = join(await tempFolder(), "file");
  await writeFile(root, "a file where the folder should be");
  const gateway = await connectGateway({ root, servers: { everything } });
  expect(textOf(await gateway.callTool("echo", { message: LONG }))).toBe(`Echo: ${LONG}`);
});

it("a client of an older protocol gets no link, which it would not know", async () => {
  const root = await tempFolder();
  const workspace = createWorkspace({ root });
  const gateway = createGateway({ servers: { everything }, workspace });
  const [client, server] = InMemoryTransport.createLinkedPair();
  const served = gateway.serve(server);
  const ask = (method: string, params: Json): Promise<Json> =>
    new Promise((resolve) => {
      client.onmessage = (message) => {
        if ("result" in message) resolve(message.result);
      };
      void client.send({ jsonrpc: "2.0", id: method, method, params });
    });
  await client.start();
  const hello = await ask("initialize", {
    ...{ protocolVersion: "2025-03-26", capabilities: {} },
    clientInfo: { name: "old", version: "1.0.0" },
  });
  expect(hello).toMatchObject({ protocolVersion: "2025-03-26" });
  await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const result = await ask("tools/call", { name: "echo", arguments: { message: LONG } });
  expect(result["content"]).toMatchObject([
    { text: expect.stringMatching(/^<knowledge_list>/) as unknown },
  ]);
  await client.close();
  await served;
});

describe("load", () => {
  it("5 MB of text come through whole, or as a reference to all of it", async () => {
    const message = randomBytes(2_500_000).toString("hex").replaceAll(/.{99}/g, "$&\n");
    const gateway = await connectGateway({ servers: { everything } });
    const result = await gateway.callTool("echo", { message });
    expect(JSON.stringify(result).length).toBeLessThan(5_000);
    const [, link] = result["content"] as { uri: string }[];
    const { contents } = await gateway.request("resources/read", { uri: link?.uri });
    expect((contents as [{ text: string }])[0].text === `Echo: ${message}`).toBe(true);
    await writeFile(join(gateway.root, "off"), "");
    const whole = await gateway.callTool("echo", { message });
    expect(textOf(whole) === `Echo: ${message}`).toBe(true);
  });

  it("100 calls at once get each its own answer", async () => {
    const gateway = await connectGateway({ servers: { everything, other: faulty("works") } });
    const calls = Array.from({ length: 100 }, (_, call) =>
      call % 2 === 0
        ? gateway.callTool("echo", { message: `call ${call}` })
        : gateway.callTool("echo", { message: `call ${call}\n${LONG}` }),
    );
    const results = await Promise.all(calls);
    const uris = new Set<unknown>();
    for (const [call, result] of results.entries()) {
      if (call % 2 === 0) expect(textOf(result)).toBe(`Echo: call ${call}`);
      else uris.add((result["content"] as Json[])[1]?.["uri"]);
    }
    expect(uris.size).toBe(50);
    const { contents } = await gateway.request("resources/read", { uri: [...uris][7] });
    expect((contents as [{ text: string }])[0].text).toBe(`Echo: call 15\n${LONG}`);
  });
});
