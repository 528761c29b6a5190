import type { Item, ResultItem } from "../conversation/conversation.js";
import { isSearch, leadingLines, patternOf, type ReadStep } from "../reader.js";
import { createReplacer, once, type System } from "./system.js";

/** The newest results, of so many tokens together, are kept … */
const PROTECTED_TOKENS = 50_000;
/** … and the older ones are masked together, once they have this many. */
const MIN_MASKED_TOKENS = 30_000;
const PREVIEW_CHARS = 250;
const PREVIEW_LINES = 10;
const SHELL = /shell|bash|exec|command|terminal/i;
/** How many lines its `read_file` returns when it is not told. */
const PAGE_LINES = 2_000;

/**
 * gemini-cli's masking of old tool results, written after how version 0.61 behaves: the package itself
 * runs only as a whole. Older results are written to files, and a preview with the path is left; the
 * agent reads them with the file tools that it has, so nothing is added to a request. Its files hold
 * JSON in one long line; here they hold the text, which is easier to read.
 */
export const geminiMasking: System = {
  name: "gemini-cli masking",
  start({ reader, contextLines }) {
    const masked = new Map<Item, ResultItem>();
    const replace = createReplacer();
    const tokensOf = once(({ text }: ResultItem) => estimate(text));

    function mask(history: readonly Item[]): void {
      const lastReply = history.findLastIndex(({ role }) => role === "assistant");
      const older: ResultItem[] = [];
      let tokens = 0;
      // What answers the last reply is protected, and does not count.
      for (const item of history.slice(0, lastReply + 1).reverse()) {
        if (item.role !== "result" || masked.has(item)) continue;
        tokens += tokensOf(item);
        if (tokens > PROTECTED_TOKENS) older.push(item);
      }
      const prunable = older.reduce((sum, item) => sum + tokensOf(item), 0);
      if (prunable < MIN_MASKED_TOKENS) return;
      for (const item of older) {
        const text = snippetOf(item);
        if (estimate(text) < tokensOf(item)) masked.set(item, replace(item, text));
      }
    }

    return Promise.resolve({
      overhead: "",
      present(history) {
        mask(history);
        return history.map((item) => masked.get(item) ?? item);
      },
      async *read(result, _sent, facts) {
        const file_path = pathOf(result);
        const lines = result.text.split("\n");
        if (isSearch(reader, facts)) {
          const pattern = patternOf(facts);
          const answer = linesAround(lines, new RegExp(pattern), contextLines ?? 0);
          yield await Promise.resolve([
            readStep("grep_search", { pattern, path: file_path }, answer),
          ]);
        }
        for (let offset = 0; offset < lines.length; offset += PAGE_LINES) {
          const page = lines.slice(offset, offset + PAGE_LINES).join("\n");
          yield [readStep("read_file", { file_path, offset, limit: PAGE_LINES }, page)];
        }
      },
      async *readPart(result, _sent, part) {
        const limit = leadingLines(result.text, part);
        const answer = result.text.split("\n").slice(0, limit).join("\n");
        const input = { file_path: pathOf(result), offset: 0, limit };
        yield await Promise.resolve([readStep("read_file", input, answer)]);
      },
    });
  },
};

function readStep(name: string, input: object, answer: string): ReadStep {
  return { name, input, answer };
}

/** By its own estimate. */
function estimate(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) others++;
  return (text.length - others) / 4 + others * 1.5;
}

function pathOf({ toolName, callId }: ResultItem): string {
  return `/tmp/gemini/tool-outputs/${`${toolName}_${callId}`.toLowerCase()}.txt`;
}

function snippetOf(result: ResultItem): string {
  return `<tool_output_masked>
${previewOf(result)}

Output too large. Full output available at: ${pathOf(result)}
</tool_output_masked>`;
}

function previewOf({ text, toolName }: ResultItem): string {
  if (SHELL.test(toolName)) {
    const lines = text.split("\n");
    const omitted = lines.length - 2 * PREVIEW_LINES;
    if (omitted <= 0) return text;
    const head = lines.slice(0, PREVIEW_LINES).join("\n");
    return `${head}\n\n... [${omitted} lines omitted] ...\n\n${lines.slice(-PREVIEW_LINES).join("\n")}`;
  }
  if (text.length <= 2 * PREVIEW_CHARS) return text;
  return `${text.slice(0, PREVIEW_CHARS)}\n... [TRUNCATED] ...\n${text.slice(-PREVIEW_CHARS)}`;
}

/** The lines that match, with their numbers, and so many around each. */
function linesAround(lines: readonly string[], pattern: RegExp, around: number): string {
  const shown = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (!pattern.test(line)) continue;
    for (let near = index - around; near <= index + around; near++) shown.add(near);
  }
  const numbered = [...shown]
    .sort((a, b) => a - b)
    .flatMap((index) => {
      const line = lines[index];
      return line === undefined ? [] : [`L${index + 1}: ${line}`];
    });
  return numbered.length === 0 ? "No matches found" : numbered.join("\n");
}
