import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";
import { HTML } from "./sample-texts.js";

describe("the digest of HTML", () => {
  it("has the title and the headings, not what is hidden", () => {
    const { kind, text } = digestText(HTML);
    expect(kind).toBe("html");
    expect(text).toContain("Title: Tides & harbours\n");
    expect(text).toContain("\n10: h1 Tides today\n13: h2 Ems – Leer <north>\n");
    expect(text).toContain("Text begins: Tides today Low water at noon.");
    expect(text).not.toContain("not me");
    expect(text).not.toContain("nor me");
  });

  it("finds a page behind a fetcher's first line, and a part of a page", () => {
    expect(digestText(`Contents of https://example.org:\n${HTML}`).kind).toBe("html");
    expect(digestText("<div><p>a</p><ul><li>b</li></ul></div>\n".repeat(20)).kind).toBe("html");
    expect(digestText("<note>\n<to>Ada</to>\n</note>\n").kind).toBe("text");
  });

  it("reads the start of a large page and says so", () => {
    const page = `<html>${"<h2>Station</h2>\n<p>deep</p>\n".repeat(20_000)}</html>`;
    const { text } = digestText(page);
    expect(text).toContain(" (sampled: the first 28,672 chars).\n1: h2 Station\n3: h2 Station");
    expect(text).toMatch(/… [\d,]+ more headings/);
  });

  it("is looked for in one pass, whatever blank or open comment stands before it", () => {
    // Each further mark doubled the time once; 5,000 of them would outlast any test run.
    for (const start of ["\ufeff", " ", "<!--", "<?xml "]) {
      expect(digestText(`${start.repeat(5_000)}x`).text).not.toBe("");
    }
  });
});
