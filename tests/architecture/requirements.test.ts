import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { countTests, findGaps, listSlowest } from "../../scripts/test-report.mjs";

const file = (
  name: string,
  seconds: number,
  ...tests: [status: string, ...titles: string[]][]
) => ({
  name: fileURLToPath(new URL(`../../${name}`, import.meta.url)),
  status: tests.some(([status]) => status === "failed") ? "failed" : "passed",
  startTime: 0,
  endTime: seconds * 1_000,
  assertionResults: tests.map(([status, ...titles]) => ({
    status,
    title: titles.at(-1) ?? "",
    ancestorTitles: titles.slice(0, -1),
  })),
});

describe("the check that every requirement is proven", () => {
  const pages = [
    { path: "a.md", text: "# T\n\n| id | requirement |\n| --- | :-- |\n| 900-F-001 | One. |\n" },
  ];
  const ran = (status: string, ...titles: string[]) => [file("a.test.ts", 1, [status, ...titles])];
  const check = (citation: string, files = ran("passed", "group", "costs $5 (or so)")) =>
    findGaps(pages, { "900-F-001": [citation] }, files);

  it("is content with a test, a group, or some of the cases of a test that passed", () => {
    expect(check("a.test.ts › costs $5 (or so)")).toEqual([]);
    expect(check("a.test.ts › group")).toEqual([]);
    expect(check("a.test.ts › costs %s (or so)")).toEqual([]);
    expect(check("a.test.ts › $what")).toEqual([]);
    expect(
      findGaps(pages, { "900-F-001": ["a.test.ts › b", "a.test.ts › c"] }, [
        file("a.test.ts", 1, ["skipped", "b"], ["passed", "c"]),
      ]),
    ).toEqual([]);
  });

  it("finds a requirement without a test", () => {
    for (const proofs of [{}, { "900-F-001": [] }]) {
      expect(findGaps(pages, proofs, [])).toEqual([
        "900-F-001 of a.md has no test that ran and passed",
      ]);
    }
  });

  it.each(["skipped", "pending", "todo", "failed"])(
    "takes no test that %s for a proof",
    (status) => {
      expect(check("a.test.ts › b", ran(status, "b"))).toEqual([
        "900-F-001 of a.md has no test that ran and passed",
      ]);
    },
  );

  it.each(["a.test.ts › costs", "b.test.ts › group", "a.test.ts"])(
    "finds that there is no test %j",
    (citation) => {
      expect(check(citation)).toEqual([`900-F-001 cites a test that does not exist: ${citation}`]);
    },
  );

  it("finds an id that is not defined, and one that is defined twice", () => {
    const files = ran("passed", "b");
    const proofs = { "900-F-001": ["a.test.ts › b"], "900-F-002": ["a.test.ts › b"] };
    expect(
      findGaps([...pages, { path: "c.md", text: "| 900-F-001 | x |" }], proofs, files),
    ).toEqual([
      "900-F-001 of c.md is defined a second time",
      "900-F-002 is proven, but not defined anywhere",
    ]);
  });

  it("refuses a row without a proper id", () => {
    expect(() => findGaps([{ path: "a.md", text: "| F 1 | x |" }], {}, [])).toThrow(
      'a.md: "F 1" is not the id of a requirement',
    );
  });
});

describe("what is printed after a run", () => {
  it("are the totals; a file that could not be loaded counts as a test that failed", () => {
    const files = [
      file("a.test.ts", 1, ["passed", "a"], ["failed", "b"], ["skipped", "c"]),
      { ...file("b.test.ts", 1), status: "failed" },
    ];
    expect(countTests(files)).toBe("tests: 1 passed, 2 failed");
  });

  it("are the ten slowest files, the slowest first", () => {
    const files = Array.from({ length: 12 }, (_, at) => file(`tests/${at}.test.ts`, at));
    const lines = listSlowest(files).split("\n");
    expect(lines).toHaveLength(11);
    expect(lines[1]).toBe("   11.0 s  tests/11.test.ts");
  });
});
