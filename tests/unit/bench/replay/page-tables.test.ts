import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  assumptionRows,
  meanOfEight,
  policyRows,
  readFigures,
  readRows,
  sourceRows,
  systemRows,
} from "../../../../bench/replay/page-tables.mjs";
import { renderPicture } from "../../../../bench/replay/picture.mjs";

const read = (path: string) => readFile(new URL(`../../../../${path}`, import.meta.url), "utf8");

/** The rows of all tables of a page, as their cells. */
function rowsOf(page: string): string[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => rowOf(line.split("|").slice(1, -1)));
}

function rowOf(cells: readonly string[]): string {
  return cells.map((cell) => cell.trim()).join(" | ");
}

const { report, variants } = await readFigures();
const ours = report.systems.find(({ system }) => system === "ours");

describe("the figures of the replay in the documentation", () => {
  it("are those of the last run, row by row", async () => {
    const rows = rowsOf(await read("docs/replay.md"));
    const expected = [
      ...systemRows(report),
      ...sourceRows(report),
      ...assumptionRows(report, variants),
      ...policyRows(variants),
      ...readRows(variants),
    ].map(rowOf);
    expect(expected.filter((row) => !rows.includes(row))).toEqual([]);
  });

  it("are the same in the README, and in its picture", async () => {
    const mean = ours?.mean.toFixed(3) ?? "";
    const readme = await read("README.md");
    expect(readme).toContain(`it costs ${mean} of the price of sending everything`);
    expect(readme).toContain(`${ours?.total.turns.toLocaleString("en-US") ?? ""} recorded turns`);
    expect(await read("docs/images/replay.svg")).toBe(renderPicture(report));
    expect(await read("docs/replay.md")).toContain(
      `against sending everything: context-offload ${ours?.mean.toFixed(2) ?? ""},`,
    );
    for (const page of ["docs/replay.md", "docs/policies.md"])
      expect(await read(page)).toContain(mean);
  });

  it("lose no fact, and cost no more than any system that loses none either, on any source", () => {
    expect(ours?.total.lost).toBe(0);
    const lossless = report.systems.filter(
      ({ system, total }) =>
        total.lost === 0 && !["everything", "ours", "bare", "oracle"].includes(system),
    );
    expect(lossless.length).toBeGreaterThan(2);
    for (const { bySource } of lossless) {
      for (const [name, price] of Object.entries(bySource)) {
        expect(ours?.bySource[name]).toBeLessThan(price);
      }
    }
  });

  it("reach what was aimed at where it was reached", () => {
    expect(ours?.mean).toBeLessThanOrEqual(0.7);
    expect(ours?.bySource["openai-tau-bench"]).toBeLessThanOrEqual(1);
    expect(ours && meanOfEight(ours)).toBeLessThanOrEqual(0.66);
  });
});
