import { describe, expect, it } from "vitest";
import {
  createReport,
  DEFAULT_SETTINGS,
  peersIn,
  renderPicture,
  renderReport,
  systemNamed,
} from "../src/index.js";

const outcome = (price: number, lost = 0) => ({
  turns: 10,
  requests: 10,
  tokens: price,
  price,
  readBacks: 0,
  readTokens: 0,
  readTurns: 0,
  needed: 4,
  lost,
});
const source = (name: string, largeResults: number, price: number) => ({
  name,
  files: 1,
  unread: 0,
  rejected: 1,
  conversations: 1,
  largeResults,
  outcomes: { everything: outcome(1_000), ours: outcome(price), "ai-sdk-pruning": outcome(500, 3) },
});

describe("the report of a replay", () => {
  const systems = ["everything", "ours", "ai-sdk-pruning"];
  const sources = [
    source("chat-one", 1, 400),
    source("chat-two", 1, 800),
    source("chat-small", 0, 1_000),
  ];
  const report = createReport(sources, systems, DEFAULT_SETTINGS);

  it("takes the mean over the sources that have something to offload", () => {
    expect(report.systems[1]).toMatchObject({
      mean: 0.6,
      bySource: { "chat-one": 0.4, "chat-two": 0.8 },
    });
    expect(report.leftOut).toEqual([{ name: "chat-small", files: 1 }]);
  });

  it("prints prices, losses and what was left out", () => {
    const text = renderReport(report);
    expect(text).toMatch(/^ours +0\.600 +0\.400 +0\.800$/m);
    expect(text).toMatch(/^ai-sdk-pruning .* 6 +8$/m);
    expect(text).toContain("2 files are in a form that parseConversation");
    expect(text).toContain("chat-small");
  });

  it("draws a bar for each system", () => {
    const picture = renderPicture(report);
    expect(picture.match(/class="(?:bar|ours)"/g)).toHaveLength(3);
    expect(picture).toContain("0.60");
    expect(picture).toContain("6 facts lost");
  });
});

describe("systems by name", () => {
  it("knows the policies of ours, and says what it does not know", () => {
    const named = (name: string) => systemNamed(name, peersIn("."));
    expect(named("ours:keepRecent=3,digest=600").name).toBe("ours:keepRecent=3,digest=600");
    expect(() => named("theirs")).toThrow(/There is no system "theirs"/);
    expect(() => named("ours:foo=1")).toThrow(/There is no policy "foo"/);
    expect(() => named("ours:minTokens=x")).toThrow(/not name=number/);
  });
});
