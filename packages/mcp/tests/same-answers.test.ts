import { fileURLToPath } from "node:url";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createOffloader, createWorkspace, type Workspace } from "context-offload";
import { offloadClient } from "context-offload/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import { ANSWERS } from "./support/answers.mjs";
import { connectGateway, tempFolder, type Generation, type Json } from "./support/peers.js";

const COMMAND = {
  command: process.execPath,
  args: [fileURLToPath(new URL("support/answers-server.mjs", import.meta.url))],
};
const INFO = { name: "test", version: "1.0.0" };
const NAMES = Object.keys(ANSWERS);
const WHOLE = ["small", "refused"];
/** Their structured content cannot be shortened, but their text can. */
const HALF = ["strict", "rows"];

type Answers = ReadonlyMap<string, Json>;

/** What the gateway answers, without its links, which only it can resolve. */
async function throughGateway(generation: Generation): Promise<Answers> {
  const gateway = await connectGateway({ servers: { answers: COMMAND }, generation });
  // From now on, the client checks structured content with the output schemas.
  await gateway.request("tools/list");
  return answersOf(async (name) => {
    const { content, ...rest } = await gateway.callTool(name);
    const blocks = (content as Json[]).filter(({ type }) => type !== "resource_link");
    return { ...rest, content: blocks };
  });
}

async function throughDropIn(
  generation: Generation,
): Promise<{ answers: Answers; workspace: Workspace }> {
  const workspace = createWorkspace({ root: await tempFolder() });
  const server = { ...COMMAND, stderr: "ignore" } as const;
  const options = { workspace, sessionId: "mcp" };
  const connected = async <C extends { close(): Promise<void> }>(
    client: C,
    connecting: Promise<void>,
  ): Promise<C> => {
    await connecting;
    onTestFinished(() => client.close());
    return client;
  };
  if (generation === "v1") {
    const plain = new ClientV1(INFO);
    const client = await connected(
      offloadClient(plain, options),
      plain.connect(new StdioV1(server)),
    );
    const call = (name: string) => client.callTool({ name }) as Promise<Json>;
    return { workspace, answers: await answersOf(call) };
  }
  const plain = new ClientV2(INFO, { versionNegotiation: { mode: "legacy" } });
  const client = await connected(offloadClient(plain, options), plain.connect(new StdioV2(server)));
  const call = (name: string) => client.callTool({ name }) as Promise<Json>;
  return { workspace, answers: await answersOf(call) };
}

async function answersOf(call: (name: string) => Promise<Json>): Promise<Answers> {
  const answers = new Map<string, Json>();
  for (const name of NAMES) answers.set(name, await call(name));
  return answers;
}

function lengthOf(answer: unknown): number {
  return JSON.stringify(answer).length;
}

describe.each<Generation>(["v1", "v2"])("the same answers, client %s", (generation) => {
  it("come out of the drop-in and of the gateway equal, short and valid", async () => {
    const gateway = await throughGateway(generation);
    const { answers, workspace } = await throughDropIn(generation);
    for (const name of NAMES) {
      const answer = answers.get(name) as Json;
      expect(answer, name).toEqual(gateway.get(name));
      const { outputSchema, result } = ANSWERS[name] as { outputSchema?: object; result: Json };
      if (WHOLE.includes(name)) {
        const blocks = (answer["content"] as Json[]).slice(0, 1);
        expect({ ...answer, content: blocks }, name).toEqual(result);
      } else {
        const share = HALF.includes(name) ? 0.65 : 1 / 3;
        expect(lengthOf(answer), name).toBeLessThan(lengthOf(result) * share);
        expect(answer["isError"], name).toBe(result["isError"]);
      }
      if (!outputSchema) continue;
      const { valid } = new AjvJsonSchemaValidator().getValidator(outputSchema)(
        answer["structuredContent"],
      );
      expect(valid, name).toBe(true);
    }
    expect(lengthOf(ANSWERS["hits"]?.result)).toBeGreaterThan(52_000);
    expect(lengthOf(answers.get("hits"))).toBeLessThan(10_000);
    await expectRestored(workspace, answers);
  });
});

/** Whatever was shortened can be put back, though equal text and structured content are stored once. */
async function expectRestored(workspace: Workspace, answers: Answers): Promise<void> {
  const offloader = createOffloader({ workspace, sessionId: "mcp", format: "mcp" });
  for (const [name, answer] of answers) {
    if (WHOLE.includes(name)) continue;
    const { content, ...rest } = answer;
    const [reference] = content as { text: string }[];
    const id = /<knowledge id="rpc-([^"]+)"/.exec(reference?.text ?? "")?.[1];
    const [restored] = await offloader.restore([
      { jsonrpc: "2.0", id, result: { content: [reference], isError: rest["isError"] } },
    ]);
    expect(restored?.result, name).toMatchObject(ANSWERS[name]?.result ?? {});
  }
  const { artifacts } = await workspace.queryArtifacts({}, { sessionId: "mcp" });
  const sizeOf = (name: string): number =>
    artifacts.find(({ metadata }) => metadata.tool_name === name)?.size.chars ?? 0;
  for (const name of ["hits", "wrapped"]) {
    expect(sizeOf(name), name).toBeGreaterThan(0);
    expect(sizeOf(name), name).toBeLessThan(0.6 * lengthOf(ANSWERS[name]?.result));
  }
}
