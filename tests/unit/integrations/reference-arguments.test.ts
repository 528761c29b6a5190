import { describe, expect, it } from "vitest";
import { explainReferences, resolveReferences } from "../../../src/integrations/shared/sessions.js";
import { openMemoryWorkspace } from "../../support/memory-workspace.js";

const TEXT = "one\ntwo\r\nthree\nfour";

async function resolve<I>(input: I): Promise<I> {
  const workspace = openMemoryWorkspace();
  const sessionId = "s";
  await workspace.put({ artifactId: "a", content: TEXT }, { sessionId });
  await workspace.put({ artifactId: "ä/b#lines=1", content: "odd" }, { sessionId });
  await workspace.put({ artifactId: "rows", content: [{ id: 1 }] }, { sessionId });
  await workspace.put(
    { artifactId: "child's", content: "found" },
    {
      ...{ sessionId: "child", parentSessionId: "s" },
    },
  );
  await workspace.put({ artifactId: "foreign", content: TEXT }, { sessionId: "other" });
  return resolveReferences(input, workspace, { sessionId });
}

describe("resolveReferences", () => {
  it("puts the stored text in place of a reference, at any depth", async () => {
    expect(await resolve("offload:a")).toBe(TEXT);
    expect(await resolve({ to: ["x", { body: "offload:a" }], n: 1 })).toEqual({
      to: ["x", { body: TEXT }],
      n: 1,
    });
  });

  it("takes lines, one or a range", async () => {
    expect(await resolve("offload:a#lines=2-3")).toBe("two\r\nthree");
    expect(await resolve("offload:a#lines=4")).toBe("four");
  });

  it("decodes the id", async () => {
    expect(await resolve(`offload:${encodeURIComponent("ä/b#lines=1")}`)).toBe("odd");
  });

  it("finds what a child session stored, as its reading tools do", async () => {
    expect(await resolve("offload:child's")).toBe("found");
  });

  it("gives content that is not text in its readable form", async () => {
    expect(JSON.parse(await resolve("offload:rows"))).toEqual([{ id: 1 }]);
  });

  it.each(["foreign", "s/a", "%", "missing"])(
    "rejects the id %s, and lists those that exist",
    async (id) => {
      await expect(resolve(`offload:${id}`)).rejects.toMatchObject({ code: "UNKNOWN_ARTIFACT" });
      await expect(resolve(`offload:${id}`)).rejects.toThrow(/\ba\b.*\bchild/);
    },
  );

  it("rejects lines that do not exist", async () => {
    await expect(resolve("offload:a#lines=9-12")).rejects.toThrow(/4 lines/);
  });

  it.each([
    "see offload:a",
    "offload:",
    "offload:a#chars=1-2",
    "offload:a#lines=2-",
    " offload:a",
    7,
    null,
  ])("does not take %j for a reference", async (value) => {
    expect(await resolve(value)).toBe(value);
  });

  it("returns the same object if nothing is to be replaced", async () => {
    const input = { text: "plain", list: [1, { deep: true }] };
    expect(await resolve(input)).toBe(input);
  });
});

describe("explainReferences", () => {
  it("names the tools that take references", () => {
    expect(explainReferences(["save", "send"])).toMatch(/argument of save, send, pass offload:</);
    expect(explainReferences([])).toBe("");
  });

  it("says that an id is percent-encoded", () => {
    expect(explainReferences(["save"])).toMatch(/percent-encod/);
  });
});
