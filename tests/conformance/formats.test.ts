import { describe, expect, it } from "vitest";
import { FORMATS } from "../../src/formats/formats.js";
import { formatSuite } from "../../src/testing/index.js";
import { FIXTURES } from "./fixtures.js";

describe.each(FIXTURES)("the format of $name [DESIGN-O-suite] [DESIGN-O-reused-ids]", (fixture) => {
  for (const { name, run } of formatSuite(fixture)) it(name, run);

  it("is found by its messages, and taken for no other [DESIGN-O-auto]", () => {
    const messages = fixture.build([
      {
        say: "Look.",
        results: [{ id: "call_1", toolName: "bash", input: {}, text: "done", isError: false }],
      },
    ]);
    const fitting = FORMATS.filter((format) => format.mismatch(messages) === undefined);
    expect(fitting).toEqual([fixture.format]);
  });
});

it("covers every format that there is [DESIGN-O-suite]", () => {
  expect(new Set(FIXTURES.map(({ format }) => format))).toEqual(new Set(FORMATS));
});
