import { describe, expect, it } from "vitest";
import { ContextOffloadError, createWorkspace, type Workspace } from "../../src/index.js";
import { makeTempFolder } from "../support/temp-folder.js";

const ODD: readonly [string, unknown][] = [
  ["a number", 1],
  ["a negative number", -10],
  ["NaN", Number.NaN],
  ["an object without a prototype", Object.create(null)],
  ["a symbol", Symbol("odd")],
  ["an array", [[]]],
  ["a function", () => "1"],
  ["a BigInt", 1n],
  ["null", null],
];

const CALLS: Readonly<Record<string, (workspace: Workspace, odd: never) => Promise<unknown>>> = {
  pointer: (workspace, pointer) => workspace.queryKnowledge("json", { pointer }),
  fields: (workspace, fields) => workspace.queryKnowledge("json", { fields }),
  "cursor of a query": (workspace, cursor) => workspace.queryKnowledge("json", { cursor }),
  limit: (workspace, limit) => workspace.queryKnowledge("json", { limit }),
  maxChars: (workspace, maxChars) => workspace.getKnowledgeById("text", { maxChars }),
  startChar: (workspace, startChar) => workspace.getKnowledgeById("text", { startChar }),
  endChar: (workspace, endChar) => workspace.getKnowledgeById("text", { endChar }),
  startLine: (workspace, line) => workspace.getKnowledgeByLines("text", line, 2),
  endLine: (workspace, line) => workspace.getKnowledgeByLines("text", 1, line),
  pattern: (workspace, pattern) => workspace.grepKnowledge("text", pattern),
  maxResults: (workspace, maxResults) => workspace.grepKnowledge("text", "a", { maxResults }),
  artifactId: (workspace, id) => workspace.getKnowledgeById(id),
  "cursor of a listing": (workspace, cursor) => workspace.queryArtifacts({}, { cursor }),
};

describe("an argument of the wrong kind is answered, or refused with a code", () => {
  for (const [name, call] of Object.entries(CALLS)) {
    it.each(ODD)(`${name}: %s`, async (_kind, odd) => {
      const workspace = createWorkspace({ root: await makeTempFolder() });
      await workspace.put({ content: "one\ntwo\n" }, { sessionId: "default", toolCallId: "text" });
      await workspace.put({ content: '{"a":[1,2]}' }, { sessionId: "default", toolCallId: "json" });
      const refusal = await call(workspace, odd as never).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refusal !== undefined) expect(refusal).toBeInstanceOf(ContextOffloadError);
    });
  }
});
