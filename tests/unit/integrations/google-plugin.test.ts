import { expect, it } from "vitest";
import { offloadPlugin } from "../../../src/integrations/google/index.js";
import { logOf } from "../../support/conversation.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";

it("keeps two users apart whose ids and sessions are the same when joined", async () => {
  const workspace = openMemoryWorkspace();
  const plugin = offloadPlugin({ workspace });
  const users = [
    { userId: "acme/bob", sessionId: "1" },
    { userId: "acme", sessionId: "bob/1" },
    { userId: "acme%2Fbob", sessionId: "1" },
  ];
  for (const [at, user] of users.entries()) {
    await plugin.afterToolCallback({
      tool: { name: "fetch" },
      toolArgs: {},
      toolContext: { ...user, functionCallId: `call_${at}` },
      result: { output: logOf(80_000) },
    });
  }
  const { artifacts } = await workspace.queryArtifacts();
  expect(artifacts).toHaveLength(users.length);
  expect(new Set(artifacts.map(({ sessionId }) => sessionId)).size).toBe(users.length);
});
