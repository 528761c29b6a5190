import { expect, it } from "vitest";
import * as entry from "../../../../src/errors.js";

it("an error has the name of its class, which does not depend on what a minifier calls the class", () => {
  const errors = [
    new entry.WriteFailedError("path", new Error("full")),
    new entry.NotJsonError(0, "no value"),
    new entry.ContentNotSerializableError(new Error("a cycle")),
    new entry.UnknownFormatError("None fits."),
  ];
  for (const error of errors) {
    expect(error.name).toBe(error.constructor.name);
    Object.defineProperty(error.constructor, "name", { value: "e" });
    expect(error.name).not.toBe("e");
    expect(String(error)).toContain(`${error.name}: `);
  }
});
