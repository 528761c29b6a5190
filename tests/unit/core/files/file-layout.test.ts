import { describe, expect, it } from "vitest";
import { joinPath } from "../../../../src/core/files/file-layout.js";

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
