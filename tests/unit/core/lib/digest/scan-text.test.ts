import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { sampleText } from "../../../../../src/core/lib/digest/sampled-text.js";
import { scanText } from "../../../../../src/core/lib/digest/scan-text.js";

function namesOf(text: string, isEscaped = false): string[] {
  const { names } = scanText(sampleText(text), { isEscaped });
  return names.map(({ start, end }) => text.slice(start, end));
}

describe("names in a text", () => {
  it.each([
    ["a path", "see src/core/lib/a.ts for it", ["src/core/lib/a.ts"]],
    ["an absolute path", "in /var/log/syslog.", ["/var/log/syslog"]],
    ["a file", "open package.json, please", ["package.json"]],
    ["a hidden file", "`.eslintrc.json`", [".eslintrc.json"]],
    ["an address", "at https://example.org/a/b?c=1", ["https://example.org/a/b"]],
    ["a long number", "port 8080 of 443", ["8080"]],
    ["a hash", "commit 7f9c2ba now", ["7f9c2ba"]],
    ["an id", "order HAT136 and toolu_01Ab", ["HAT136", "toolu_01Ab"]],
    ["a UUID", "550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]],
    [
      "names in code",
      "fooBar, foo_bar, FooBar; foo-bar",
      ["fooBar", "foo_bar", "FooBar", "foo-bar"],
    ],
    ["parts of an expression", "this.fooBar.read_all()", ["fooBar", "read_all"]],
    ["a quoted word", '"checkout" and \'harbour\', not "tide"', ["checkout", "harbour"]],
    ["a flag", "--dry-run", ["dry-run"]],
  ])("%s", (_, text, expected) => {
    expect(namesOf(text)).toEqual(expected);
  });

  it.each([
    ["words", "Hello World, this is well. HTML too."],
    ["times and dates", "2025-03-11T14:18:00.117Z 10:23:07 2025-03-11 9642366Z"],
    ["short numbers and versions", "1.2.3 443 0.5"],
    ["closing tags", "</section></article>"],
  ])("not %s", (_, text) => {
    expect(namesOf(text)).toEqual([]);
  });

  it("each once, with the number of its uses and its first line", () => {
    const text = "a\nfooBar\nfooBar fooBar\nbazQux";
    const { names, lines } = scanText(sampleText(text));
    expect(names.map(({ uses, line }) => [uses, line.number])).toEqual([
      [3, 2],
      [1, 4],
    ]);
    expect(lines.map(({ names: found }) => found.length)).toEqual([0, 1, 2, 1]);
  });

  it("in a JSON string, without the letter of an escape", () => {
    expect(namesOf('"\\nfooBar\\u001bbarBaz"')).toEqual(["nfooBar", "u001bbarBaz"]);
    expect(namesOf('"\\nfooBar\\u001bbarBaz"', true)).toEqual(["fooBar", "barBaz"]);
  });

  it("do not depend on what was scanned before", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "B", "_", "-", "/", ".", "7", " ", '"') });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const before = namesOf(one);
        namesOf(other);
        expect(namesOf(one)).toEqual(before);
      }),
    );
  });
});

describe("lines of a text", () => {
  it("are all there, a long one in parts", () => {
    const line = fc.oneof(
      fc.constantFrom(
        "",
        "a b",
        "  indented",
        "word ".repeat(120),
        "x".repeat(900),
        "😀".repeat(300),
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (parts) => {
        const text = parts.join("\n");
        const { lines } = scanText(sampleText(text));
        const joined = new Map<number, string>();
        for (const { number, start, indent, end } of lines) {
          joined.set(number, (joined.get(number) ?? "") + text.slice(start - indent, end));
        }
        const expected = text.split("\n");
        if (text === "" || text.endsWith("\n")) expected.pop();
        expect([...joined.values()]).toEqual(expected);
        expect([...joined.keys()]).toEqual(expected.map((_, index) => index + 1));
      }),
    );
  });

  it("have the same form if they differ only in words with digits", () => {
    const formOf = (text: string) => scanText(sampleText(text)).lines[0]?.form;
    expect(formOf("job 12 took 5ms in req-206dea43")).toBe(formOf("job 9 took 120ms  in req-1a"));
    expect(formOf("job 12 took 5ms")).not.toBe(formOf("job 12 lost 5ms"));
  });
});
