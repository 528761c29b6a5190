import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { runOrThrow } from "../../scripts/run-command.mjs";
import { createOffloader, createWorkspace, type Workspace } from "../../src/index.js";
import type { AnthropicMessage } from "../../src/formats/index.js";
import { noteUsage, readLedger } from "../../src/ledger.js";
import { makeTempFolder } from "../support/temp-folder.js";
import { openPage, type Page } from "./browser.js";

const MAIN = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const SESSION = "5f0c2e9a-71d4-4b8e-9d0e-3a6b1c2d4e5f";
const NEEDLE = "ECONNREFUSED 10.0.3.4";

const logOf = (name: string, lines: number): string =>
  Array.from({ length: lines }, (_, at) =>
    at === 250
      ? `ERROR ${name} failed: ${NEEDLE}`
      : `INFO ${name} line ${at} value ${(at * 7919) % 997}`,
  ).join("\n");

/** An agent that gets large results, and reads lines 100 to 140 of its second one. */
async function runAgent(workspace: Workspace, sessionId: string, turns: number, lines = 900) {
  const offloader = createOffloader({ workspace, sessionId, format: "anthropic" });
  const history: AnthropicMessage[] = [{ role: "user", content: "find the fault" }];
  let sent: readonly AnthropicMessage[] = history;
  for (let turn = 0; turn <= turns; turn++) {
    ({ messages: sent } = await offloader.offload(history));
    noteUsage(workspace, sessionId, { inputTokens: 1_000, outputTokens: 10 });
    if (turn === turns) break;
    const isRead = turn === 8;
    const input = isRead ? { id: "call-1", lines: "100-140" } : { step: turn };
    const name = isRead ? "read_stored" : turn % 2 === 0 ? "bash" : "fetch";
    const call = { type: "tool_use" as const, id: `call-${turn}`, name, input };
    history.push({ role: "assistant", content: [call] });
    const answer = isRead ? await offloader.handleToolCall(call) : undefined;
    const { content } = answer
      ? (answer as unknown as { readonly content: string })
      : { content: logOf(`run ${turn}`, lines - turn * 10) };
    history.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call.id, content }],
    });
  }
  return sent;
}

/** A folder with a workspace in it, and a home. */
async function makeWorkspace(): Promise<{ root: string; home: string; workspace: Workspace }> {
  const root = await makeTempFolder();
  const home = await makeTempFolder();
  const workspace = createWorkspace({ root });
  onTestFinished(() => workspace.close());
  return { root, home, workspace };
}

/** The command in a process of its own, as a person starts it. */
async function serve(root: string, home: string, ...more: readonly string[]): Promise<string> {
  return start(["-w", root, ...more], home);
}

async function start(args: readonly string[], home: string, cwd?: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN, "page", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGINT");
    if (child.exitCode === null) await once(child, "close");
  });
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return line.trim();
}

/** Every result of the table, as far as its rows exist. */
const rowsOf = (page: Page) => page.locator(".results-rows .row");

async function openResult(page: Page, id: string): Promise<void> {
  await page.locator("#filter").fill(id);
  await page.locator(`.results-rows [data-id="${id}"]`).click();
  await page.locator("dialog .reference .text").first().waitFor();
}

describe("the page, in a real browser", () => {
  it("says of each session what the ledger says, and asks nothing of anybody else", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    await runAgent(workspace, SESSION, 14);
    await runAgent(workspace, "costs", 1, 20);
    await workspace.close();
    const { sessions, total } = await readLedger(createWorkspace({ root }));
    const url = await serve(root, home);
    const { page, requests, troubles } = await openPage(context);
    await page.goto(url);
    await rowsOf(page).first().waitFor();

    expect(await page.locator(".total").textContent()).toContain(total.net.toLocaleString("en"));
    expect(sessions.map(({ net }) => net < 0)).toContain(true);
    expect(sessions.map(({ net }) => net < 0)).toContain(false);
    for (const { sessionId, ...figures } of sessions) {
      const session = page.locator(`[data-session="${sessionId}"]`);
      const sentence = await session.locator(".sentence").textContent();
      for (const name of ["whole", "references", "reads", "fixed", "net"] as const) {
        expect(sentence).toContain(Math.abs(figures[name]).toLocaleString("en"));
      }
      expect(sentence).toContain("all");
      expect(sentence).toContain("estimate");
      const drawn = new Map<string, number>();
      for (const kind of ["references", "reads", "fixed", "net", "loss"]) {
        const part = session.locator(`.bar .${kind}`);
        if ((await part.count()) > 0)
          drawn.set(kind, Number(await part.getAttribute("data-tokens")));
      }
      const { whole, net } = figures;
      expect([...drawn.values()].reduce((sum, tokens) => sum + tokens, 0)).toBe(
        net < 0 ? whole - net : whole,
      );
      expect(drawn.get(net < 0 ? "loss" : "net")).toBe(Math.abs(net));
      const verdict = session.locator(".sentence b");
      expect(await verdict.getAttribute("class")).toBe(net < 0 ? "bad" : "good");
      expect(await verdict.textContent()).toContain(net < 0 ? "more than it saved" : "saved");
      expect(await session.locator(".usage").textContent()).toContain("provider");
    }
    // In red, to a person's eye.
    const color = (await page.evaluate(
      `getComputedStyle(document.querySelector('[data-session="costs"] .bad')).color`,
    )) as string;
    const [red = 0, green = 0, blue = 0] = (/\d+, \d+, \d+/.exec(color)?.[0] ?? "")
      .split(", ")
      .map(Number);
    expect(red).toBeGreaterThan(2 * Math.max(green, blue));

    expect(troubles).toEqual([]);
    const { origin } = new URL(url);
    expect(requests.length).toBeGreaterThan(3);
    expect(
      requests.filter((asked) => !asked.startsWith(origin) && !asked.startsWith("data:")),
    ).toEqual([]);
  });

  it("shows the conversation as it was recorded, and grows while the agent runs", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    const sent = await runAgent(workspace, SESSION, 12);
    await runAgent(workspace, "other", 12, 700);
    await workspace.close();
    const log = sent.map((message, at) =>
      JSON.stringify({ type: message.role, sessionId: SESSION, uuid: `u${at}`, message }),
    );
    const recording = join(home, "recorded.jsonl");
    await writeFile(recording, log.join("\n"));
    const { page } = await openPage(context);
    await page.goto(await serve(root, home, "--recorded", recording));
    await page.locator(".strip-bar").first().waitFor();
    expect(await page.locator(".strip").textContent()).toContain("recorded.jsonl");
    expect(await page.locator(".strip-bar .message").count()).toBeGreaterThan(5);
    const references = page.locator(".strip-bar .reference");
    expect(await references.count()).toBeGreaterThan(3);
    // The reference is the very one that the conversation has.
    await page.locator(`[data-session="${SESSION}"] .session-name`).click();
    await openResult(page, "call-1");
    const shown = (await page.locator(".reference .text").allTextContents()).join("\n");
    expect(JSON.stringify(sent)).toContain(JSON.stringify(shown).slice(1, -1));
    expect(await page.locator("section.reference").textContent()).toContain(
      "from the recorded conversation",
    );
    await page.keyboard.press("Escape");
    // It is not that of another session, though that one has results of the same ids.
    await page.locator("#filter").fill("");
    await page.locator(`[data-session="other"] .session-name`).click();
    await page.locator(".strip", { hasText: "only in the recorded conversation" }).waitFor();
    await openResult(page, "call-1");
    expect(await page.locator("section.reference").textContent()).toContain("rebuilt");
    await page.keyboard.press("Escape");
    await page.locator(`[data-session="${SESSION}"] .session-name`).click();

    // Another process stores something more: it appears by itself.
    await page.locator("#filter").fill("");
    const before = await rowsOf(page).count();
    const other = createWorkspace({ root });
    await other.put(
      { content: "one more", metadata: { tool_name: "late" } },
      { sessionId: SESSION, toolCallId: "late-1" },
    );
    await other.close();
    await page.locator(`.results-rows [data-id="late-1"]`).waitFor();
    expect(await rowsOf(page).count()).toBe(before + 1);
  });

  it("finds a recording that an agent begins after the page was opened", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    const sent = await runAgent(workspace, SESSION, 6);
    await workspace.close();
    const { page } = await openPage(context);
    await page.goto(await serve(root, home));
    await page.locator(".strip", { hasText: "only in the recorded conversation" }).waitFor();
    const log = sent.map((message, at) =>
      JSON.stringify({ type: message.role, sessionId: SESSION, uuid: `u${at}`, message }),
    );
    const folder = join(home, ".claude", "projects", "p");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${SESSION}.jsonl`), log.join("\n"));
    await page.locator(".strip", { hasText: `as recorded in ${SESSION}.jsonl` }).waitFor();
  });

  it("filters, sorts and searches the results", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    await runAgent(workspace, SESSION, 14);
    await workspace.close();
    const { page } = await openPage(context);
    await page.goto(await serve(root, home));
    await rowsOf(page).first().waitFor();
    const all = await rowsOf(page).count();
    await page.locator("#tool").selectOption("fetch");
    const tools = await page.locator(".results-rows .toolName").allTextContents();
    expect(tools.length).toBeGreaterThan(1);
    expect(tools.length).toBeLessThan(all);
    expect(tools.every((text) => text.startsWith("fetch"))).toBe(true);
    await page.locator("#tool").selectOption("");
    await page.locator("#sort-tokens").click();
    const tokens = (await page.locator(".results-rows .tokens").allTextContents()).map((text) =>
      Number(text.replaceAll(",", "")),
    );
    expect(tokens).toEqual([...tokens].sort((one, other) => other - one));
    expect((await page.locator(".results-rows .verdict").allTextContents()).every(Boolean)).toBe(
      true,
    );

    await page.locator("#search").fill(NEEDLE.replace(".", "\\."));
    await page.locator("#search").press("Enter");
    await page.locator(".match").first().waitFor();
    expect(await page.locator(".match").first().textContent()).toContain(NEEDLE);
    await page.locator(".match").first().click();
    await page.locator(`dialog .line.target[data-line="251"]`, { hasText: NEEDLE }).waitFor();
  });

  it("shows a reference beside the stored text, marks what was quoted and read, and checks it", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    await runAgent(workspace, SESSION, 14);
    const text = logOf("run with digest", 3_000);
    await workspace.put(
      { content: text, metadata: { tool_name: "bash" } },
      { sessionId: SESSION, toolCallId: "digest-1" },
    );
    await workspace.close();
    const { page } = await openPage(context, { viewport: { width: 1_280, height: 900 } });
    await page.goto(await serve(root, home));
    await rowsOf(page).first().waitFor();

    await openResult(page, "digest-1");
    const quotes = await page.locator(".reference .quoted").allTextContents();
    expect(quotes.length).toBeGreaterThan(0);
    const stored = text.split("\n");
    for (const quote of quotes) {
      // Without what begins most lines, and with how many are like it.
      const [, line = "", part = "?"] = /^(\d+): (.*?)(?: \(about .*)?$/.exec(quote) ?? [];
      expect(stored[Number(line) - 1]).toContain(part);
    }
    const line = /^\d+/.exec(quotes.at(-1) ?? "")?.[0] ?? "";
    await page.locator(".reference .quoted .jump").first().waitFor();
    await page.evaluate(`[...document.querySelectorAll(".reference .jump")].at(-1).click()`);
    const target = page.locator(`dialog .line.quoted.target[data-line="${line}"]`, {
      hasText: (stored[Number(line) - 1] ?? "").slice(0, 20),
    });
    await target.waitFor();
    // Of 3,000 lines, only those that can be seen exist.
    expect(await page.locator("dialog .line").count()).toBeLessThan(120);
    await page.keyboard.press("Escape");

    await openResult(page, "call-1");
    const legend = page.locator("dialog .legend button", { hasText: "read by the model" });
    expect(await legend.textContent()).toContain("(41 lines)");
    await legend.click();
    await page.locator(`dialog .line.read[data-line="100"]`).waitFor();
    const marked = async (at: number) =>
      (await page.locator(`dialog .line[data-line="${at}"]`).getAttribute("class"))?.includes(
        "read",
      );
    expect([await marked(99), await marked(100), await marked(101)]).toEqual([false, true, true]);

    await page.locator("#check").click();
    await page.locator("[data-step=compare]").waitFor();
    expect(await page.locator(".checked .good").count()).toBe(3);
    // What was changed on the disk is not what was stored.
    const folder = join(root, "v1", "default", SESSION);
    const file = (await readdir(folder)).find((name) => name.startsWith("call-1.")) ?? "";
    const content = await readFile(join(folder, file), "utf8");
    await writeFile(join(folder, file), content.replace("value", "VALUE"));
    await page.locator("#check").click();
    await page.locator(".checked .bad").first().waitFor();
  });

  it("takes hostile content for text: scripts, markup, one line of 5 MB, changes of direction", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    const evil = `</script></style><script>alert(1)</script><img src=x onerror="alert(2)"><svg onload=alert(3)>`;
    const put = (id: string, content: string, toolName: string) =>
      workspace.put(
        { content, metadata: { tool_name: toolName } },
        { sessionId: `evil ${evil}`, toolCallId: id },
      );
    await put("script", `${evil}\n<!-- ${evil}`, evil);
    await put("long", `start ${"x".repeat(5_000_000)} end`, "bash");
    await put("turned", "safe \u202egnp.exe\u202c and \u2067rtl\u2069\u200f\u0000", "ba\u202esh");
    await workspace.close();
    const url = await serve(root, home);
    const file = join(home, "export.html");
    await runOrThrow(
      process.execPath,
      [MAIN, "page", "-w", root, "--export", file, "--with-content"],
      { env: { ...process.env, HOME: home } },
    );
    for (const address of [url, pathToFileURL(file).href]) {
      const { page, requests, troubles } = await openPage(context);
      await page.goto(address);
      await rowsOf(page).first().waitFor();
      await openResult(page, "script");
      await page.locator("dialog .line", { hasText: "alert(1)" }).first().waitFor();
      expect(
        await page.evaluate(
          `document.querySelectorAll("main script, main img, [onload], [onerror]").length`,
        ),
      ).toBe(0);
      await page.keyboard.press("Escape");

      await openResult(page, "long");
      await page.locator("dialog .line .more").first().click();
      await page.locator(".long-line button", { hasText: "end" }).click();
      await page.locator(".long-line .text", { hasText: "x end" }).waitFor();
      const chars = (await page.evaluate(
        `document.querySelector("main").textContent.length`,
      )) as number;
      expect(chars).toBeLessThan(50_000);
      await page.keyboard.press("Escape");

      await openResult(page, "turned");
      await page.locator("dialog .line", { hasText: "gnp.exe" }).waitFor();
      const shown = (await page.evaluate(`document.querySelector("main").textContent`)) as string;
      expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200f\0]/);
      expect(shown).toContain("U+202E");
      expect(troubles).toEqual([]);
      const { origin } = new URL(url);
      expect(
        requests.filter(
          (asked) =>
            !asked.startsWith(address === url ? origin : "file:") && !asked.startsWith("data:"),
        ),
      ).toEqual([]);
    }
  });

  it("holds 10,000 results with few rows, and is used by keyboard", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    for (let at = 0; at < 10_000; at += 500) {
      await Promise.all(
        Array.from({ length: 500 }, (_, more) =>
          workspace.put(
            { content: `result ${at + more}`, metadata: { tool_name: `tool-${more % 7}` } },
            { sessionId: `session-${at / 500}`, toolCallId: `id-${at + more}` },
          ),
        ),
      );
    }
    await workspace.close();
    const { page, troubles } = await openPage(context, { viewport: { width: 1_280, height: 800 } });
    await page.goto(await serve(root, home));
    await rowsOf(page).first().waitFor();
    expect(await page.locator(".found").textContent()).toContain("10,000");
    expect(await rowsOf(page).count()).toBeLessThan(100);
    await page.keyboard.press("r");
    await page.keyboard.press("End");
    await page.locator("#row-9999.active").waitFor();
    expect(await rowsOf(page).count()).toBeLessThan(100);
    await page.keyboard.press("ArrowUp");
    const id = await page.locator("#row-9998.active").getAttribute("data-id");
    await page.keyboard.press("Enter");
    await page
      .locator("dialog .line", { hasText: `result ${id?.slice("id-".length) ?? ""}` })
      .waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("filter");
    await page.locator("#filter").fill("id-77");
    expect(await page.locator(".found").textContent()).toMatch(/^111 of 10,000/);
    expect(troubles).toEqual([]);
  });

  it("says in an empty folder that there is nothing yet, and shows what comes then", async (context: TestContext) => {
    const folder = await makeTempFolder();
    const { page, troubles } = await openPage(context);
    await page.goto(await start([], await makeTempFolder(), folder));
    await page.locator(".total", { hasText: "Nothing was offloaded here yet" }).waitFor();
    expect(await page.locator("h2:visible").count()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
    const workspace = createWorkspace({ root: join(folder, ".offload") });
    await runAgent(workspace, SESSION, 6);
    await workspace.close();
    await rowsOf(page).first().waitFor();
    await page.locator(".sentence b", { hasText: "saved" }).waitFor();
    expect(troubles).toEqual([]);
  });

  it("shows a workspace without a ledger, and claims nothing about it", async (context: TestContext) => {
    const root = await makeTempFolder();
    const workspace = createWorkspace({ root, ledger: false });
    await runAgent(workspace, SESSION, 6);
    await workspace.close();
    const { page, troubles } = await openPage(context);
    await page.goto(await serve(root, await makeTempFolder()));
    await rowsOf(page).first().waitFor();
    expect(await page.locator(".total").textContent()).toContain("no ledger");
    expect(await page.locator(".bar, .strip-bar, .figure").count()).toBe(0);
    expect(await page.locator(".results-rows .net").first().textContent()).toBe("–");
    await rowsOf(page).first().click();
    await page.locator("dialog .line .text").first().waitFor();
    expect(troubles).toEqual([]);
  });

  it("keeps the chosen row on its result while an agent stores others", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    await runAgent(workspace, SESSION, 12);
    const { page } = await openPage(context);
    await page.goto(await serve(root, home));
    await rowsOf(page).first().waitFor();
    await page.keyboard.press("r");
    await page.keyboard.press("ArrowDown");
    const chosen = page.locator(".results-rows .row.active");
    const id = await chosen.getAttribute("data-id");
    for (const late of ["late-1", "late-2"]) {
      await workspace.put({ content: "one more" }, { sessionId: SESSION, toolCallId: late });
      await page.locator(`.results-rows [data-id="${late}"]`).waitFor();
      expect(await chosen.getAttribute("data-id")).toBe(id);
    }
    await page.locator("#sort-tokens").click();
    expect(await chosen.getAttribute("data-id")).toBe(id);
  });

  it.for([360, 500, 800, 1_000, 1_280, 2_000])(
    "fits a window of %i pixels, light and dark",
    async (width, context) => {
      const { root, home, workspace } = await makeWorkspace();
      await runAgent(workspace, SESSION, 10);
      await workspace.close();
      const url = await serve(root, home);
      const grounds: unknown[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        const { page } = await openPage(context, { viewport: { width, height: 800 }, colorScheme });
        await page.goto(url);
        await rowsOf(page).first().waitFor();
        grounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
        const overflow = "document.documentElement.scrollWidth - innerWidth";
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
        const cutCells = `[...document.querySelectorAll(".table .cell")].filter((one) => { const box = one.getBoundingClientRect(); return box.width > 0 && box.right > one.closest(".table").getBoundingClientRect().right; }).length`;
        expect(await page.evaluate(cutCells)).toBe(0);
        await rowsOf(page).first().click();
        await page.locator("dialog .line .text").first().waitFor();
        expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
        const cut = `[...document.querySelectorAll("dialog h2, dialog h3, dialog #check, dialog .panes section")].filter((one) => { const box = one.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; }).length`;
        expect(await page.evaluate(cut)).toBe(0);
      }
      expect(new Set(grounds).size).toBe(2);
    },
  );

  it("exports one file, with the stored text only if asked", async (context: TestContext) => {
    const { root, home, workspace } = await makeWorkspace();
    await runAgent(workspace, SESSION, 12);
    const lines = logOf("export", 3_000).split("\n");
    // No digest quotes it.
    const secret = lines[1_700] ?? "";
    await workspace.put(
      { content: lines.join("\n") },
      { sessionId: SESSION, toolCallId: "exported" },
    );
    await workspace.close();
    const { total } = await readLedger(createWorkspace({ root }));
    for (const more of [[], ["--with-content"]]) {
      const file = join(await makeTempFolder(), "page.html");
      await runOrThrow(process.execPath, [MAIN, "page", "-w", root, "--export", file, ...more], {
        env: { ...process.env, HOME: home },
      });
      expect((await readFile(file, "utf8")).includes(secret)).toBe(more.length > 0);
      const { page, requests, troubles } = await openPage(context);
      await page.goto(pathToFileURL(file).href);
      await rowsOf(page).first().waitFor();
      expect(await page.locator(".total").textContent()).toContain(total.net.toLocaleString("en"));
      await openResult(page, "exported");
      expect(await page.locator(".reference .quoted").count()).toBeGreaterThan(0);
      expect((await page.locator("dialog .line").count()) > 0).toBe(more.length > 0);
      if (more.length > 0) {
        await page.keyboard.press("Escape");
        await page.locator("#search").fill("(");
        await page.locator("#search").press("Enter");
        await page.locator(".matches .bad", { hasText: "Invalid regular expression" }).waitFor();
      }
      expect(troubles).toEqual([]);
      expect(requests.filter((asked) => !/^(?:file|data):/.test(asked))).toEqual([]);
    }
  });
});

describe("the server of the page", () => {
  it("listens on this computer alone and answers only who has its address and comes from it", async () => {
    const { root, home, workspace } = await makeWorkspace();
    await workspace.put({ content: "secret text" }, { sessionId: "s", toolCallId: "one" });
    await workspace.close();
    const url = new URL(await serve(root, home));
    expect(url.hostname).toBe("127.0.0.1");
    const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      new Promise<{
        status: number | undefined;
        headers: Readonly<Record<string, unknown>>;
        body: string;
      }>((resolve, reject) => {
        const asked = request(
          { host: url.hostname, port: url.port, path, method, headers },
          (response) => {
            let body = "";
            response.setEncoding("utf8").on("data", (text: string) => (body += text));
            response.on("end", () => {
              resolve({ status: response.statusCode, headers: response.headers, body });
            });
          },
        );
        asked.on("error", reject).end();
      });
    const results = `${url.pathname}data/results`;
    const good = await ask(results);
    expect(good.status).toBe(200);
    expect(good.body).toContain("one");
    expect(
      (
        await ask(results, {
          host: `localhost:${url.port}`,
          origin: `http://localhost:${url.port}`,
        })
      ).status,
    ).toBe(200);

    const token = url.pathname.slice(1, -1);
    const other = `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`;
    const refused = [
      ...[
        "/",
        "/data/results",
        `/${other}/data/results`,
        `/${token.slice(0, -1)}/data/results`,
        `/${token}x/`,
      ].map((path) => ask(path)),
      ...[
        "evil.example",
        `evil.example:${url.port}`,
        "127.0.0.1",
        "127.0.0.1:1",
        `127.0.0.1.evil.example:${url.port}`,
      ].map((host) => ask(results, { host })),
      ...["http://evil.example", "null", `https://127.0.0.1:${url.port}`, "http://127.0.0.1:1"].map(
        (origin) => ask(results, { origin }),
      ),
      ...["cross-site", "same-site"].map((site) => ask(results, { "sec-fetch-site": site })),
    ];
    for (const { status, body } of await Promise.all(refused)) {
      expect(status).toBe(403);
      expect(body).not.toContain('one"');
    }
    expect((await ask(results, {}, "POST")).status).toBe(405);
    expect((await ask(`${url.pathname}data/constructor`)).status).toBe(404);
    expect((await ask(`${url.pathname}../../etc/passwd`)).status).toBe(403);
    for (const { headers } of [good, await ask(url.pathname), await ask("/")]) {
      const policy = String(headers["content-security-policy"]);
      expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers["access-control-allow-origin"]).toBeUndefined();
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["referrer-policy"]).toBe("no-referrer");
    }
  });
});
