import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { LineReader } from "../src/gateway/lines.js";
import { openGateway, scripted } from "./support/gateway-here.js";

/** Four times as much may take nine times as long; with the square it would be sixteen. */
const MAX_RATIO = 9;
const MIN_MICROSECONDS = 100_000;

async function expectLinear(run: (chars: number) => Promise<unknown>): Promise<void> {
  const cpuOf = async (chars: number): Promise<number> => {
    const before = process.cpuUsage();
    await run(chars);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await run(1_000_000);
  const small = await cpuOf(10_000_000);
  const large = await cpuOf(40_000_000);
  expect(large / Math.max(small, MIN_MICROSECONDS)).toBeLessThan(MAX_RATIO);
}

it("the time for a message of a server grows with its length", async () => {
  const gateway = await openGateway({ one: scripted({}) });
  await expectLinear((chars) => gateway.call({ chars }));
});

it("the time for a message of the client grows with its length", async () => {
  const gateway = await openGateway({ one: scripted({}) });
  await expectLinear((chars) => {
    const answer = gateway.answerTo(`long-${chars}`);
    const ping = { jsonrpc: "2.0", id: `long-${chars}`, method: "ping" };
    const line = Buffer.from(`${JSON.stringify({ ...ping, params: { a: "a".repeat(chars) } })}\n`);
    for (let at = 0; at < line.length; at += 16_384) gateway.write(line.subarray(at, at + 16_384));
    return answer;
  });
});

it("the time for an event of a server at an address grows with its length", async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, params } = JSON.parse(body) as {
        id?: number;
        params?: { protocolVersion?: string; arguments?: { chars: number } };
      };
      if (id === undefined) return response.writeHead(202).end();
      const result = {
        ...{ protocolVersion: params?.protocolVersion, capabilities: { tools: {} } },
        tools: [{ name: "tool-0", inputSchema: { type: "object" } }],
        content: [
          { type: "text", text: "line of words\n".repeat((params?.arguments?.chars ?? 0) / 14) },
        ],
      };
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const gateway = await openGateway({ web: { url } });
  await expectLinear((chars) => gateway.call({ chars }));
});

it("lines are the same however their bytes are cut, and only those over the limit are skipped", () => {
  const aLine = fc.string({ unit: fc.constantFrom("a", "ü", "€", "𝒳", " ", "\r"), maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(aLine, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 60 }),
      (lines, cuts, maxBytes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const seen: (string | false)[] = [];
        let tooLong = 0;
        const reader = new LineReader(maxBytes, {
          onLine: (line) => seen.push(line),
          onTooLong: () => tooLong++,
          onSkipped: (start, end) => {
            expect(start + end).not.toContain("\n");
            seen.push(false);
          },
        });
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const size = cuts[cut % cuts.length] ?? 1;
          reader.feed(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = lines.map((line) => (Buffer.byteLength(line) <= maxBytes ? line : false));
        expect(seen).toEqual(expected);
        expect(tooLong).toBe(expected.filter((line) => line === false).length);
      },
    ),
  );
});
