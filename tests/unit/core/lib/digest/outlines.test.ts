import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import * as texts from "./sample-texts.js";

const many = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join("");

/** How many an outline says that it shows, and of how many. */
function counted(text: string): { shown: number; all: number; listed: number } {
  const [, shown = "", all = "", list = ""] =
    /(?:([\d,]+) of )?([\d,]+) [^:\n]*: ?([^]*)$/.exec(text) ?? [];
  const listed = list.split(/, (?=\d)|\n/).filter((entry) => /^\d+:? \S/.test(entry)).length;
  const number = (digits: string): number => Number(digits.replaceAll(",", ""));
  return { shown: number(shown === "" ? all : shown), all: number(all), listed };
}

describe("the outline of code", () => {
  it.each([
    ["TypeScript", texts.TYPESCRIPT, ["3: export interface Station", "13: export class Archive"]],
    ["Python", texts.PYTHON, ["6: class Harbour", "17: def main()"]],
    ["Go", texts.GO, ["5: type Harbour struct", "9: func (h *Harbour) Depth(hour int)"]],
    ["Rust", texts.RUST, ["3: pub struct Harbour", "13: pub(crate) fn depth(hour: u32)"]],
    ["Java", texts.JAVA, ["5: public class Harbour", "12: public double depth(int hour)"]],
    ["Ruby", texts.RUBY, ["3: module Tide"]],
  ])("has all declarations of %s", (_language, text, expected) => {
    const { kind, text: digest } = digestText(text + "    return call(x);\n".repeat(900));
    expect(kind).toBe("code");
    for (const declaration of expected) {
      expect(digest.replace(/: +/g, ": ")).toContain(`\n${declaration}`);
    }
    const { shown, all, listed } = counted(digest);
    expect([shown, listed]).toEqual([all, all]);
  });

  it("is complete, or says how much of it is shown, at any length", () => {
    for (const count of [20, 60, 200, 2_000]) {
      for (const budgetChars of [300, 1_000, 3_000]) {
        const text = many(
          count,
          (at) => `export function part${at}(value: number) {\n  return ${at};\n}`,
        );
        const { text: digest } = digestText(text, { budgetChars });
        const { shown, all, listed } = counted(digest);
        expect(all).toBe(count);
        expect(listed).toBe(shown);
        expect(digest.length).toBeLessThanOrEqual(budgetChars);
      }
    }
  });

  it("has all tests of a test file, by what they say", () => {
    const body = "    expect(water()).toBe(1);\n".repeat(9);
    const tests = many(20, (at) => `  it("keeps harbour ${at} open", () => {\n${body}  });`);
    const { text } = digestText(`describe("harbours", () => {\n${tests}});\n`);
    expect(text).toContain("21 tests");
    for (let at = 0; at < 20; at += 1) expect(text).toContain(`keeps harbour ${at} open`);
  });

  it.each(["→", "\t", ": ", "| "])(
    "names lines as the tools count them, in a listing with %j",
    (separator) => {
      const listing = (texts.GO + "\treturn call(x)\n".repeat(90))
        .split("\n")
        .map((line, at) => `${String(at + 175).padStart(6)}${separator}${line}`)
        .join("\n");
      const { kind, text } = digestText(listing);
      expect(kind).toBe("code");
      expect(text).toMatch(/^Lines 1–\d+ here are 175–\d+ of its file\./);
      expect(text).toContain("\n9: func (h *Harbour) Depth(hour int) (float64, error)\n");
    },
  );

  it("has no imports", () => {
    const part = "export const part = () => {\n  return 1;\n};\n".repeat(20);
    const { text } = digestText(
      `import {\n  one,\n} from "one";\nimport type {\n  two,\n} from "two";\n${part}`,
    );
    expect(text).toContain("20 declarations:");
  });

  it("has all rules of a style sheet", () => {
    const rules = ["body", ".app-shell", "#main > a:hover", "@media (min-width: 40em)", "h1, h2"];
    const css = rules.map((rule) => `${rule} {\n${"  color: red;\n".repeat(30)}}\n`).join("");
    const { text } = digestText(css);
    expect(text).toContain("5 declarations:");
    for (const rule of rules) expect(text).toContain(`: ${rule}\n`.trimEnd());
  });

  it("takes a script for a script, not for Markdown with headings", () => {
    const script = `#!/usr/bin/env bash\n# Wrapper script\n#\n# Usage: wrapper.sh <args>\n\nset -euo pipefail\n\n# Determine the directory\nPROJECT_DIR="$(pwd)"\n\n# Run it\nexec go run "$PROJECT_DIR/main.go" "$@"\n`;
    expect(digestText(script).kind).toBe("code");
  });
});

describe("the outline of a document", () => {
  it("has all headings, but not those in code", () => {
    const part = (at: number): string =>
      `## Part ${at}\n\nwords and words of it\n\n\`\`\`sh\n# not ${at}\n\`\`\`\n`;
    const { kind, text } = digestText(`# Book\n\n${many(20, part)}`);
    expect(kind).toBe("markdown");
    expect(text).toContain("21 headings:\n1: # Book\n");
    for (let at = 0; at < 20; at += 1) expect(text).toContain(`: ## Part ${at}`);
    expect(text).not.toContain("# not");
  });

  it("is one of a document, though it is printed with numbers and has code in it", () => {
    const text = many(140, (at) => {
      const code = at % 20 > 3 && at % 20 < 16 ? `function setup${at}() {` : undefined;
      const line = code ?? { 0: `## Question ${at}`, 3: "```bash", 16: "```" }[at % 20];
      return `${at + 1}\t${line ?? `Some text in line ${at} of the answer.`}`;
    });
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("markdown");
    expect(digest).toContain("7 headings:\n1: ## Question 0\n");
  });

  it("finds headings that are far from each other, and those that are underlined", () => {
    const words = "Ships come and go with the tide, as they always did.\n- and again\n".repeat(60);
    const text = `Book\n====\n\n${many(6, (at) => `## Part ${at}\n\n${words}`)}`;
    const digest = digestText(text);
    expect(digest.kind).toBe("markdown");
    expect(digest.text).toContain("1: Book");
    for (let at = 0; at < 6; at += 1) expect(digest.text).toContain(`: ## Part ${at}`);
  });

  it("has what was asked for among those that fit", () => {
    const text = many(
      300,
      (at) => `export function part${at}Of(value: number) {\n  return ${at};\n}`,
    );
    const about = "Where is part137Of called?";
    expect(digestText(text, { budgetChars: 600, about }).text).toContain("412 part137Of");
    expect(digestText(text, { budgetChars: 600 }).text).not.toContain("part137Of");
  });

  it("keeps the outer headings where not all fit, and counts them", () => {
    const part = (at: number): string =>
      `## Part ${at}\n\n${many(20, (of) => `### Detail ${of} of ${at}\n\nword\n`)}`;
    const { text } = digestText(`# Book\n\n${many(12, part)}`);
    expect(text).toMatch(/^\d+ of 253 headings: /m);
    for (let at = 0; at < 12; at += 1) expect(text).toContain(` Part ${at}`);
    const { shown, listed } = counted(text);
    expect(listed).toBe(shown);
  });

  it("has title and headings of a page, not what is hidden", () => {
    const { kind, text } = digestText(texts.HTML + "<p>more</p>\n".repeat(90));
    expect(kind).toBe("html");
    expect(text).toContain(
      "4: title Tides &amp; harbours\n10: h1 Tides today\n13: h2 Ems &#8211; Leer &lt;north&gt;",
    );
    expect(text).not.toMatch(/not me|nor me/);
  });

  it("has landmarks of a snapshot of a page, and counts what can be used", () => {
    const links = many(
      40,
      (at) => `  - link "Station ${at}" [ref=e${at + 9}]:\n    - /url: /stations/${at}`,
    );
    const page = `- Page URL: https://example.org/tides\n- banner [ref=e1]:\n  - heading "Tides today" [level=1] [ref=e2]\n- navigation [ref=e3]:\n${links}- button "Book" [ref=e90]\n`;
    const { kind, text } = digestText(page);
    expect(kind).toBe("html");
    expect(text).toContain("1: - Page URL: https://example.org/tides");
    expect(text).toContain("40 link, 1 button");
    expect(text).toContain('3: heading "Tides today" [level=1] [ref=e2]');
  });

  it("is looked for in one pass, whatever blank or open comment stands before it", () => {
    // Each further mark doubled the time once; 5,000 of them would outlast any test run.
    for (const start of ["\ufeff", " ", "<!--", "<?xml "]) {
      expect(digestText(`${start.repeat(5_000)}x`).text).not.toBe("");
    }
  });
});

describe("the outline of a diff", () => {
  const change = (at: number): string =>
    `diff --git a/src/part-${at}.ts b/src/part-${at}.ts\n--- a/src/part-${at}.ts\n+++ b/src/part-${at}.ts\n@@ -1,3 +1,4 @@\n a\n+b\n+c\n-d`;

  it("has all files with what was added and removed", () => {
    const { kind, text } = digestText(many(15, change));
    expect(kind).toBe("diff");
    expect(text).toContain(
      "15 files changed, +30, −15:\n1: src/part-0.ts +2 −1\n9: src/part-1.ts +2 −1\n",
    );
    for (let at = 0; at < 15; at += 1)
      expect(text).toContain(`${at * 8 + 1}: src/part-${at}.ts +2 −1`);
  });

  it("counts lines that look like headers as what they are", () => {
    const text = `${texts.DIFF}${change(1)}\n--- a comment of SQL\n+++ and another\n${" a\n".repeat(200)}`;
    const { text: digest } = digestText(text);
    expect(digest).toContain("3 files changed, +6, −5:");
    expect(digest).toContain("13: old.txt −1 (deleted file)");
    expect(digest).toContain("19: src/part-1.ts +3 −2");
  });

  it("knows a diff without git's headers", () => {
    const text = `--- a.txt\t2024\n+++ b.txt\t2024\n@@ -1 +1 @@\n-x\n+y\n${" a\n".repeat(300)}`;
    expect(digestText(text).text).toContain("1: b.txt +1 −1");
  });
});

describe("listings", () => {
  const listing = (count: number): string =>
    `total 776\ndrwxr-xr-x  52 ada staff 1664 Jan 15 13:10 .\ndrwxr-xr-x  15 ada staff 480 Jan 15 13:17 ..\n${many(count, (at) => `${at % 9 === 0 ? "d" : "-"}rw-r--r--@  1 ada  staff  7362 Jan  5 14:49 file${at}.ts`)}`;

  it("show all names of `ls -la`, within the budget that an offloader has for it", () => {
    const text = listing(54);
    const { kind, text: digest } = digestText(text, { budgetChars: Math.round(text.length * 0.2) });
    expect(kind).toBe("files");
    expect(digest).toContain("54 paths:");
    for (let at = 0; at < 54; at += 1) expect(digest).toContain(`file${at}.ts`);
    expect(digest).toContain("file9.ts/");
  });

  it("show every folder with its count, where names do not fit", () => {
    const { kind, text } = digestText(
      many(240, (at) => `packages/pkg${at % 12}/src/module-${at}.ts`),
    );
    expect(kind).toBe("files");
    expect(text).toContain("240 paths:");
    for (let at = 0; at < 12; at += 1) expect(text).toContain(`packages/pkg${at}/src/ 20`);
  });

  it("count all paths in the folders that they show, at whatever depth these are", () => {
    const text =
      many(900, (at) => `src/area${at % 10}/part${at}/deep/file${at}.ts`) + "tests/faults/one.ts\n";
    const { text: digest } = digestText(text);
    expect(digest).toContain("tests/faults/ 1");
    const counts = [...digest.matchAll(/\/ (\d+)(?= \(|,|$)/gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(901);
  });

  it("of a search have all files with their matches, and the first matches", () => {
    const text = many(
      260,
      (at) =>
        `src/part${at % 13}/file${at % 26}.ts:${3 * at + 1}:  const result${at} = call(${at});`,
    );
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("matches");
    expect(digest).toMatch(/^26 files with 260 matches:/);
    for (let at = 0; at < 26; at += 1)
      expect(digest).toContain(`src/part${at % 13}/file${at}.ts 10`);
    expect(digest).toContain("\n1: src/part0/file0.ts:1:  const result0 = call(0);");
  });

  it("of a search never lose the count of a file, and name the folder of all of them once", () => {
    const folder = "packages/core/src/evaluation/loaders/";
    const text = many(
      60,
      (at) => `${folder}some-long-file-name-${at % 30}.test.ts:${at}: call(${at});`,
    );
    const { text: digest } = digestText(text);
    expect(digest).toMatch(
      /^(?:\d+ of )?30 files in packages\/core\/src\/evaluation\/loaders\/ with 60/,
    );
    expect(digest).toContain(": some-long-file-name-0.test.ts 2, ");
    const long = many(
      60,
      (at) => `${"deep".repeat(at % 30)}/folder/${"name".repeat(12)}${at % 30}.ts:${at}: x(${at});`,
    );
    const list = /matches: (.*)/.exec(digestText(long).text)?.[1]?.split(", ") ?? [];
    expect(list.length).toBeGreaterThan(4);
    for (const file of list) expect(file).toMatch(/^….*name\d+\.ts 2$/);
    const most = long.replace(/^.*name(?:13|22)\.ts:/gm, (start) => `${start}1: y();\n${start}`);
    expect(digestText(most).text).toMatch(/name(?:13|22)\.ts 4, [^,]*name(?:13|22)\.ts 4, /);
  });

  it("of a search in folders that have nothing but the root in common end", () => {
    const text = many(40, (at) => `/${at % 2 === 0 ? "etc" : "var"}/f${at % 4}.conf:${at + 1}: x`);
    expect(digestText(text).text).toMatch(/^4 files with 40 matches:\n1: \/etc\/f0\.conf 10$/m);
  });

  it("count matches, not the lines around them, and matches in one file", () => {
    const around = digestText(
      "src/a.ts-11-  before\nsrc/a.ts:12:  fooBar()\nsrc/a.ts-13-  after\n--\n".repeat(30),
    );
    expect(around.kind).toBe("matches");
    expect(around.text).toMatch(/^1 file with 30 matches:\n2: src\/a\.ts 30$/m);
    const one = digestText(many(40, (at) => `${7 * at + 495}:\tt.Run("case_${at}", func${at}(t))`));
    expect(one.kind).toBe("matches");
    expect(one.text).toMatch(/^40 matches:\n/);
  });

  it("are changed files of `git diff --stat`, which is not a table", () => {
    const stat = many(20, (at) => ` src/area/file-${at}.ts      | ${at + 1} ++++---`);
    const end = " 20 files changed, 90 insertions(+), 12 deletions(-)";
    const { kind, text } = digestText(`${stat}${end}\n`);
    expect(kind).toBe("files");
    expect(text).toContain(end.trim());
    for (let at = 0; at < 20; at += 1) expect(text).toContain(`file-${at}.ts ${at + 1}`);
  });
});

describe("a template that finds nothing", () => {
  it("gives way to the plain one", () => {
    // Many lines look like code, of which none declares anything.
    const text = many(90, (at) => `return ${at};`);
    const { kind, text: digest } = digestText(text);
    expect(kind).toBe("text");
    expect(digest).not.toMatch(/\b0 \w+/);
    expect(digest).toContain("1: return 0;\n");
    expect(digest).toContain("90: return 89;");
  });
});

describe("a text that looks like something else", () => {
  it("is quoted as it is if it is markup without headings", () => {
    const part = (at: number): string =>
      `  <dependency>\n    <version>${at}.0</version>\n  </dependency>`;
    const pom = `<?xml version="1.0"?>\n<project>\n${many(90, part)}</project>\n`;
    const { kind, text } = digestText(pom);
    expect(kind).toBe("text");
    expect(text).toContain('1: <?xml version="1.0"?>\n2: <project>\n');
    expect(text).toContain("273: </project>");
  });

  it("has no matches where lines begin with a date", () => {
    for (const line of [
      (at: number): string => `2024-03-${10 + (at % 20)} paid ${at} for berth ${at % 7}`,
      (at: number): string => `2024-03-${10 + (at % 20)}: paid ${at} for berth ${at % 7}`,
      (at: number): string => `10:${10 + (at % 50)}:07 paid ${at} for berth ${at % 7}`,
    ]) {
      const { kind, text } = digestText(many(90, line));
      expect(kind).not.toBe("matches");
      expect(text).not.toMatch(/\bmatches\b|\bfiles?\b/);
      expect(text).toMatch(/^1: .*paid 0 for berth 0$/m);
    }
  });
});

describe("files that were printed one after the other", () => {
  const part = (length: number, word: string): string =>
    many(length, (at) => `${word} ${at} and some more`);

  it("have the lines where each begins, if it says so", () => {
    const text = `==> notes/a.txt <==\n${part(40, "alpha")}\n==> notes/b.txt <==\n${part(40, "beta")}`;
    expect(digestText(text).text).toContain(
      "2 files, one after the other: 1–42 notes/a.txt; 43–83 notes/b.txt.",
    );
  });

  it("have them from the call, if the lengths add up", () => {
    const about = "sed -n '1,40p' notes/a.txt; sed -n '11,70p' notes/b.txt";
    const text = part(40, "alpha") + part(60, "beta");
    expect(digestText(text, { about }).text).toContain(
      "2 files, one after the other: 1–40 notes/a.txt; 41–100 notes/b.txt.",
    );
    // It may be said of another call.
    expect(digestText(part(99, "alpha"), { about }).text).not.toContain("one after the other");
  });

  it("have them from the lines that the call prints between them, or by how files begin", () => {
    const text = `${part(40, "alpha")}\n--\n${part(30, "beta")}\n--\nsed: can't read c.txt: No such file or directory\n`;
    const about = `sed -n '1,90p' a.txt && printf '\\n--\\n' && sed -n '1,90p' b.txt && printf '\\n--\\n' && sed -n '1,90p' c.txt`;
    expect(digestText(text, { about }).text).toContain(
      "2 files, one after the other: 1–42 a.txt; 43–74 b.txt.",
    );
    const titled = `# Tides\n${part(40, "alpha")}# Winds\n${part(30, "beta")}`;
    expect(digestText(titled, { about: "cat docs/tides.md docs/winds.md" }).text).toContain(
      "2 files, one after the other: 1–41 docs/tides.md; 42–72 docs/winds.md.",
    );
  });

  it("are shown with what could not be printed", () => {
    const error = "sed: can't read x.ts: No such file or directory";
    const text = many(40, (at) => `export function part${at}(): void {\n  call();\n}`);
    const { kind, text: digest } = digestText(`${text}${error}\n`);
    expect(kind).toBe("code");
    expect(digest).toContain(`121: ${error}\n`);
  });
});
