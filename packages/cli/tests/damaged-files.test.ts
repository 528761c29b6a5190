import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { conversationOf, ONE_SENTENCE, Place } from "./support/command.js";

const CHAT = JSON.stringify(conversationOf("t1", "hello"));

describe("a folder with damaged files", () => {
  it("goes through to its end, and names each that is skipped; one that is named is refused", () => {
    const place = new Place();
    const damaged: readonly (readonly [string, string | Uint8Array, RegExp])[] = [
      ["cut.json", CHAT.slice(0, 100), /: broken JSON at line 1, column \d+: /],
      ["empty.json", "", /: is empty; /],
      ["latin.json", Buffer.from('["caf\u00e9 au lait"]', "latin1"), /: is not UTF-8/],
      ["lines.jsonl", '{"role":"user","content":"a"}\n'.repeat(3) + '{"ro', /JSON at line 4: /],
    ];
    for (const [name, text] of damaged) place.write(`logs/${name}`, text);
    place.write("logs/a.json", CHAT);
    place.write("logs/z.json", CHAT);
    place.write("logs/package.json", "{}");
    for (const flags of [[], ["--dry-run"]]) {
      const { status, stdout, stderr } = place.run("run", "logs", "--out", "short", ...flags);
      expect(status).toBe(0);
      expect(stdout).toContain("2 of 2 tool results");
      const lines = stderr.trimEnd().split("\n");
      expect(lines).toHaveLength(damaged.length + 1);
      for (const [index, [name, , why]] of damaged.entries()) {
        expect(lines[index]?.startsWith(`skipped logs/${name}: `)).toBe(true);
        expect(lines[index]).toMatch(why);
      }
      expect(lines.at(-1)).toBe("skipped 1 file without a conversation");
    }
    expect(readdirSync(place.path("short"))).toEqual(["a.offloaded.json", "z.offloaded.json"]);
    for (const [name] of damaged) {
      const { status, stdout, stderr } = place.run("run", `logs/${name}`);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(ONE_SENTENCE);
    }
  });
});
