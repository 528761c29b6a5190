import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";
import { scanJson } from "../../../../../src/core/lib/digest/json-scan.js";
import { logText } from "./sample-texts.js";

const stations = (count: number): unknown[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Station ${id}`,
    position: { lat: 53.2, lon: 7.4 },
    ...(id === 5 ? { closed: true } : {}),
  }));

describe("the digest of JSON", () => {
  it("shows keys, array lengths and a first element [DESIGN-W-digest-json]", () => {
    const { kind, text } = digestText(JSON.stringify({ total: 1_234, stations: stations(1_234) }));
    expect(kind).toBe("json");
    expect(text).toContain("total: 1234");
    expect(text).toContain("stations: [1,234 items] (others also have closed) first: ");
    expect(text).toContain('name: "Station 0"');
    expect(text).toContain("position: {lat: 53.2, lon: 7.4}");
  });

  it("sums up wide objects", () => {
    const wide = Object.fromEntries(Array.from({ length: 97 }, (_, index) => [`k${index}`, index]));
    expect(digestText(JSON.stringify(wide)).text).toContain("… 37 more keys");
  });

  it("tells apart what an array mixes", () => {
    expect(digestText('[1, "a", null, {"b": 2}, "c"]').text).toContain(
      "[5 items] (1 number, 2 strings, 1 null, 1 object) 1, ",
    );
  });

  it("reads a large one from its start and says so", () => {
    const text = JSON.stringify(stations(9_000));
    const digest = digestText(text).text;
    expect(text.length).toBeGreaterThan(262_144);
    expect(digest).toMatch(
      /^JSON \(sampled: the first [\d,]+ chars\)\.\n\[at least [\d,]+ items\]/,
    );
    expect(digest).toContain('name: "Station 0"');
  });

  it("says where broken JSON ends", () => {
    const whole = JSON.stringify(stations(40));
    expect(digestText(whole.slice(0, -30)).text).toContain("cut off at its end");
    expect(digestText(`${whole.slice(0, 900)} ??? ${whole}`).text).toContain(
      "not well-formed after",
    );
    expect(digestText(`${whole}\nDone.`).text).toContain(", then 5 chars of something else");
    expect(digestText("[INFO] started\n[INFO] stopped\n").kind).not.toBe("json");
  });

  it("takes what Python prints", () => {
    const digest = digestText("{'name': 'Ems', 'open': True, 'depth': None, 'all': [1, 2]}");
    expect(digest.kind).toBe("json");
    expect(digest.text).toContain('name: "Ems"');
    expect(digest.text).toContain("all: [2 items] 1, 2");
  });

  it("counts JSON Lines and shows each form of record", () => {
    const lines = Array.from({ length: 50 }, (_, id) =>
      JSON.stringify(id === 9 ? { level: "error", why: "pump failed" } : { level: "info", id }),
    );
    const digest = digestText(`${lines.join("\n")}\n`);
    expect(digest.kind).toBe("json");
    expect(digest.text).toContain("JSON Lines, 50 records in 50 lines.");
    expect(digest.text).toContain('1: {level: "info", id: 0}');
    expect(digest.text).toContain('10: {level: "error", why: "pump failed"}');
  });

  it("describes the blocks of a tool result", () => {
    const blocks = [
      { type: "text", text: logText(300, { 150: "ERROR pump 3 failed" }) },
      { type: "image", data: "aGVsbG8=".repeat(100), mimeType: "image/png" },
    ];
    for (const value of [blocks, { content: blocks, isError: false }]) {
      const { kind, text } = digestText(JSON.stringify(value));
      expect(kind).toBe("json");
      expect(text).toContain("JSON, 2 content blocks.");
      expect(text).toMatch(
        /Block 0, text, [\d,]+ chars; line numbers within it:\nLog, 300 lines\./,
      );
      expect(text).toContain("150: ERROR pump 3 failed");
      expect(text).toContain('mimeType: "image/png"');
    }
  });

  it("describes a text that is most of the value, large or small", () => {
    for (const lines of [200, 20_000]) {
      const stdout = logText(lines, { 7: "ERROR early", [lines - 2]: "ERROR late $& one" });
      const { text } = digestText(JSON.stringify({ code: 1, stdout }));
      expect(text).toContain("code: 1");
      expect(text).toContain("In string at /stdout (");
      expect(text).toContain(`Log, ${lines === 200 ? "200" : "20,000"} lines.`);
      expect(text).toContain(`${lines - 2}: ERROR late $& one`);
    }
  });
});

describe("scanJson", () => {
  it("agrees with the parser on where a value ends", () => {
    for (const value of [{}, [], [1, [2, [3]]], { a: { b: ['c\\"d', "é"] } }, stations(20)]) {
      const json = JSON.stringify(value);
      expect(scanJson(`${json}  `)).toMatchObject({ outcome: "end", position: json.length });
      expect(scanJson(json.slice(0, -1)).outcome).toBe("cut");
    }
    for (const broken of ["[}", "{1: 2}", "{a: 1}", '{"a" 1}', "[hello]", "]"]) {
      expect(scanJson(broken).outcome, broken).toBe("broken");
    }
  });
});
