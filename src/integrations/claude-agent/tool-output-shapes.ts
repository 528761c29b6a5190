import { TOOL_NAMES } from "../../core/workspace/reading/reading.js";

/** The text of a tool's output that the model gets, and the same output with another text in its place. */
export interface ToolOutputText {
  readonly text: string;
  /** Claude Code silently drops an output of another shape, so this one keeps the tool's own. */
  withText(text: string): unknown;
}

type Fields = Readonly<Record<string, unknown>>;
type Shape = (response: Fields) => ToolOutputText | undefined;

/** How Claude Code begins the text that it puts in place of an output which it has stored itself. */
const PERSISTED = /^(?:<persisted-output>|Error: result \(.*\) exceeds maximum allowed tokens)/;

/**
 * The built-in tools whose output can be long, by the types in `@anthropic-ai/claude-agent-sdk/sdk-tools`.
 * Others answer in a line (Edit, Write), or have no place for a text (a list of resources, a picture). The reports
 * of subagents are kept: they are what is left of much longer work.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  Bash: commandOutput,
  ClaudeDesign: (response) => inBlocks(response, "content"),
  Glob: (response) => inList(response, "filenames"),
  Grep: (response) => inField(response, "content") ?? inList(response, "filenames"),
  Read: fileContent,
  ReadMcpResourceTool: resourceText,
  RemoteTrigger: (response) => inField(response, "json"),
  WebFetch: (response) => inField(response, "result"),
  WebSearch: searchResults,
};

/**
 * Finds the text in what a tool of Claude Code returned; `undefined` where there is none to replace, where
 * Claude Code has stored the output itself, for the answers of the reading tools, and for a part of a file, which
 * was asked for by its lines.
 *
 * @param input What the tool was called with.
 */
export function findOutputText(
  toolName: string,
  response: unknown,
  input?: unknown,
): ToolOutputText | undefined {
  if (isReadingTool(toolName) || (toolName === "Read" && isRange(input))) return undefined;
  const found = toolName.startsWith("mcp__")
    ? mcpOutput(response)
    : isFields(response) && typeof response["persistedOutputPath"] !== "string"
      ? (Object.hasOwn(SHAPES, toolName) ? SHAPES[toolName] : undefined)?.(response)
      : undefined;
  return found && !PERSISTED.test(found.text) ? found : undefined;
}

function isRange(input: unknown): boolean {
  return isFields(input) && ["offset", "limit", "pages"].some((name) => input[name] != null);
}

/** Whichever server offers it. */
function isReadingTool(toolName: string): boolean {
  return toolName.startsWith("mcp__") && TOOL_NAMES.some((name) => toolName.endsWith(`__${name}`));
}

/** One of the two streams is replaced, the longer one: an error beside a long output is worth seeing. */
function commandOutput(response: Fields): ToolOutputText | undefined {
  if (response["isImage"] === true) return undefined;
  const { stdout, stderr } = response;
  const isErrorLonger = lengthOf(stderr) > lengthOf(stdout);
  return inField(response, isErrorLonger ? "stderr" : "stdout");
}

function fileContent(response: Fields): ToolOutputText | undefined {
  const { type, file } = response;
  if (type !== "text" || !isFields(file)) return undefined;
  const { filePath, content } = file;
  if (typeof content !== "string" || content === "") return undefined;
  // As text of a file, Claude Code would number the lines of a reference as if the file had them.
  // Of another language, it would say so.
  const cellOf = (source: string) => ({
    cellType: "code",
    language: "python",
    source,
    cell_id: "reference",
  });
  return {
    text: content,
    withText: (text) => ({ type: "notebook", file: { filePath, cells: [cellOf(text)] } }),
  };
}

function resourceText(response: Fields): ToolOutputText | undefined {
  const contents = listOf(response["contents"]);
  const [longest] = contents
    .filter(isFields)
    .sort((a, b) => lengthOf(b["text"]) - lengthOf(a["text"]));
  if (!longest) return undefined;
  return inside(inField(longest, "text"), (changed) => ({
    ...response,
    contents: contents.map((item) => (item === longest ? changed : item)),
  }));
}

function searchResults(response: Fields): ToolOutputText | undefined {
  const { results } = response;
  if (!Array.isArray(results)) return undefined;
  const text = JSON.stringify(results, undefined, 2);
  return { text, withText: (changed) => ({ ...response, results: [changed] }) };
}

/** A text, a list of blocks, or an object, in which a server may have put anything. */
function mcpOutput(response: unknown): ToolOutputText | undefined {
  if (typeof response === "string") return { text: response, withText: (text) => text };
  if (Array.isArray(response)) {
    return inside(inBlocks({ response }, "response"), (changed) => (changed as Fields)["response"]);
  }
  if (!isFields(response)) return undefined;
  if (Array.isArray(response["content"])) return inBlocks(response, "content");
  return { text: JSON.stringify(response, undefined, 2), withText: (text) => text };
}

function inField(fields: Fields, key: string): ToolOutputText | undefined {
  const text = fields[key];
  if (typeof text !== "string" || text === "") return undefined;
  return { text, withText: (changed) => ({ ...fields, [key]: changed }) };
}

function inList(fields: Fields, key: string): ToolOutputText | undefined {
  const items = listOf(fields[key]);
  if (items.length === 0) return undefined;
  return { text: items.join("\n"), withText: (changed) => ({ ...fields, [key]: [changed] }) };
}

/** One block of text takes the place of all; pictures and whatever else there is are kept. */
function inBlocks(fields: Fields, key: string): ToolOutputText | undefined {
  const blocks = listOf(fields[key]);
  const texts = blocks.flatMap((block) =>
    isFields(block) && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  if (texts.length === 0) return undefined;
  const others = blocks.filter((block) => !isFields(block) || typeof block["text"] !== "string");
  return {
    text: texts.join("\n"),
    withText: (text) => ({ ...fields, [key]: [{ type: "text", text }, ...others] }),
  };
}

function inside(
  found: ToolOutputText | undefined,
  wrap: (changed: unknown) => unknown,
): ToolOutputText | undefined {
  return found && { text: found.text, withText: (text) => wrap(found.withText(text)) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}
