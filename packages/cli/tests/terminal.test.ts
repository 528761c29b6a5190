import { spawnSync } from "node:child_process";
import widthOf from "string-width";
import { describe, expect, it } from "vitest";
import { createColors } from "../src/terminal/colors.js";
import { printable } from "../src/terminal/printable.js";
import { clip, renderTable, wrap } from "../src/terminal/table.js";
import { conversationOf, MAIN, RUN, TestFolder, SAMPLE } from "./support/command.js";

const hasScript = spawnSync("script", ["--version"]).status === 0;

/** What people see: `script` gives the command a terminal of its own. */
function watch(
  place: TestFolder,
  args: string,
  env: Readonly<Record<string, string>> = {},
  columns = 100,
): string {
  const { stdout } = spawnSync(
    "script",
    ["-qec", `stty cols ${columns}; "${process.execPath}" "${MAIN}" ${args}`, "/dev/null"],
    {
      ...{ cwd: place.folder, encoding: "utf8", env: place.env({ TERM: "xterm", ...env }) },
    },
  );
  return stdout;
}

describe.skipIf(!hasScript)("on a terminal", () => {
  it("shows colors, unless told not to", () => {
    const place = new TestFolder();
    expect(watch(place, `run "${SAMPLE}"`)).toContain("\u001b[32m█");
    expect(watch(place, `run "${SAMPLE}" --no-color`)).not.toContain("\u001b[32m");
    expect(watch(place, `run "${SAMPLE}"`, { NO_COLOR: "1" })).not.toContain("\u001b[32m");
  });

  it("shows a bar while it works, and clears it at the end", () => {
    const place = new TestFolder();
    const messages = Array.from({ length: 20 }, (_, at) =>
      conversationOf(`t${at}`, "line ".repeat(80)),
    );
    place.write(
      "long.jsonl",
      messages
        .flat()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(""),
    );
    const seen = watch(place, "run long.jsonl");
    // eslint-disable-next-line no-control-regex -- how a line is cleared
    expect(seen).toMatch(/\r\u001b\[K█+ *[\d.]+ MB of 3\.\d MB {2}long\.jsonl/);
    expect(seen.slice(seen.lastIndexOf("\u001b[K"))).toContain("\u001b[Kconversation");
    expect(watch(place, "run long.jsonl --quiet")).toBe("");
  });

  it("leaves nothing of the bar behind, and wraps no table, in 60 columns", async () => {
    const place = new TestFolder();
    const name = `${"a-long-name-of-a-session-".repeat(4)}.jsonl`;
    const lines = conversationOf("t1", "line ".repeat(80)).map((line) => JSON.stringify(line));
    place.write(name, `${lines.join("\n")}\n`);
    const runs = [
      ...[`run ${name} --policy min-tokens=400 --example`, "list", "stats", `replay ${name}`],
      `run ${name} --policy min-tokens=400 --session t2 --quiet`,
    ];
    for (const args of runs) {
      const seen = watch(place, args, {}, 60);
      // A line that is cleared must be one line, so that all of it is.
      // eslint-disable-next-line no-control-regex -- how a line is cleared
      for (const [, line = ""] of seen.matchAll(/\r\u001b\[K([^\r]+)(?=\r\u001b\[K)/g)) {
        expect([args, line, widthOf(line) < 60]).toEqual([args, line, true]);
      }
      const tables = seen
        .split("\r\n")
        .map((line) => line.split("\u001b[K").at(-1) ?? "")
        .filter((line) => /^\S.* {2}\S/.test(line));
      for (const line of tables)
        expect([args, line, widthOf(line) <= 60]).toEqual([args, line, true]);
    }
    // The sums are sentences, whose words are whole.
    const summary = watch(place, `run ${name} ${RUN.slice(1).join(" ")} --dry-run`, {}, 60);
    expect(summary).toMatch(/saved in every request that carries\r\nthis:\r\n {2}\$/);
    const names = [...(await place.run("--help")).stdout.matchAll(/^ {2}([a-z-]+) /gm)];
    for (const [, name = ""] of names) {
      const lines = watch(place, `${name} --help`, {}, 60).split("\r\n");
      // A word that is longer than a line has one for itself.
      const broken = lines.filter((line) => widthOf(line) > 60 && line.trim().includes(" "));
      expect([name, broken]).toEqual([name, []]);
    }
    const plain = { NO_COLOR: "1" };
    expect(watch(place, "doctor", plain, 60)).toMatch(/^hint {4}\S.*\r\n {8}\S/m);
    expect(watch(place, "install codex", {}, 60)).toMatch(/hooks\.json: \S.*\r\n {2}\S/);
    expect(watch(place, "show", {}, 60)).toMatch(/^context-offload: [^]{40,50}\r\n {2}\S/);
    // What goes to a pipe is for programs, which have no columns.
    expect((await place.run("list")).stdout).toContain(name.replace(".jsonl", ""));
  });

  it("groups matches under a heading, and lets no control characters of content through", async () => {
    const place = new TestFolder();
    place.write("chat.json", JSON.stringify(conversationOf("t1", "\u001b]0;title\u0007\b\u009b")));
    await place.run(...RUN, "--quiet", "chat.json");
    const seen = watch(place, "grep '^7 '");
    expect(seen).toContain("\u001b[36mt1\u001b[39m\r\n\u001b[32m7\u001b[39m:7 ");
    expect(seen).toContain("\ufffd");
    for (const args of ["grep '^7 '", "show t1", "lines t1 1-2"]) {
      expect(watch(place, args)).not.toContain("\b");
      expect(watch(place, args)).not.toContain("\u001b]0;");
    }
  });
});

describe("columns", () => {
  it("line up whatever script the cells are in, and whether they have colors", () => {
    const cells = [
      "plain",
      "日本語",
      "e\u0301te\u0301",
      "👩‍💻 ok",
      createColors(true).green("green"),
    ];
    const right = { title: "n", align: "right" as const };
    const lines = renderTable(
      [{ title: "name" }, right],
      cells.map((cell) => [cell, "1"]),
    )
      .split("\n")
      .map(printable);
    expect(lines).toEqual([
      "name    n",
      "plain   1",
      "日本語  1",
      "e\u0301te\u0301     1",
      "👩‍💻 ok   1",
      "\u001b[32mgreen\u001b[39m   1",
    ]);
  });

  it("are what a line is clipped and wrapped to, without cutting a character in two", () => {
    expect(clip("日本語です", 7)).toBe("日本語…");
    expect(clip("ab👩‍💻cd", 5)).toBe("ab👩‍💻…");
    expect(clip("short", 7)).toBe("short");
    expect(wrap("日本 語で す", 7)).toBe("日本\n語で す");
  });
});
