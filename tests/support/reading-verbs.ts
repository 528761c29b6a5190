import type { Workspace } from "../../src/index.js";

type Read = (workspace: Workspace, id: string, sessionId?: string) => Promise<unknown>;

/** Every verb that reads an artifact by its id, for tests of each. */
export const READING_VERBS: readonly (readonly [name: string, read: Read])[] = [
  ["getKnowledgeById", (workspace, id, sessionId) => workspace.getKnowledgeById(id, { sessionId })],
  [
    "getKnowledgeByLines",
    (workspace, id, sessionId) => workspace.getKnowledgeByLines(id, 1, 1, { sessionId }),
  ],
  ["grepKnowledge", (workspace, id, sessionId) => workspace.grepKnowledge(id, ".", { sessionId })],
  ["queryKnowledge", (workspace, id, sessionId) => workspace.queryKnowledge(id, { sessionId })],
  ["getOriginal", (workspace, id, sessionId) => workspace.getOriginal(id, { sessionId })],
];
