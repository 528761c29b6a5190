import { describe, expect, it } from "vitest";

import { digestText } from "../../../../../src/core/digest-text.js";

const stations = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Station ${id}`,
    position: { lat: 53.2, lon: 7.4 },
  }));

describe("the digest of JSON", () => {
  it("is the value itself where that fits", () => {
    expect(digestText('{"a": [1, "b", null], "c-d": {"e": true}, "": 1.5}')).toEqual({
      kind: "json",
      text: 'JSON object, 3 keys.\n{a: [1, "b", null], c-d: {e: true}, "": 1.5}',
    });
  });

  it("has the field that tells records apart of all, and one record whole [DESIGN-W-digest-json]", () => {
    const tables = Array.from({ length: 114 }, (_, at) => ({
      rows: 10 * at,
      name: `t${at}`,
      columns: [{ name: "id", type: "int" }],
    }));
    for (const indent of [undefined, 2]) {
      const { kind, text } = digestText(JSON.stringify({ version: 3, tables }, null, indent));
      expect(kind).toBe("json");
      expect(text).toContain("version: 3");
      expect(text).toContain("/tables: 114 records; name of each: t0, t1, ");
      for (const { name } of tables) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
      expect(text).toContain(
        '/tables/0: {rows: 0, name: "t0", columns: [{name: "id", type: "int"}]}',
      );
    }
  });

  it("shows values, not only shapes, and uses its budget", () => {
    const value = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `key${at}`,
        { title: [`Value number ${at}`], on: at },
      ]),
    );
    const { text } = digestText(JSON.stringify(value));
    expect(text).toContain("60 records, by key: key0, key1, ");
    expect(text).toContain('/key0: {title: ["Value number 0"], on: 0}');
    expect(text).toContain("key59");
  });

  it("cuts long strings and says how long they are", () => {
    const { text } = digestText(JSON.stringify({ code: 7, stdout: "word ".repeat(900) }));
    expect(text).toMatch(/^JSON object, 2 keys\.\n\{code: 7, stdout: "word .*…" \(4,500 chars\)\}/);
  });

  it("reads a large one from its start and says so", () => {
    const json = JSON.stringify(stations(9_000));
    const { kind, text } = digestText(json);
    expect(kind).toBe("json");
    expect(text).toMatch(
      /^JSON array of at least \d+ items, read from its start \([\d,]+ chars in all\)\.\n/,
    );
    expect(text).toMatch(
      /\nat least \d+ records; name of each: Station 0, Station 1, .*, … more\n/,
    );
    expect(text).toContain('/0: {id: 0, name: "Station 0", position: {lat: 53.2, lon: 7.4}}');
  });

  it.each([
    ["that is cut off", JSON.stringify(stations(40)).slice(0, -30)],
    ["with text behind it", `${JSON.stringify(stations(40))}\nDone.`],
    ["that is damaged", JSON.stringify(stations(40)).replace('"id":20', '"id" 20')],
    ["one value a line", '{"level":"info","id":1}\n{"level":"info","id":2}\n'],
    ["as Python prints it", "{'name': 'Ems', 'open': True, 'depth': None}"],
    ["that a log only looks like", "[INFO] started\n[INFO] stopped\n"],
    ["that is a lone string", JSON.stringify("word ".repeat(400))],
  ])("is not called JSON if it is some %s, which no query could read", (_, text) => {
    expect(digestText(text).kind).not.toBe("json");
  });

  it("shows what JSON holds that was cut off", () => {
    const { text } = digestText(JSON.stringify({ n: 40, all: stations(40) }).slice(0, -30));
    expect(text).toContain("n: 40");
    expect(text).toContain("Station 0, Station 1, ");
  });

  it("escapes the pointers that it prints", () => {
    const { text } = digestText(JSON.stringify({ "a/b~c": stations(60) }));
    expect(text).toContain("/a~1b~0c: 60 records;");
    expect(text).toContain("/a~1b~0c/0: {");
  });
});
