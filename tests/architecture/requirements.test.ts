import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  findGaps,
  readCitations,
  readProofs,
  readRequirements,
} from "../../scripts/requirements.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

describe("the requirements manifest [DESIGN-MANIFEST]", () => {
  it("has a test for every id, and an id for every citation", async () => {
    const documents = await readFolder("docs/requirements", /(?<!README)\.md$/);
    const tests = await readFolder("tests", /\.test\.ts$/);
    const requirements = readRequirements(documents);
    expect(requirements.length).toBeGreaterThan(150);
    expect(findGaps(requirements, readCitations(tests))).toEqual([]);
  });
});

describe("the check of the manifest [DESIGN-MANIFEST]", () => {
  const manifest = [
    {
      path: "made-up.md",
      text: "# Title\n\n| id | requirement |\n| --- | :-- |\n| 900-F-001 | One. |\n| DESIGN-90 | Two. |\n",
    },
  ];
  const requirements = readRequirements(manifest);
  const check = (text: string) =>
    findGaps(requirements, readCitations([{ path: "made-up.test.ts", text }]));

  it("is content when every id is cited, alone, together, in a group or in a table of cases", () => {
    expect(check(`it("a [900-F-001] [DESIGN-90]", () => {});`)).toEqual([]);
    expect(check(`test("a [900-F-001, DESIGN-90]", () => {});`)).toEqual([]);
    expect(
      check(`describe("a [900-F-001]", () => { it.each([1])("b %s [DESIGN-90]", () => {}); });`),
    ).toEqual([]);
    expect(
      check("it(`a ${b} [900-F-001]`, () => {}); it.runIf(c)('d ' + '[DESIGN-90]', () => {});"),
    ).toEqual([]);
  });

  it("finds an id that no test cites", () => {
    expect(check(`it("a [900-F-001]", () => {});`)).toEqual([
      "DESIGN-90 of made-up.md is cited by no test",
    ]);
  });

  it("does not take a comment, a body, a skipped test or one that fails for a citation", () => {
    const text = `// [DESIGN-90]
      it("a [900-F-001]", () => { expect("[DESIGN-90]").toBe(1); });
      it.skip("b [DESIGN-90]", () => {});
      it.fails("c [DESIGN-90]", () => {});
      it.todo("d [DESIGN-90]");
      it.skip.each([1])("e [DESIGN-90]", () => {});
      describe.skip("f", () => { it("g [DESIGN-90]", () => {}); });`;
    expect(check(text)).toEqual(["DESIGN-90 of made-up.md is cited by no test"]);
  });

  it("finds a citation of an id that does not exist", () => {
    expect(check(`it("a [900-F-001] [DESIGN-90] [900-F-002]", () => {});`)).toEqual([
      "900-F-002 is cited in made-up.test.ts, but not defined anywhere",
    ]);
  });

  it("takes for proven only what a test proves that ran and passed", () => {
    const outcome = (status: string, title: string) => ({ status, title, ancestorTitles: ["g"] });
    const prove = (...assertionResults: ReturnType<typeof outcome>[]) =>
      findGaps(
        requirements,
        readProofs({ testResults: [{ name: "made-up.test.ts", assertionResults }] }),
        "is unproven",
      );
    const first = outcome("passed", "a [900-F-001]");
    expect(prove(first, outcome("passed", "b [DESIGN-90]"))).toEqual([]);
    for (const status of ["skipped", "pending", "todo", "failed"]) {
      expect(prove(first, outcome(status, "b [DESIGN-90]"))).toEqual([
        "DESIGN-90 of made-up.md is unproven",
      ]);
    }
    const other = outcome("passed", "c [DESIGN-90]");
    expect(prove(first, outcome("skipped", "b [DESIGN-90]"), other)).toEqual([]);
  });

  it("finds an id that is defined twice", () => {
    const twice = readRequirements([...manifest, { path: "other.md", text: "| DESIGN-90 | x |" }]);
    const citations = readCitations([
      { path: "made-up.test.ts", text: `it("a [900-F-001] [DESIGN-90]", () => {});` },
    ]);
    expect(findGaps(twice, citations)).toEqual([
      "DESIGN-90 is defined twice: in made-up.md and in other.md",
    ]);
  });

  it("refuses a row without a proper id", () => {
    expect(() => readRequirements([{ path: "made-up.md", text: "| F 1 | x |" }])).toThrow(
      'made-up.md: "F 1" is not the id of a requirement',
    );
  });
});

async function readFolder(
  folder: string,
  names: RegExp,
): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return Promise.all(
    entries
      .map((entry) => entry.replaceAll("\\", "/"))
      .filter((entry) => names.test(entry) && !entry.includes("node_modules/"))
      .sort()
      .map(async (entry) => {
        const path = `${folder}/${entry}`;
        return { path, text: await readFile(join(ROOT, path), "utf8") };
      }),
  );
}
