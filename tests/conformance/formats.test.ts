import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../src/formats/formats.js";
import { formatSuite } from "../../src/testing/index.js";
import { FIXTURES } from "./fixtures.js";

describe.each(FIXTURES)("the format of $name", (fixture) => {
  for (const { name, run } of formatSuite(fixture)) it(name, run);

  it("is found by its messages, and taken for no other", () => {
    const messages = fixture.build([
      {
        say: "Look.",
        results: [{ id: "call_1", toolName: "bash", input: {}, text: "done", isError: false }],
      },
    ]);
    const fitting = FORMATS.filter((format) => format.mismatch(messages) === undefined);
    expect(fitting).toEqual([fixture.format]);
  });
});

it("covers every format that there is", () => {
  expect(new Set(FIXTURES.map(({ format }) => format))).toEqual(new Set(FORMATS));
});

it("finds every format in its table of the docs", () => {
  const page = readFileSync(new URL("../../docs/formats.md", import.meta.url), "utf8");
  const names = new Set<string>(FORMATS.map(({ name }) => name));
  // The lines of messages of a format are explained once for all.
  const rows = [...names].filter(
    (name) => !names.has(name.replace(/-jsonl$/, "")) || !name.endsWith("-jsonl"),
  );
  expect(rows.filter((name) => !page.includes(`\n| \`${name}\` `))).toEqual([]);
});
