import { describe, expect, it } from "vitest";
import {
  createOffloader,
  createToolResultOffload,
  createWorkspace,
  memoryStore,
  offloadToolResult,
  offloadToolResults,
  type Workspace,
} from "../../src/index.js";
import { InvalidArgumentError } from "../../src/errors.js";
import { rejectionOf } from "../support/rejection.js";

const open = (): Workspace => createWorkspace({ store: memoryStore() });
const MESSAGE = { role: "user", content: [] };

/** What plain JavaScript can pass in: the types know these names to be wrong. */
const CALLS: readonly (readonly [string, string, (options: never) => unknown, object])[] = [
  ["createWorkspace", "digestChars", createWorkspace, { root: "x", digestChar: 100 }],
  ["its retention", "maxAgeMs", createWorkspace, { root: "x", retention: { maxAgeMS: 1 } }],
  ["createOffloader", "sessionId", createOffloader, { root: "x", sesionId: "s" }],
  ["createOffloader", "policy", createOffloader, { root: "x", sessionId: "s", polcy: {} }],
  [
    "createToolResultOffload",
    "whiteList",
    createToolResultOffload,
    { workspace: open(), whitelist: ["bash"] },
  ],
  [
    "offloadToolResult",
    "outputDir",
    (options) => offloadToolResult(MESSAGE, options),
    { sessionId: "s", outputdir: "x" },
  ],
  [
    "offloadToolResults",
    "ratioThreshold",
    (options) => offloadToolResults([], options),
    { outputDir: "x", ratioTreshold: 0.5 },
  ],
  ["put", "sessionId", (options) => open().put({ content: "x" }, options), { sesionId: "s" }],
  [
    "offloadByWorkspace",
    "inlineChars",
    (options) => open().offloadByWorkspace({ content: "x" }, options),
    { inlinechars: 1 },
  ],
  ["prune", "dryRun", (options) => open().prune(options), { maxBytes: 1, dryrun: true }],
];

describe("a misspelled option", () => {
  it.each(CALLS)("of %s is refused, and %s is named", async (_, name, call, options) => {
    const error = await rejectionOf(Promise.resolve().then(() => call(options as never)));
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error.message).toContain(`\`${name}\``);
  });
});
