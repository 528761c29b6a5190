import { describe, expect, it } from "vitest";
import {
  addFigures,
  createReport,
  DEFAULT_SETTINGS,
  peersIn,
  renderPicture,
  renderReport,
  systemNamed,
  type Outcome,
  type Outcomes,
  type SourceFigures,
} from "../src/index.js";

const outcome = (price: number, lost = 0): Outcome => ({
  ...{ turns: 10, requests: 10, tokens: price, price, plainPrice: 2 * price, replyPrice: 1_000 },
  ...{ readBacks: 3, readsAtArrival: 1, readTokens: 30, readTurns: 1, needed: 4, lost },
});
const outcomesOf = (price: number): Outcomes["live"] => ({
  everything: outcome(1_000),
  ours: outcome(price),
  "ai-sdk-pruning": outcome(500, 3),
});
const source = (name: string, largeResults: number, price: number): SourceFigures =>
  addFigures(name, [
    {
      ...{ files: 1, unread: 0, rejected: 1, largeResults },
      conversations: [
        {
          ...{ name: `${name}.json`, turns: price / 10 },
          outcomes: { live: outcomesOf(price), names: outcomesOf(price / 2) },
        },
      ],
    },
  ]);

describe("the report of a replay", () => {
  const systems = ["everything", "ours", "ai-sdk-pruning"];
  const sources = [
    source("chat-one", 1, 100),
    source("chat-two", 1, 1_100),
    source("chat-small", 0, 1_000),
  ];
  const report = createReport(sources, systems, DEFAULT_SETTINGS);
  const figures = report.systems[1];

  it("takes the mean over the sources that have something to offload, for each reader", () => {
    expect(figures?.live).toMatchObject({
      ...{ mean: 0.6, plainMean: 0.6 },
      bySource: { "chat-one": 0.1, "chat-two": 1.1 },
    });
    expect(figures?.names.mean).toBe(0.3);
    expect(report.leftOut).toEqual([{ name: "chat-small", files: 1 }]);
  });

  it("compares the whole bill, too, in which the recorded replies are the same", () => {
    expect(figures?.live.billMean).toBe(0.8);
  });

  it("says which conversation does worst, what is above the limits, and how length matters", () => {
    expect(figures?.live).toMatchObject({
      ...{ sourcesAbove: 1, conversationsAbove: 1 },
      worst: { source: "chat-two", conversation: "chat-two.json", turns: 110, ratio: 1.1 },
      byLength: [0.1, undefined, 1.1],
    });
    expect(report.lengths.map(({ conversations }) => conversations)).toEqual([1, 0, 1]);
    const text = renderReport(report);
    expect(text).toContain("Worst under ours: chat-two/chat-two.json, 1.100");
    expect(text).toMatch(/^ours +0\.100 +- +1\.100 +1\.100 +1 +1$/m);
  });

  it("prints prices, losses and what was left out", () => {
    const text = renderReport(report);
    expect(text).toMatch(/^ours +0\.600 +0\.600 +0\.800 +0\.300 +0\.300$/m);
    expect(text).toMatch(/^ours +0\.600 +0\.100 +1\.100$/m);
    expect(text).toMatch(/^ai-sdk-pruning +2 +4 +10 .* 6 +8$/m);
    expect(text).toContain("2 files are in a form that parseConversation");
    expect(text).toContain("chat-small");
  });

  it("draws a bar for each system", () => {
    const picture = renderPicture(report);
    expect(picture.match(/class="(?:bar|ours)"/g)).toHaveLength(3);
    // The readers differ for one of them.
    expect(picture.match(/class="mark"/g)).toHaveLength(1);
    expect(picture).toContain("0.60");
    expect(picture).toContain("6 facts lost");
  });
});

describe("systems by name", () => {
  it("knows the policies of ours, and says what it does not know", () => {
    const named = (name: string) => systemNamed(name, peersIn("."));
    expect(named("ours:keepRecent=3,digest=600").name).toBe("ours:keepRecent=3,digest=600");
    expect(() => named("theirs")).toThrow(/There is no system "theirs"/);
    expect(() => named("ours:arrival=400,foo=1")).toThrow(/There is no policy "foo"/);
    expect(() => named("ours:arrival=x")).toThrow(/not name=number/);
  });
});
