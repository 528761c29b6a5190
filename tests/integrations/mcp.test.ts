import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as Transport1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  Client as Client2,
  InMemoryTransport as Transport2,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer as Server2,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { offloadClient, offloadHandler, registerReadingTools } from "context-offload/mcp";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  brokenWorkspace,
  LOG,
  NEEDED,
  SEARCH,
  SHORT,
  storyWorkspace,
} from "../support/framework-story.js";

const INFO = { name: "test", version: "1.0.0" };
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const outputSchema = z.object({ service: z.string(), log: z.string() });
const structured = { service: "payments", log: LOG };
const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `row ${id}` }));

type Handler = (
  args: object,
  context: object,
) => ReturnType<typeof text> & { structuredContent?: typeof structured };

/** A server with a tool for each kind of result. */
function fill<S extends Server1 | Server2>(server: S): S {
  const one = server as Server2;
  one.registerTool(
    "fetch_log",
    { inputSchema: z.object({ service: z.string().optional() }) },
    ({ service }) => text(service === undefined ? LOG : `${service}\n${LOG}`),
  );
  one.registerTool("fail", { inputSchema: z.object({}) }, () => {
    throw new Error("no such service");
  });
  one.registerTool("crash", { inputSchema: z.object({}) }, () => ({ ...text(LOG), isError: true }));
  one.registerTool("structured", { outputSchema, inputSchema: z.object({}) }, () => ({
    ...text(JSON.stringify(structured)),
    structuredContent: structured,
  }));
  one.registerTool(
    "strict",
    { outputSchema: z.object({ log: z.string().min(5_000) }), inputSchema: z.object({}) },
    () => ({ ...text("see log"), structuredContent: { log: LOG } }),
  );
  one.registerTool(
    "rows",
    {
      outputSchema: z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) }),
      inputSchema: z.object({}),
    },
    () => ({ ...text(JSON.stringify({ rows })), structuredContent: { rows } }),
  );
  one.registerTool("echo", { inputSchema: z.object({ content: z.string() }) }, ({ content }) =>
    text(`${content.length} characters`),
  );
  return server;
}

interface AnyClient {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>;
  listTools(): Promise<{ tools: { name: string; description?: string | undefined }[] }>;
}

/** A connected pair of either version. */
const SDKS = {
  async "SDK 1"(server: Server1, client: Client1) {
    const [one, other] = Transport1.createLinkedPair();
    await server.connect(one);
    await client.connect(other);
  },
  async "SDK 2"(server: Server2, client: Client2) {
    const [one, other] = Transport2.createLinkedPair();
    await server.connect(one);
    await client.connect(other);
  },
};

async function connect(
  sdk: string,
  prepare: (server: Server2) => void,
  options?: Parameters<typeof offloadClient>[1],
): Promise<AnyClient> {
  if (sdk === "SDK 1") {
    const server = new Server1(INFO);
    prepare(server as unknown as Server2);
    const client = new Client1(INFO);
    const used = options ? offloadClient(client, options) : client;
    await SDKS["SDK 1"](server, used);
    return used;
  }
  const server = new Server2(INFO);
  prepare(server);
  const client = new Client2(INFO);
  const used = options ? offloadClient(client, options) : client;
  await SDKS["SDK 2"](server, used);
  return used;
}

function textOf(result: object): string {
  return (result as { content: { text: string }[] }).content.map((block) => block.text).join("\n");
}

function idOf(reference: string): string {
  return /<knowledge id="([^"]+)"/.exec(reference)?.[1] ?? "";
}

describe.each(Object.keys(SDKS))("offloadClient, %s", (sdk) => {
  let client: AnyClient;
  let story: Awaited<ReturnType<typeof storyWorkspace>>;
  beforeEach(async () => {
    story = await storyWorkspace();
    const { workspace } = story;
    client = await connect(sdk, fill, { workspace, acceptReferences: ["echo"] });
  });

  it("answers with a reference that the reading tools read", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["fetch_log", "read_stored"]),
    );
    const reference = textOf(await client.callTool({ name: "fetch_log" }));
    expect(reference.length).toBeLessThan(SHORT);
    const search = { ...SEARCH.input, id: idOf(reference) };
    const found = await client.callTool({ name: SEARCH.name, arguments: search });
    expect(textOf(found)).toContain(NEEDED);
    // The same call again costs nothing new, and says the same.
    expect(textOf(await client.callTool({ name: "fetch_log" }))).toBe(reference);
    const { artifacts } = await story.workspace.getToolResultOffloadInfo();
    expect(artifacts.map(({ tool_name }) => tool_name)).toEqual(["fetch_log"]);
  });

  it("answers parallel calls, and passes on errors", async () => {
    const services = ["a", "b", "c"];
    const results = await Promise.all(
      services.map((service) => client.callTool({ name: "fetch_log", arguments: { service } })),
    );
    expect(new Set(results.map((result) => idOf(textOf(result)))).size).toBe(3);
    const failed = await client.callTool({ name: "fail" });
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toContain("no such service");
    const wrong = await client.callTool({ name: SEARCH.name, arguments: { id: "none" } });
    expect(wrong).toMatchObject({ isError: true });
  });

  it("offloads an error as long as a log, still as an error", async () => {
    const crashed = await client.callTool({ name: "crash" });
    expect(crashed).toMatchObject({ isError: true });
    expect(textOf(crashed)).toContain("<knowledge_list");
    expect(textOf(crashed).length).toBeLessThan(SHORT);
  });

  it("keeps structured content that the tool's schema allows", async () => {
    const result = await client.callTool({ name: "structured" });
    const { structuredContent } = result as { structuredContent: typeof structured };
    expect(outputSchema.parse(structuredContent).service).toBe("payments");
    expect(structuredContent.log).toContain("<knowledge_list");
    expect(JSON.stringify(result).length).toBeLessThan(2 * SHORT);
  });

  it("asks the host's validator, if there is one", async () => {
    const asked: unknown[] = [];
    const validate = (schema: unknown, value: unknown): boolean => {
      asked.push([schema, value]);
      return true;
    };
    const { workspace } = story;
    const validated = await connect(sdk, fill, { workspace, validate });
    const result = await validated.callTool({ name: "strict" });
    const { structuredContent } = result as { structuredContent: { log: string } };
    expect(structuredContent.log).toBe(textOf(result));
    expect(asked).toEqual([[expect.objectContaining({ type: "object" }), structuredContent]]);
    const refusing = await connect(sdk, fill, { workspace, validate: () => false });
    expect(await refusing.callTool({ name: "structured" })).toMatchObject({
      structuredContent: structured,
    });
  });

  it("keeps a result whole that its schema does not let be shorter, says why, and stores nothing", async () => {
    const result = await client.callTool({ name: "strict" });
    expect(JSON.stringify(result).length).toBeGreaterThan(50_000);
    const skipped = story.events.find(({ event, tool_name }) => event === "skip" && tool_name);
    expect(skipped).toMatchObject({
      tool_name: "strict",
      reason: expect.stringMatching(/minLength/) as string,
    });
    const { artifacts } = await story.workspace.getToolResultOffloadInfo();
    expect(artifacts).toEqual([]);
  });

  it("leaves one item of a long list, with the reference in it", async () => {
    const result = await client.callTool({ name: "rows" });
    const { structuredContent } = result as { structuredContent: { rows: typeof rows } };
    expect(structuredContent.rows).toEqual([{ id: 0, name: textOf(result) }]);
    expect(textOf(result)).toContain("<knowledge_list");
  });

  it("puts stored text into the arguments of a tool that takes references", async () => {
    const reference = textOf(await client.callTool({ name: "fetch_log" }));
    const content = `offload:${encodeURIComponent(idOf(reference))}#lines=1-2`;
    const echoed = await client.callTool({ name: "echo", arguments: { content } });
    const lines = LOG.split("\n").slice(0, 2).join("\n");
    expect(textOf(echoed)).toBe(`${lines.length} characters`);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "echo")?.description).toContain("offload:");
  });

  it("tells the model of a bad reference, also to a result of another session", async () => {
    const { workspace } = story;
    await workspace.put({ content: "secret" }, { toolCallId: "theirs", sessionId: "other" });
    const own = idOf(textOf(await client.callTool({ name: "fetch_log" })));
    for (const content of ["offload:theirs", "offload:none#lines=1-2"]) {
      const refused = await client.callTool({ name: "echo", arguments: { content } });
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toContain(own);
    }
  });

  it("goes on when nothing can be stored, and says so", async () => {
    const { workspace, events } = await brokenWorkspace();
    const broken = await connect(sdk, fill, { workspace });
    expect(textOf(await broken.callTool({ name: "fetch_log" }))).toBe(LOG);
    expect(events.map(({ event }) => event)).toContain("failure");
  });

  it("does not hide a tool of the server", async () => {
    const { workspace } = story;
    const prepare = (server: Server2): void => {
      registerReadingTools(server, { workspace });
    };
    const nested = await connect(sdk, prepare, { workspace });
    await expect(nested.listTools()).rejects.toThrow(/toolNames/);
  });
});

describe("offloadClient of a server whose list of tools does not end", () => {
  it("answers after a number of pages, with the structured content as it is", async () => {
    let pages = 0;
    const server = {
      listTools: () => {
        pages += 1;
        // So that this test ends if nothing else does.
        return Promise.resolve(pages > 500 ? { tools: [] } : { tools: [], nextCursor: `${pages}` });
      },
      callTool: ({ name }: { name: string }) =>
        Promise.resolve({
          name,
          ...text(JSON.stringify(structured)),
          structuredContent: structured,
        }),
    };
    const { workspace } = await storyWorkspace();
    const answer = await offloadClient(server, { workspace }).callTool({ name: "structured" });
    expect(answer).toMatchObject({ structuredContent: structured });
    expect(pages).toBeLessThanOrEqual(100);
  });
});

describe.each(Object.keys(SDKS))("offloadHandler and registerReadingTools, %s", (sdk) => {
  it("a server answers with references, and reads them", async () => {
    const { workspace } = await storyWorkspace();
    const client = await connect(sdk, (server) => {
      registerReadingTools(server, { workspace });
      const config = { inputSchema: z.object({ service: z.string() }) };
      const handler = offloadHandler(
        ({ service }: { service: string }) => text(`${service}\n${LOG}`),
        { workspace, name: "fetch_log" },
      );
      server.registerTool("fetch_log", config, handler);
    });
    const { tools } = await client.listTools();
    const grep = tools.find(({ name }) => name === SEARCH.name) as object;
    expect(grep).toMatchObject({ inputSchema: { type: "object", properties: { id: {} } } });
    const call = { name: "fetch_log", arguments: { service: "payments" } };
    const reference = textOf(await client.callTool(call));
    expect(reference.length).toBeLessThan(SHORT);
    const search = { ...SEARCH.input, id: idOf(reference) };
    const found = await client.callTool({ name: SEARCH.name, arguments: search });
    expect(textOf(found)).toContain(NEEDED);
    const wrong = await client.callTool({ name: SEARCH.name, arguments: { pattern: "(" } });
    expect(wrong).toMatchObject({ isError: true });
  });

  it("keeps structured content that the schema allows, or the whole", async () => {
    const { workspace, events } = await storyWorkspace();
    const strict = z.object({ log: z.string().min(5_000) });
    const client = await connect(sdk, (server) => {
      const answer: Handler = () => ({ ...text("see log"), structuredContent: structured });
      const config = { outputSchema, inputSchema: z.object({}) };
      const handle = (schema?: typeof outputSchema | typeof strict) =>
        offloadHandler(answer, { workspace, outputSchema: schema });
      server.registerTool("allowed", config, handle(outputSchema));
      server.registerTool("unknown", config, handle());
      server.registerTool("strict", { ...config, outputSchema: strict }, handle(strict));
    });
    const allowed = await client.callTool({ name: "allowed" });
    expect(JSON.stringify(allowed).length).toBeLessThan(2 * SHORT);
    // What the structured content held can be found, though the text only announced it.
    const { artifacts } = await workspace.getToolResultOffloadInfo();
    const { artifact_id = "", session_id: sessionId = "" } = artifacts[0] ?? {};
    const found = await workspace.grepKnowledge(artifact_id, "ERROR", { sessionId });
    expect(found.text).toContain(NEEDED);
    for (const name of ["unknown", "strict"]) {
      expect(await client.callTool({ name })).toMatchObject({ structuredContent: { log: LOG } });
    }
    const reasons = events.flatMap(({ event, reason }) => (event === "skip" ? [reason] : []));
    expect(reasons).toEqual([
      expect.stringMatching(/pass its outputSchema/),
      expect.stringMatching(/does not allow a reference/),
    ]);
  });

  it("a server's handler shortens as a client does", async () => {
    const answer = () => ({ ...text(JSON.stringify(structured)), structuredContent: structured });
    const config = { outputSchema, inputSchema: z.object({}) };
    const { workspace } = await storyWorkspace();
    const wrapped = await connect(sdk, (server) => {
      const handler = offloadHandler(answer, { workspace, outputSchema, name: "fetch" });
      server.registerTool("fetch", config, handler);
    });
    const plain = (server: Server2) => void server.registerTool("fetch", config, answer);
    const client = await connect(sdk, plain, { workspace: (await storyWorkspace()).workspace });
    const shortened = await client.callTool({ name: "fetch" });
    expect(JSON.stringify(shortened).length).toBeLessThan(2 * SHORT);
    expect(await wrapped.callTool({ name: "fetch" })).toEqual(shortened);
  });

  it("answers parallel calls, passes on what a handler throws, and goes on without a store", async () => {
    const fine = await storyWorkspace();
    const broken = await brokenWorkspace();
    const client = await connect(sdk, (server) => {
      const config = { inputSchema: z.object({ service: z.string() }) };
      const fetchLog = ({ service }: { service: string }) => {
        if (service === "none") throw new Error("no such service");
        return text(`${service}\n${LOG}`);
      };
      for (const { workspace, name } of [
        { ...fine, name: "fine" },
        { ...broken, name: "broken" },
      ]) {
        server.registerTool(name, config, offloadHandler(fetchLog, { workspace, name }));
      }
      registerReadingTools(server, { workspace: fine.workspace });
    });
    const call = (name: string, service: string) =>
      client.callTool({ name, arguments: { service } });
    const results = await Promise.all(["a", "b", "c"].map((service) => call("fine", service)));
    expect(new Set(results.map((result) => idOf(textOf(result)))).size).toBe(3);
    expect(results.every((result) => textOf(result).length < SHORT)).toBe(true);
    const failed = await call("fine", "none");
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toContain("no such service");
    expect(textOf(await call("broken", "a"))).toBe(`a\n${LOG}`);
    expect(broken.events.map(({ event }) => event)).toContain("failure");
    // What another session has stored is not there for this one.
    const { workspace } = fine;
    await workspace.put({ content: "secret" }, { toolCallId: "theirs", sessionId: "other" });
    const read = { name: "read_stored", arguments: { id: "theirs" } };
    expect(await client.callTool(read)).toMatchObject({ isError: true });
  });

  it("keeps clients of one server apart", async () => {
    const { workspace, events } = await storyWorkspace();
    const answerLog: Handler = () => text(LOG);
    const fetchLog = offloadHandler(answerLog, { workspace });
    const first = textOf(await fetchLog({}, { sessionId: "ann" }));
    await fetchLog({}, { sessionId: "bob" });
    const { artifacts } = await workspace.getToolResultOffloadInfo();
    expect(artifacts.map(({ session_id }) => session_id)).toEqual(["ann", "bob"]);
    expect(first).toContain("<knowledge_list");
    // Over HTTP without sessions nobody knows who may read what.
    const whole = await fetchLog({}, { requestInfo: { headers: {} } });
    expect(textOf(whole)).toBe(LOG);
    expect(events.at(-1)).toMatchObject({ event: "skip" });
    const named = offloadHandler(answerLog, { workspace, sessionId: () => "carl" });
    expect(textOf(await named({}, { requestInfo: {} }))).toContain("<knowledge_list");
  });
});

it.each([
  ["1", () => new Server1(INFO)],
  ["2", () => new Server2(INFO)],
])("rejects a tool of a server of SDK %s that has the name of a reading tool", (_, open) => {
  const server = open();
  registerReadingTools(server);
  expect(() => {
    registerReadingTools(server);
  }).toThrow(/toolNames/);
});

it("keeps the caller's types", () => {
  const one: Client1 = offloadClient(new Client1(INFO));
  const two: Client2 = offloadClient(new Client2(INFO));
  expect([one, two].every((client) => "callTool" in client)).toBe(true);
  const server = new Server1(INFO);
  const config = { inputSchema: { service: z.string() } };
  server.registerTool(
    "a",
    config,
    offloadHandler(({ service }: { service: string }) => text(service)),
  );
  // @ts-expect-error: not a client
  expect(() => offloadClient({})).toThrow(/callTool/);
  // @ts-expect-error: a handler returns a result
  offloadHandler(() => 1);
});

describe("the revision 2026-07-28", () => {
  /** A client and a server over HTTP that speak nothing else. */
  function connectStateless(prepare: (server: Server2) => void) {
    const create = (): Server2 => {
      const server = new Server2(INFO);
      prepare(server);
      return server;
    };
    const handler = createMcpHandler(create, { legacy: "reject" });
    const plain = new Client2(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: "2026-07-28" } },
    });
    plain.setRequestHandler("elicitation/create", () => ({
      action: "accept" as const,
      content: { service: "payments" },
    }));
    const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: (url, init) => handler.fetch(new Request(url, init)),
    });
    return { plain, connecting: plain.connect(transport) };
  }

  it("offloadClient answers with references, and passes rounds on", async () => {
    const { workspace } = await storyWorkspace();
    const { plain, connecting } = connectStateless((server) => {
      fill(server);
      const schema = z.object({ service: z.string() });
      server.registerTool("ask", { inputSchema: z.object({}) }, (_, { mcpReq }) => {
        const answered = acceptedContent(mcpReq.inputResponses, "which", schema);
        if (answered) return text(`${answered.service}\n${LOG}`);
        const message = "Which service?";
        const which = inputRequired.elicit({ message, requestedSchema: schema });
        return inputRequired({ inputRequests: { which } });
      });
    });
    await connecting;
    const client = offloadClient(plain, { workspace });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("read_stored");
    for (const name of ["fetch_log", "ask"]) {
      const reference = textOf(await client.callTool({ name }));
      expect(reference).toContain("<knowledge_list");
      const search = { ...SEARCH.input, id: idOf(reference) };
      const found = await client.callTool({ name: SEARCH.name, arguments: search });
      expect(textOf(found)).toContain(NEEDED);
    }
    await client.close();
  });

  it("a server asks through offloadHandler, and answers with references where its clients are told apart", async () => {
    const { workspace } = await storyWorkspace();
    const options = { workspace, sessionId: () => "ada" };
    const { plain: client, connecting } = connectStateless((server) => {
      registerReadingTools(server, options);
      const schema = z.object({ service: z.string() });
      const handler = (_: object, { mcpReq }: ServerContext) =>
        acceptedContent(mcpReq.inputResponses, "which", schema)
          ? text(LOG)
          : inputRequired({
              inputRequests: {
                which: inputRequired.elicit({ message: "Which?", requestedSchema: schema }),
              },
            });
      server.registerTool(
        "ask",
        { inputSchema: z.object({}) },
        offloadHandler(handler, { ...options, name: "ask" }),
      );
    });
    await connecting;
    const reference = textOf(await client.callTool({ name: "ask" }));
    expect(reference).toContain("<knowledge_list");
    const search = { ...SEARCH.input, id: idOf(reference) };
    expect(textOf(await client.callTool({ name: SEARCH.name, arguments: search }))).toContain(
      NEEDED,
    );
    await client.close();
  });
});
