import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DIRECT_LAYOUT,
  HISTORY_LAYOUT,
  assignNames,
} from "../../../../src/core/files/file-layout.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { toolResult } from "../../../support/tool-results.js";

function allot(
  ids: readonly (string | undefined)[],
  taken: readonly string[] = [],
  direct = false,
) {
  const chosen = ids.map((id, at) => toolResult(`content ${at}`, { id: id as string }));
  const references = taken.map((name) => [toolResult(""), { path: name, name }] as const);
  const names = assignNames(
    {
      results: chosen,
      references: new Map(references),
      candidates: chosen,
      verdicts: [],
      chosen,
    },
    direct ? DIRECT_LAYOUT : HISTORY_LAYOUT,
    sha256,
  );
  return chosen.map((result) => names.get(result));
}

describe("the names of files", () => {
  it.each<[string[], string[], boolean]>([
    [["a", "b"], ["tool-result-a.md", "tool-result-b.md"], false],
    [["a", "a", "a"], ["tool-result-a.md", "tool-result-a-1.md", "tool-result-a-2.md"], false],
    [["a", "a", "a-1"], ["tool-result-a.md", "tool-result-a-2.md", "tool-result-a-1.md"], false],
    [["a", "a"], ["a.md", "a~1.md"], true],
    [["A", "a"], ["A.md", "a~1.md"], true],
    [["A", "a", "A-1"], ["tool-result-A.md", "tool-result-a-2.md", "tool-result-A-1.md"], false],
  ])("for the ids %j are %j", (ids, names, direct) => {
    expect(allot(ids, [], direct)).toEqual(names);
  });

  it("pass over those that references in the conversation point to", () => {
    expect(allot(["a", "a"], ["tool-result-a.md", "tool-result-a-2.md"])).toEqual([
      "tool-result-a-1.md",
      "tool-result-a-3.md",
    ]);
  });

  it("of results without an id are those of their content", () => {
    const [first, second] = allot([undefined, undefined]);
    expect(first).toMatch(/^tool-result-unknown-[0-9a-f]{16}\.md$/);
    expect(second).not.toBe(first);
  });

  it("are never shared, whatever the ids are", () => {
    const id = fc.option(fc.constantFrom("a", "a-1", "a-1-1", "A", "a~1", "../a", "b"), {
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.array(id, { maxLength: 12 }), fc.boolean(), (ids, direct) => {
        const names = allot(ids, [], direct);
        expect(names).not.toContain(undefined);
        expect(new Set(names).size).toBe(ids.length);
      }),
    );
  });
});
