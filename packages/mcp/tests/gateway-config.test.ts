import { expect, it } from "vitest";
import { parseGatewayConfig } from "../src/index.js";

const server = { command: "npx", args: ["-y", "some-server"] };

it("reads the mcpServers form, with variables, policies and servers that are disabled", () => {
  const config = {
    mcpServers: {
      files: { ...server, env: { TOKEN: "${SECRET}", LEVEL: "${LEVEL:-info}" }, cwd: "${HOME}/x" },
      web: {
        ...{ type: "http", url: "https://${HOST}/mcp" },
        headers: { Authorization: "Bearer ${SECRET}" },
        contextOffload: { minTokens: 50 },
      },
      old: { type: "sse", url: "https://example.com/sse" },
      unused: { ...server, disabled: true },
    },
    contextOffload: { minTokens: 500, tools: { search: { offload: false } } },
  };
  const env = { SECRET: "s3cret", HOST: "example.com", HOME: "/home/me" };
  const { servers, policy } = parseGatewayConfig(config, env);
  expect(Object.keys(servers)).toEqual(["files", "web", "old"]);
  expect(servers["files"]).toMatchObject({
    ...server,
    env: { TOKEN: "s3cret", LEVEL: "info" },
    cwd: "/home/me/x",
  });
  expect(servers["web"]).toMatchObject({
    url: "https://example.com/mcp",
    headers: { Authorization: "Bearer s3cret" },
    contextOffload: { minTokens: 50 },
  });
  expect(servers["old"]).toMatchObject({ type: "sse" });
  expect(policy).toMatchObject({ minTokens: 500, tools: { search: { offload: false } } });
});

it("reads the form of VS Code", () => {
  const { servers } = parseGatewayConfig({ servers: { files: { type: "stdio", ...server } } });
  expect(servers["files"]).toMatchObject(server);
});

it.each([
  [undefined, "config"],
  [{}, "mcpServers"],
  [{ mcpServers: {} }, "mcpServers"],
  [{ mcpServers: { a: 1 } }, "mcpServers.a"],
  [{ mcpServers: { a: { args: [] } } }, "mcpServers.a"],
  [{ mcpServers: { a: { url: "not a url" } } }, "mcpServers.a"],
  [{ mcpServers: { a: { ...server, args: "x" } } }, "mcpServers.a.args"],
  [{ mcpServers: { a: { ...server, env: { X: 1 } } } }, "mcpServers.a.env.X"],
  [
    { mcpServers: { a: server }, contextOffload: { tools: { t: { offload: "no" } } } },
    "contextOffload.tools.t.offload",
  ],
  [{ mcpServers: { a: server }, contextOffload: { minTokens: -1 } }, "contextOffload.minTokens"],
  [{ mcpServers: { a: server }, contextOffload: { minToken: 1 } }, "contextOffload.minToken"],
])("names the field that is wrong: %j", (config, argument) => {
  expect(() => parseGatewayConfig(config)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT", argument }),
  );
});

it("reads limits, and names one that is wrong", () => {
  const read = (limits: unknown) => parseGatewayConfig({ mcpServers: { one: server }, limits });
  expect(read({ maxMessageBytes: 1_000 }).limits).toEqual({ maxMessageBytes: 1_000 });
  expect(read(undefined).limits).toEqual({});
  for (const wrong of [{ callMs: 0 }, { callMs: 1e12 }, { callMs: "1" }, { call: 1 }]) {
    expect(() => read(wrong)).toThrow(`limits.${Object.keys(wrong)[0] ?? ""}`);
  }
});
