import { createWorkspace, type Workspace } from "context-offload";
import { expect, describe, it } from "vitest";
import { artifactUri, parseArtifactUri } from "../src/index.js";
import { connectServer, tempFolder, textOf, type Generation, type Json } from "./support/peers.js";

const LOG = Array.from({ length: 500 }, (_, line) => `line ${line}: ok`).join("\n");
const ODD_ID = "toolu/ü 1%?#";

describe.each<Generation>(["v2", "v2 auto", "v2 2026", "v1"])(
  "the MCP server, client %s",
  (generation) => {
    it("lists tools with schemas and annotations, and answers with structured output", async () => {
      const { root } = await filledWorkspace();
      const peer = await connectServer({ root }, generation);
      const { tools } = (await peer.request("tools/list")) as { tools: Json[] };
      expect(tools.map(({ name }) => name)).toEqual([
        "get_knowledge_by_id",
        "get_knowledge_by_lines",
        "grep_knowledge",
        "query_knowledge",
        "get_tool_result_offload_info",
        "store_knowledge",
      ]);
      for (const { name, annotations, inputSchema, outputSchema } of tools) {
        const readOnlyHint = name !== "store_knowledge";
        expect(annotations).toMatchObject({ readOnlyHint, destructiveHint: false });
        expect([inputSchema, outputSchema]).toMatchObject([{ type: "object" }, { type: "object" }]);
      }
      // The client checks structured content against the output schema.
      const lines = await peer.callTool("get_knowledge_by_lines", {
        ...{ artifact_id: "log", start_line: 2, end_line: 3 },
      });
      expect(lines).toMatchObject({
        content: [{ type: "text", text: "line 1: ok\nline 2: ok" }],
        structuredContent: {
          text: "line 1: ok\nline 2: ok",
          artifact_id: "log",
          session_id: "one",
          range: { unit: "lines", from: 2, to: 3, of: 500 },
        },
      });
      const all = await peer.callTool("grep_knowledge", { pattern: "line 7:" });
      expect(all).toMatchObject({
        structuredContent: { matches: [{ artifact_id: "log", session_id: "one", matches: 1 }] },
      });
      const json = { artifact_id: "data", pointer: "/items/1" };
      expect(textOf(await peer.callTool("query_knowledge", json))).toContain("second");
      const info = await peer.callTool("get_tool_result_offload_info");
      expect(info).toMatchObject({
        structuredContent: { artifacts: expect.any(Array) as unknown },
      });
      const wrong = await peer.callTool("get_knowledge_by_id", { artifact_id: "lag" });
      expect(wrong).toMatchObject({ isError: true });
      expect(textOf(wrong)).toMatch(/UNKNOWN_ARTIFACT.*log/s);
    });

    it("stores text, which can be read at once", async () => {
      const root = await tempFolder();
      const peer = await connectServer({ root }, generation);
      const stored = await peer.callTool("store_knowledge", { text: LOG, name: "notes" });
      const { structuredContent } = stored as { structuredContent: { uri: string } };
      expect(structuredContent).toMatchObject({
        artifact_id: "notes",
        chars: LOG.length,
        lines: 500,
      });
      const { uri } = structuredContent;
      expect(stored["content"]).toContainEqual({ type: "resource_link", uri, name: "notes" });
      const { contents } = await peer.request("resources/read", { uri });
      expect(contents).toEqual([{ uri, mimeType: "text/plain", text: LOG }]);
      expect(await peer.callTool("store_knowledge", { text: 1 })).toMatchObject({ isError: true });
    });

    it("shows artifacts as resources, in pages, with a template", async () => {
      const { root, workspace } = await filledWorkspace();
      for (let at = 0; at < 60; at++) {
        await workspace.put({ content: `note ${at}` }, { toolCallId: `n${at}`, sessionId: "two" });
      }
      const peer = await connectServer({ root }, generation);
      const found: Json[] = [];
      let cursor: unknown;
      let pages = 0;
      do {
        const page: Json = await peer.request("resources/list", cursor ? { cursor } : {});
        found.push(...(page["resources"] as Json[]));
        cursor = page["nextCursor"];
        pages++;
      } while (cursor !== undefined);
      expect([found.length, pages]).toEqual([63, 2]);
      expect(found[0]).toMatchObject({
        uri: "offload://default/one/log",
        name: "log",
        title: "read_log",
        mimeType: "text/plain",
        size: Buffer.byteLength(LOG),
      });
      const { resourceTemplates } = await peer.request("resources/templates/list");
      expect(resourceTemplates).toMatchObject([
        { uriTemplate: "offload://{namespace}/{session}/{artifact}" },
      ]);
      const odd = artifactUri({ namespace: "default", sessionId: "one", artifactId: ODD_ID });
      const { contents } = await peer.request("resources/read", { uri: odd });
      expect(contents).toMatchObject([{ text: "odd" }]);
      for (const uri of ["offload://default/one/none", "offload://other/one/log", "file:///x"]) {
        await expect(peer.request("resources/read", { uri })).rejects.toThrow();
      }
      await expect(peer.request("resources/list", { cursor: "wrong" })).rejects.toThrow(/cursor/);
    });
  },
);

describe("one id in two sessions", () => {
  it("is read where its content is the same, and by the hash in its reference where it is not", async () => {
    const root = await tempFolder();
    const workspace = createWorkspace({ root });
    const put = (content: string, sessionId: string) =>
      workspace.put({ content, artifactId: "call_1" }, { sessionId });
    const { record } = await put("the first content", "one");
    await put("the first content", "two");
    const server = await connectServer({ root });
    const read = (id: string) => server.callTool("get_knowledge_by_id", { artifact_id: id });
    expect(textOf(await read("call_1"))).toBe("the first content");
    const other = (await put("another content", "three")).record;
    expect(textOf(await read("call_1"))).toMatch(/^AMBIGUOUS_ARTIFACT: .*call_1#[0-9a-f]{8}/);
    expect(textOf(await read(`call_1#${record.hash.slice(0, 8)}`))).toBe("the first content");
    expect(textOf(await read(`call_1#${other.hash.slice(0, 8)}`))).toBe("another content");
    expect(textOf(await read("call_1#00000000"))).toMatch(/^UNKNOWN_ARTIFACT/);
    await workspace.close();
  });
});

describe("scope", () => {
  it("one session sees only its own", async () => {
    const { root, workspace } = await filledWorkspace();
    await workspace.put({ content: "secret" }, { toolCallId: "s", sessionId: "two" });
    const peer = await connectServer({ root, sessionId: "two" });
    const { resources } = await peer.request("resources/list");
    expect(resources).toMatchObject([{ name: "s" }]);
    const uri = "offload://default/one/log";
    await expect(peer.request("resources/read", { uri })).rejects.toThrow();
    const read = await peer.callTool("get_knowledge_by_id", { artifact_id: "log" });
    expect(read).toMatchObject({ isError: true });
    const stored = await peer.callTool("store_knowledge", { text: "x", session_id: "one" });
    expect(stored).toMatchObject({ structuredContent: { session_id: "two" } });
  });

  it("one namespace sees only its own", async () => {
    const { root } = await filledWorkspace();
    const peer = await connectServer({ root, namespace: "other" });
    expect(await peer.request("resources/list")).toMatchObject({ resources: [] });
    const uri = "offload://default/one/log";
    await expect(peer.request("resources/read", { uri })).rejects.toThrow(/namespace/);
  });

  it("read-only has no tool that stores", async () => {
    const peer = await connectServer({ root: await tempFolder(), isReadOnly: true });
    const { tools } = (await peer.request("tools/list")) as { tools: unknown[] };
    expect(tools).toHaveLength(5);
    await expect(peer.callTool("store_knowledge", { text: "x" })).rejects.toThrow(/Unknown tool/);
  });
});

it("URIs of artifacts carry any id and are read back", () => {
  const address = { namespace: "a b", sessionId: "s/1", artifactId: ODD_ID };
  expect(parseArtifactUri(artifactUri(address))).toEqual(address);
  for (const uri of ["offload://a/b", "offload://a/b/c/d", "offload://a//c", "offload://a/b/%"]) {
    expect(parseArtifactUri(uri)).toBeUndefined();
  }
});

async function filledWorkspace(): Promise<{ root: string; workspace: Workspace }> {
  const root = await tempFolder();
  const workspace = createWorkspace({ root });
  const scope = { sessionId: "one" };
  const metadata = { tool_name: "read_log" };
  await workspace.put({ content: LOG, metadata }, { toolCallId: "log", ...scope });
  const data = { items: [{ name: "first" }, { name: "second" }] };
  await workspace.put({ content: JSON.stringify(data) }, { toolCallId: "data", ...scope });
  await workspace.put({ content: "odd" }, { toolCallId: ODD_ID, ...scope });
  return { root, workspace };
}
