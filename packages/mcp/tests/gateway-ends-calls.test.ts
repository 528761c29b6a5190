import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { guessId, readMessages } from "../src/gateway/json-rpc.js";
import { failureOf, openGateway, scripted, wordsOf, type Script } from "./support/gateway-here.js";

/** So short that a whole run takes seconds, and that no real server should have. */
const SHORT = {
  ...{ maxMessageBytes: 200_000, callMs: 3_000, startMs: 5_000, listMs: 1_000 },
  ...{ patienceMs: 1_000, silenceMs: 500, pingMs: 500, firstRestartMs: 20, lastRestartMs: 100 },
};

const ANSWERS = [
  "answer",
  "answer with a text as id",
  "answer in a batch",
  "answer with a byte order mark",
  "answer byte by byte",
  "invalid UTF-8",
];
const MALFORMED = [
  "no result",
  "a result that is a text",
  "a result that is null",
  "an error that is a text",
  "broken JSON",
  "broken JSON with the id last",
];
const FATAL = [
  "a line that is too long",
  "an endless line",
  "half an answer, then the end",
  "the end",
  "the end, with a process that holds its streams",
  "the end of its output",
];
const OPEN = [
  "answer with another id",
  "an error without an id",
  "half an answer",
  "the end of its input",
  "noise",
  "notices",
  "requests",
  "silence",
  "busy",
];
const ODD = ["a deeply nested answer", "an answer of wrong shapes"];
const anAct = fc.constantFrom(...ANSWERS, ...MALFORMED, ...FATAL, ...OPEN, ...ODD);

const aScript: fc.Arbitrary<Script> = fc.record({
  pages: fc.array(
    fc.record({
      act: fc.oneof({ weight: 4, arbitrary: fc.constant("answer") }, anAct),
      nextCursor: fc.constantFrom("same", "c#", ""),
      wait: fc.constantFrom(0, 0, 100),
    }),
    { maxLength: 3 },
  ),
  calls: fc.array(fc.array(anAct, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  pings: fc.boolean(),
});

it("whatever a server does, each request of the client is answered exactly once", async () => {
  await fc.assert(
    fc.asyncProperty(aScript, async (script) => {
      const servers = { bad: scripted(script), good: scripted({}) };
      const gateway = await openGateway(servers, SHORT);
      const listed = gateway.toolNames();
      const calls = Array.from({ length: 4 }, () => gateway.call({}, "bad__tool-0"));
      const other = [gateway.call({}, "tool-0"), gateway.request("ping")];
      await Promise.all([listed, ...calls, ...other]);
      const names = await gateway.toolNames();
      expect(names.some((name) => /tool-0$/.test(String(name)))).toBe(true);
      await gateway.close();
      const ids = gateway.answers.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }),
    { numRuns: 12 },
  );
});

describe("a server over standard input and output", () => {
  it.each(ANSWERS)("is understood: %s", async (act) => {
    const gateway = await openGateway({ one: scripted({ calls: [[act, act]] }) });
    const answer = await gateway.call();
    expect(wordsOf(answer)).toBe(act === "invalid UTF-8" ? "\u{fffd}\u{fffd}\u{fffd}" : "done");
    expect(await gateway.call()).toHaveProperty("result");
    expect(gateway.answers).toHaveLength(3);
  });

  it.each(MALFORMED)("gives an error at once, and goes on: %s", async (act) => {
    const gateway = await openGateway({ one: scripted({ calls: [[act], ["answer"]] }) });
    expect(failureOf(await gateway.call())).toBe("MALFORMED_ANSWER");
    expect(wordsOf(await gateway.call())).toBe("done");
  });

  it.each(FATAL)("gives an error at once, and is restarted: %s", async (act) => {
    const limits = { maxMessageBytes: 200_000, firstRestartMs: 20 };
    const gateway = await openGateway({ one: scripted({ calls: [[act]] }) }, limits);
    const answer = await gateway.call();
    expect(answer).toMatchObject({ result: { isError: true } });
    expect(wordsOf(answer)).toMatch(
      /long|line$/.test(act) ? /more than 200000 bytes \(maxMessageBytes\)/ : /it ended/,
    );
    expect(await gateway.toolNames()).toContain("tool-0");
  });

  it("gives an error where its answer cannot be passed on", async () => {
    const gateway = await openGateway({ one: scripted({ calls: [["a deeply nested answer"]] }) });
    expect(wordsOf(await gateway.call())).toMatch(/cannot be passed on/);
  });

  it.each(["answer with another id", "an error without an id", "silence"])(
    "gives an error after callMs, though it answers pings: %s",
    async (act) => {
      const limits = { callMs: 400, silenceMs: 50 };
      const gateway = await openGateway({ one: scripted({ calls: [[act], ["answer"]] }) }, limits);
      await gateway.toolNames();
      expect(wordsOf(await gateway.call())).toMatch(/within 400 ms \(callMs\)/);
    },
  );
});

describe("a list of tools", () => {
  const good = scripted({ calls: [["answer"]] });
  const listWith = async (pages: Script["pages"]): Promise<unknown[]> => {
    const limits = { listMs: 1_500 };
    const gateway = await openGateway({ odd: scripted({ pages: pages ?? [] }), good }, limits);
    const names = await gateway.toolNames();
    expect(await gateway.toolNames()).toEqual(expect.arrayContaining(["good__tool-0"]));
    return names;
  };

  it("ends where a cursor comes again", async () => {
    const names = await listWith([{ nextCursor: "same" }]);
    expect(names.slice(0, 3)).toEqual(["odd__tool-0", "tool-1", "good__tool-0"]);
  });

  it.each([
    ["pages without end", [{ nextCursor: "c#" }]],
    ["slow pages without end", [{ nextCursor: "c#", wait: 200 }]],
    ["a page that hangs", [{ nextCursor: "c#" }, { act: "silence" }]],
    ["a page that fails", [{ nextCursor: "c#" }, { act: "no result" }]],
  ] as const)("has one deadline for all of its pages: %s", async (_, pages) => {
    expect(await listWith([...pages])).toEqual(
      expect.arrayContaining(["odd__tool-0", "good__tool-0"]),
    );
  });

  it("leaves out a tool that cannot be passed on", async () => {
    const gateway = await openGateway(
      { odd: scripted({ pages: [{ act: "a deeply nested answer" }] }), good },
      { listMs: 1_500 },
    );
    expect(await gateway.toolNames()).toContain("tool-0");
  });
});

describe("a client", () => {
  const one = scripted({ calls: [["answer"]] });

  it("gets an error for what cannot be read, by its id if it has one", async () => {
    const gateway = await openGateway({ one });
    const failures = Promise.all(
      ["first", "last", "odd"].map(async (id) => failureOf(await gateway.answerTo(id))),
    );
    gateway.write('{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"na\n');
    gateway.write('{"method":"tools/call","params":{]},"jsonrpc":"2.0","id":"last"}\n');
    gateway.write('[{"jsonrpc":"2.0","id":"odd","method":"ping","params":7},null]\n');
    gateway.write("\u0000 noise {\n\n[]\n42\n");
    expect(await failures).toEqual(Array(3).fill("MALFORMED_REQUEST"));
    expect(wordsOf(await gateway.call())).toBe("done");
  });

  it("gets an error for a message over the limit, and is served on", async () => {
    const gateway = await openGateway({ one }, { maxMessageBytes: 100_000 });
    const long = "a".repeat(70_000);
    const answered = Promise.all(["first", "last"].map((id) => gateway.answerTo(id)));
    gateway.write(`{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"a":"${long}`);
    gateway.write(`${long}"}}\n{"method":"tools/call","params":{"a":"${long}`);
    gateway.write(`${long}"},"jsonrpc":"2.0","id":"last"}\n`);
    expect((await answered).map(failureOf)).toEqual(Array(2).fill("MESSAGE_TOO_LARGE"));
    expect(wordsOf(await gateway.call())).toBe("done");
  });

  it("may send its requests in a batch, and initialize again", async () => {
    const gateway = await openGateway({ one });
    const answers = Promise.all(["a", "b"].map((id) => gateway.answerTo(id)));
    const batch = ["a", "b"].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    gateway.write(`${JSON.stringify(batch)}\n`);
    expect((await answers).map((answer) => "result" in answer)).toEqual([true, true]);
    expect(await gateway.request("initialize", {})).toHaveProperty("result");
  });
});

it("any JSON value is read as messages, and each value with an id can be answered", () => {
  const aMessage = fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", "1.0", 2),
      id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant([])),
      method: fc.oneof(fc.string(), fc.integer()),
      params: fc.oneof(fc.object(), fc.jsonValue()),
      result: fc.oneof(fc.object(), fc.jsonValue()),
      error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(aMessage, fc.jsonValue(), fc.array(aMessage)), (value) => {
      const given = (Array.isArray(value) ? value : [value]) as unknown[];
      const ids = given.flatMap((item) => {
        const id = (item as { id?: unknown } | null)?.id;
        return typeof id === "string" || typeof id === "number" ? [id] : [];
      });
      const read = readMessages(value).flatMap((message) =>
        "malformedId" in message ? message.malformedId : "id" in message ? [message.id] : [],
      );
      expect(read).toEqual(ids);
    }),
  );
});

it("the id of a message that is cut or broken is found, and that of a log is not", () => {
  const line = JSON.stringify({ jsonrpc: "2.0", id: 5, result: { a: 1 } });
  expect(guessId(line.slice(0, -3), "")).toEqual({ id: 5, isAnswer: true });
  const last = JSON.stringify({ method: "x", params: {}, jsonrpc: "2.0", id: "a-1" });
  expect(guessId(last, last)).toEqual({ id: "a-1", isAnswer: false });
  for (const log of [`sent ${line}`, '{"id":5,"level":"info"', '{"result":1', "{", ""]) {
    expect(guessId(log, log)).toBeUndefined();
  }
});

describe("a server at an address", () => {
  type Act = (response: ServerResponse, id: number, request: IncomingMessage) => void;
  const json = { "content-type": "application/json" };
  const events = { "content-type": "text/event-stream" };
  const ok = (id: number): string =>
    JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
  const endless = (response: ServerResponse, text: string): void => {
    const more = (): void => {
      while (!response.destroyed && response.write(text));
      response.once("drain", more);
    };
    more();
  };

  /** Answers everything but calls as it should, and calls as it is told. */
  const serve = async (act: Act): Promise<string> => {
    const server = createServer((request, response) => {
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const { id, method, params } = JSON.parse(body) as {
          id?: number;
          method: string;
          params?: { protocolVersion: string };
        };
        if (id === undefined) response.writeHead(202).end();
        else if (method === "tools/call") act(response, id, request);
        else {
          const { protocolVersion } = params ?? {};
          const serverInfo = { name: "web", version: "1.0.0" };
          const tools = [{ name: "tool-0", inputSchema: { type: "object" } }];
          const result = { protocolVersion, serverInfo, tools, capabilities: { tools: {} } };
          response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };

  const faults: Readonly<Record<string, readonly [Act, RegExp]>> = {
    "JSON with another id": [
      (response, id) => response.writeHead(200, json).end(ok(id + 1e6)),
      /ended without an answer/,
    ],
    "a status that promises nothing": [
      (response) => response.writeHead(202).end(),
      /ended without an answer/,
    ],
    "broken JSON": [
      (response, id) => response.writeHead(200, json).end(ok(id).slice(0, -5)),
      /not available/,
    ],
    "a page for people": [
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      /content type/,
    ],
    "a failure": [(response) => response.writeHead(500).end("oops"), /oops/],
    "a connection that breaks": [(response) => response.destroy(), /not available/],
    "half an answer, and a connection that breaks": [
      (response, id) => {
        response.writeHead(200, json).write(ok(id).slice(0, 20));
        setTimeout(() => response.destroy(), 20);
      },
      /not available/,
    ],
    "a stream without an answer": [
      (response) => response.writeHead(200, events).end(": nothing\n\n"),
      /ended without an answer/,
    ],
    "a stream of rubbish": [
      (response, id) => response.writeHead(200, events).end(`data: ${ok(id).slice(1)}\n\n`),
      /ended without an answer/,
    ],
    "a stream that breaks": [
      (response, id) => {
        response.writeHead(200, events).write(`data: ${ok(id).slice(0, 20)}`);
        setTimeout(() => response.destroy(), 20);
      },
      /ended without an answer/,
    ],
    "an endless event": [
      (response) => {
        endless(response.writeHead(200, events), "data: aaaa\n");
      },
      /more than 200000 bytes/,
    ],
    "an endless body": [
      (response) => {
        endless(response.writeHead(200, json), " ".repeat(10_000));
      },
      /more than 200000 bytes/,
    ],
    "an endless failure": [
      (response) => {
        endless(response.writeHead(500), " ".repeat(10_000));
      },
      /more than 200000 bytes/,
    ],
    "no response": [() => undefined, /\(callMs\)/],
    "a stream that hangs": [
      (response) => response.writeHead(200, events).write(": wait\n\n"),
      /\(callMs\)/,
    ],
  };

  it.each(Object.keys(faults))("gives an error: %s", async (name) => {
    const [act, expected] = faults[name] as (typeof faults)[string];
    const limits = { ...SHORT, silenceMs: 60_000, callMs: name.includes("hang") ? 1_000 : 2_000 };
    const gateway = await openGateway({ web: { url: await serve(act) } }, limits);
    expect(wordsOf(await gateway.call())).toMatch(expected);
    expect(await gateway.request("ping")).toHaveProperty("result");
  });

  it("may send any number of events that are each below the limit", async () => {
    const note = { jsonrpc: "2.0", method: "notifications/message", params: { data: "a" } };
    const url = await serve((response, id) => {
      response.writeHead(200, events);
      // The empty line between events in a chunk of its own.
      for (let i = 0; i < 5_000; i++) {
        response.write(`data: ${JSON.stringify(note)}\n`);
        response.write("\n");
      }
      response.end(`data: ${ok(id)}\n\n`);
    });
    const gateway = await openGateway({ web: { url } }, { maxMessageBytes: 200_000 });
    expect(wordsOf(await gateway.call())).toBe("done");
  });

  it("with the protocol of 2024 gives an error when its stream ends, or never begins", async () => {
    let stream: ServerResponse | undefined;
    const server = createServer((request, response) => {
      if (request.method === "GET") {
        stream = response.writeHead(200, events);
        if (request.url === "/mcp") response.write("event: endpoint\ndata: /messages\n\n");
        else response.write(": nothing\n\n");
        return;
      }
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        response.writeHead(202).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (method === "tools/call") stream?.destroy();
        else if (id !== undefined) {
          const tools = [{ name: "tool-0", inputSchema: { type: "object" } }];
          const result = { protocolVersion: "2024-11-05", tools, capabilities: { tools: {} } };
          stream?.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const gateway = await openGateway({ old: { type: "sse", url: `${url}/mcp` } });
    expect(await gateway.call()).toMatchObject({ result: { isError: true } });
    const silent = { old: { type: "sse", url: `${url}/silent` } as const };
    const { initialized } = await openGateway(silent, { startMs: 300, patienceMs: 100 });
    expect(wordsOf(initialized)).toMatch(/did not answer initialize within 300 ms/);
  });
});
