import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createWorkspace, digestText, estimateTokens, type Content } from "../../src/index.js";
import { makeTempFolder } from "../support/temp-folder.js";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), "utf8");

interface Block {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly content?: Content;
}

const conversation = JSON.parse(await read("examples/conversations/checkout-outage.json")) as {
  readonly content: string | readonly Block[];
}[];
const contents = new Map(
  conversation
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result")
    .map(({ tool_use_id, content }) => [tool_use_id ?? "", content ?? ""]),
);

function textOf(toolUseId: string): string {
  const content = contents.get(toolUseId);
  if (typeof content === "string") return content;
  throw new Error(`the sample conversation has no text of ${toolUseId}`);
}

describe("the samples of the digest page", async () => {
  const marked =
    /<!-- digest: (?<id>\w+)(?:, (?<budget>\d+) characters)? -->\n+```text\n(?<text>[^]*?)\n```/g;
  const page = await read("docs/digests.md");
  const samples = [...page.matchAll(marked)].map(({ groups }) => ({
    id: groups?.["id"] ?? "",
    budget: groups?.["budget"],
    text: groups?.["text"] ?? "",
  }));

  it.each(samples)("shows what digestText gives of $id", ({ id, budget, text }) => {
    const options = budget === undefined ? {} : { budgetChars: Number(budget) };
    expect(digestText(textOf(id), options).text).toBe(text);
  });

  it("has one of every kind that the conversation holds", () => {
    expect(page.match(/<!-- digest:/g)).toHaveLength(samples.length);
    expect(new Set(samples.map(({ id }) => digestText(textOf(id)).kind))).toEqual(
      new Set(["json", "log", "build", "table", "diff", "code", "markdown", "html", "text"]),
    );
  });
});

describe("the reference on the workspace page", () => {
  it("is the one that the workspace writes", async () => {
    const page = await read("docs/workspace.md");
    const sample = /<!-- reference: (?<id>\w+) -->\n+```text\n(?<text>[^]*?)\n```/.exec(page);
    const { id = "", text } = sample?.groups ?? {};
    const workspace = createWorkspace({ root: await makeTempFolder() });
    const artifact = { content: textOf(id), metadata: { tool_name: "run_command" } };
    expect(
      (await workspace.put(artifact, { sessionId: "default", toolCallId: id })).reference,
    ).toBe(text);
  });
});

describe("the table of the token page", () => {
  it("shows the true counts and what estimateTokens gives", async () => {
    const counts = JSON.parse(await read("tests/fixtures/tokens/counts.json")) as Record<
      string,
      number
    >;
    const rows = await Promise.all(
      Object.entries(counts).map(async ([file, tokens]) => {
        const text = await read(`tests/fixtures/tokens/${file}`);
        const estimate = estimateTokens(text);
        const quarter = Math.round(text.length / 4);
        const figures = [
          tokens,
          estimate,
          offBy(estimate, tokens),
          quarter,
          offBy(quarter, tokens),
        ];
        return [file.replace(/\.txt$/, ""), ...figures.map(String)];
      }),
    );
    const page = await read("docs/tokens.md");
    const shown = page
      .split("\n")
      .filter((line) => /^\| [a-z\d-]+ +\|(?: *[-+\d %]+ *\|){5}$/.test(line))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(shown).toEqual(rows);
  });
});

function offBy(figure: number, tokens: number): string {
  const percent = Math.round((figure / tokens - 1) * 100);
  return `${percent > 0 ? "+" : ""}${percent} %`;
}
