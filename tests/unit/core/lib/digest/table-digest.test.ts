import { describe, expect, it } from "vitest";
import { digestText } from "../../../../../src/index.js";
import { memoryWorkspaceOf } from "../../../../support/memory-workspace.js";
import { csvText, logText } from "./sample-texts.js";

const PSQL = ` id | name  | depth
----+-------+-------
  1 | Leer  |   4.5
  2 | Emden |  11.0
  3 | Weener|   3.2
(3 rows)
`;
const MYSQL = `+----+-------+
| id | name  |
+----+-------+
|  1 | Leer  |
|  2 | Emden |
+----+-------+
`;
const KUBECTL = `NAME        READY   STATUS    AGE
tide-0      1/1     Running   3d
tide-1      0/1     Pending   2m
harbour-9   1/1     Running   9d
`;
describe("the digest of a table", () => {
  it("has the columns with what is in them, the number of rows, and the first and last of them", () => {
    const { text } = digestText(csvText(300));
    expect(text.split("\n").slice(0, 4)).toEqual([
      "Table (CSV), 4 columns, 300 rows, 301 lines.",
      "Columns: id (1 … 300), name, harbour (always Ems), depth (0.5 … 150)",
      '2: 1,"Buoy, no. 1",Ems,0.5',
      '3: 2,"Buoy, no. 2",Ems,1',
    ]);
  });

  it("counts a quoted cell with a line feed as one row", () => {
    const text = 'id,note,n\n1,"two\nlines",3\n2,"x",4\n3,y,5\n';
    expect(digestText(text).text).toContain("3 columns, 3 rows, 5 lines");
    expect(digestText(text).text).toContain("4: 2,");
  });

  it.each([
    ["TSV", "a\tb\n1\t2\n3\t4\n", "2 columns, 2 rows"],
    ["CSV with semicolons", "a;b;c\n1;2;3\n4;5;6\n", "3 columns, 2 rows"],
    ["Markdown", "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n", "2 columns, 3 rows"],
    ["drawn with |", PSQL, "3 columns, 3 rows"],
    ["drawn with |", MYSQL, "2 columns, 2 rows"],
    ["aligned columns", KUBECTL, "4 columns, 3 rows"],
  ])("reads %s", (format, text, size) => {
    const digest = digestText(text);
    expect(digest.kind).toBe("table");
    expect(digest.text).toContain(`Table (${format}), ${size}`);
  });

  it("says 'about' where it did not count, and of how many rows it knows the values", () => {
    const { text } = digestText(csvText(9_000));
    expect(text).toContain("about 9,000 rows");
    const seen = /values of ([\d,]+) rows/.exec(text)?.[1]?.replace(",", "");
    expect(Number(seen)).toBeLessThan(9_000);
    expect(text).not.toMatch(/harbour \([^)]*×/);
  });

  it("is all of it where that fits", () => {
    expect(digestText(KUBECTL).text.split("\n").slice(1)).toEqual(
      KUBECTL.trimEnd()
        .split("\n")
        .map((line, at) => `${at + 1}: ${line}`),
    );
  });

  it.each([
    ["aligned columns", KUBECTL, "STATUS=Running", 2],
    ["drawn by psql", PSQL, "depth>4", 2],
    ["drawn by MySQL", MYSQL, "name~e", 2],
  ])("of %s has rows that a query finds", async (_, text, where, count) => {
    const workspace = await memoryWorkspaceOf(text);
    const read = await workspace.queryKnowledge("a", { where: `${where}, count` });
    expect(read.text).toMatch(new RegExp(`^${count} of \\d records`));
  });

  it("is known where the rows begin with a time", () => {
    const rows = Array.from({ length: 90 }, (_, at) => `2025-03-11T14:19:07.${100 + at}Z,a${at},5`);
    expect(digestText(`at,name,n\n${rows.join("\n")}\n`).kind).toBe("table");
  });

  it("names some of many columns", () => {
    const row = (name: string): string =>
      Array.from({ length: 400 }, (_, at) => name + String(at)).join(",");
    const { text } = digestText(`${row("column")}\n${row("a")}\n${row("b")}\n`);
    expect(text).toMatch(/Columns: column0, column1, .*, … 3\d\d more\n2: a0,/);
  });

  it("takes neither logs, code nor prose for one", () => {
    expect(digestText(logText(30).replace(/\.123/g, ",123")).kind).toBe("log");
    expect(
      digestText("Well, then.\nSo, they said.\nNo, thanks.\nYes, please.\nOh, dear.\n").kind,
    ).toBe("text");
    expect(digestText("const [a, b] = f();\nconst [c, d] = g();\nconst [e, f] = h();\n").kind).toBe(
      "code",
    );
  });
});
