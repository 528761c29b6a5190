import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinPath } from "../../../../src/core/files/file-layout.js";
import { isPortableName, portableName } from "../../../../src/core/lib/text/portable-name.js";
import { sha256 } from "../../../../src/infrastructure/hash.js";
import { anyString } from "../../../support/any-string.js";

describe("joinPath", () => {
  it.each([
    ["/out", "/out/s/a.md"],
    ["/out/", "/out/s/a.md"],
    ["/out//", "/out/s/a.md"],
    ["/", "/s/a.md"],
    [".offload", ".offload/s/a.md"],
    ["C:\\out", "C:\\out\\s\\a.md"],
    ["C:\\out\\", "C:\\out\\s\\a.md"],
    ["C:/out", "C:/out/s/a.md"],
  ])("joins below %j", (folder, joined) => {
    expect(joinPath(folder, "s", "a.md")).toBe(joined);
  });
});

describe("a portable name", () => {
  it.each(["toolu_01AbC", "call-1", "a.b", "9", "_x", "a".repeat(200), "chatcmpl-tool-0f"])(
    "is the id %j as it stands",
    (id) => {
      expect(portableName(id, sha256)).toBe(id);
    },
  );

  it.each([
    "../../x",
    "a/b",
    "a\\b",
    ".",
    "..",
    "a..b",
    "",
    "CON",
    "nul.txt",
    "com1",
    "-rf",
    ".hidden",
    "ends.",
    "a b",
    "a:b",
    "a\u0000b",
    "~",
    "x~0123456789abcdef0123",
    "é",
    "😀",
    "\u202egpj",
    "a".repeat(201),
    "x".repeat(1500),
  ])("is made for the id %j, with a hash in it", (id) => {
    const name = portableName(id, sha256);
    expect(isPortableName(id)).toBe(false);
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,40}~[0-9a-f]{20}$/);
    expect(name).toBe(portableName(id, sha256));
  });

  it("is never shared by two ids, and never outside of the folder", () => {
    fc.assert(
      fc.property(anyString(), anyString(), (a, b) => {
        const name = portableName(a, sha256);
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._~-]{0,199}$/);
        expect(name).not.toContain("..");
        if (a !== b) expect(name).not.toBe(portableName(b, sha256));
        // The name of an id, taken as an id, gets a name of its own unless it was the id.
        if (name !== a) expect(portableName(name, sha256)).not.toBe(name);
      }),
    );
  });
});
