import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  reportResults,
  addReports,
  NO_TOTALS,
  type OffloadedResult,
  type OffloadTotals,
  type ResultReport,
} from "../../../../src/core/offloader/report.js";
import { toolResult } from "../../../support/tool-results.js";

const sumReports = (reports: readonly ResultReport[]): OffloadTotals =>
  addReports(NO_TOTALS, reports);

const stored: OffloadedResult = {
  reference: "short",
  referenceTokens: 2,
  tokens: 30,
  artifactId: "a",
};

const NO_SIZE = { bytes: 0, chars: 0, lines: 0 };

const anyReport = fc.record({
  messageIndex: fc.nat(),
  toolCallId: fc.constant(undefined),
  toolName: fc.constant(undefined),
  outcome: fc.constantFrom<ResultReport["outcome"]>("offloaded", "reference", "kept", "failed"),
  reason: fc.string(),
  chars: fc.nat(10_000),
  tokens: fc.option(fc.nat(10_000), { nil: undefined }),
  reference: fc.option(fc.string(), { nil: undefined }),
  referenceTokens: fc.option(fc.nat(10_000), { nil: undefined }),
  artifactId: fc.constant(undefined),
  error: fc.constant(undefined),
});

describe("what is reported of each result", () => {
  it("says what became of it, in the order of the plan", () => {
    const [put, small, failed, before] = ["a", "b", "c", "d"].map((id) => toolResult("x", { id }));
    if (!put || !small || !failed || !before) throw new Error("there are four");
    const verdict = (offload: boolean, reason: string) => ({ offload, reason });
    const error = new Error("full");
    const reports = reportResults(
      {
        results: [put, before, small, failed],
        references: new Map([[before, { artifactId: "d", size: { ...NO_SIZE, tokens: 30 } }]]),
        candidates: [put, small, failed],
        verdicts: [verdict(true, "large"), verdict(false, "small"), verdict(true, "large too")],
        chosen: [put, failed],
      },
      new Map([[put, stored]]),
      new Map([[failed, { outcome: "failed", reason: "it could not be stored", error }]]),
    );
    expect(reports).toMatchObject([
      { toolCallId: "a", outcome: "offloaded", reason: "large", ...stored },
      {
        toolCallId: "d",
        outcome: "reference",
        artifactId: "d",
        tokens: 30,
        referenceTokens: before.tokens,
      },
      { toolCallId: "b", outcome: "kept", reason: "small", reference: undefined },
      { toolCallId: "c", outcome: "failed", reason: "it could not be stored", error },
    ]);
  });
});

describe("the totals", () => {
  it("count every result once, and save only what was offloaded", () => {
    fc.assert(
      fc.property(fc.array(anyReport), (reports) => {
        const totals = sumReports(reports);
        const { offloaded, references, kept, failed } = totals;
        expect(totals.results).toBe(reports.length);
        expect(offloaded + references + kept + failed).toBe(reports.length);
        const gone = reports.filter(({ outcome }) => outcome === "offloaded");
        expect(offloaded).toBe(gone.length);
        expect({ ...sumReports(gone), references, kept, failed, results: reports.length }).toEqual(
          totals,
        );
      }),
    );
  });

  it("of two parts add up to those of the whole", () => {
    fc.assert(
      fc.property(fc.array(anyReport), fc.array(anyReport), (one, other) => {
        const [a, b, whole] = [sumReports(one), sumReports(other), sumReports([...one, ...other])];
        for (const key of Object.keys(whole) as (keyof typeof whole)[]) {
          expect(whole[key]).toBe(a[key] + b[key]);
        }
      }),
    );
  });

  it("take the reference off what was saved", () => {
    const [report] = fc.sample(anyReport, 1);
    if (!report) throw new Error("there is one");
    const offloaded = { ...report, ...stored, outcome: "offloaded", chars: 100 } as const;
    expect(sumReports([offloaded])).toMatchObject({ charsSaved: 95, tokensSaved: 28 });
  });
});
