import type { ToolInputSchema } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { countOf, withoutColors } from "../../lib/text/printable.js";
import { parseJson } from "../../lib/json/plain-json.js";
import { takeStart } from "../../lib/text/code-units.js";
import { shorten } from "../../lib/text/quote.js";
import type { CountLines } from "../reading/open-text.js";
import {
  COMPACT_TOOL,
  type FiveToolName,
  type NextCall,
  type Reading,
  type ToolName,
  type View,
} from "../reading/reading.js";
import type { OffloadInfoPage, PlainWorkspace } from "../workspace-types.js";

/**
 * Reads a tool call's input. Models send numbers as strings, lists as comma-separated strings or as
 * JSON, and at times the whole input as JSON: what is clear is accepted, anything else is rejected
 * with what is expected. What the tool does not know is ignored.
 */
export class ToolInput {
  readonly #input: Readonly<Record<string, unknown>>;
  /** Names that were given, but are not parameters of the tool. */
  readonly ignored: readonly string[];

  constructor(given: unknown, known: readonly string[]) {
    const input = typeof given === "string" ? (parseJson(given) ?? given) : given;
    const object =
      typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
    if (object !== input && input !== undefined && input !== null && input !== "") {
      throw new InvalidArgumentError("input", given, "an object with the tool's parameters");
    }
    this.ignored = Object.keys(object).filter((name) => !known.includes(name));
    this.#input = object as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number") return String(value);
    throw new InvalidArgumentError(name, value, "a string");
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) {
      throw new InvalidArgumentError(name, this.#own(name), "a non-empty string");
    }
    return value;
  }

  count(name: string): number | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "number") return value;
    if (typeof value === "string" && /^\s*-?\d+\s*$/.test(value)) return Number(value);
    throw new InvalidArgumentError(name, value, "a whole number");
  }

  requiredCount(name: string): number {
    const value = this.count(name);
    if (value === undefined) {
      throw new InvalidArgumentError(name, this.#own(name), "a whole number");
    }
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#get(name);
    if (value === undefined || typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    throw new InvalidArgumentError(name, value, "true or false");
  }

  /** A text, or plain data, as models send conditions. */
  textOrData(name: string): string | Readonly<Record<string, unknown>> | undefined {
    const value = this.#get(name);
    return typeof value === "object"
      ? (value as Readonly<Record<string, unknown>>)
      : this.text(name);
  }

  list(name: string): readonly string[] | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const items: unknown = typeof value === "string" ? splitList(value) : value;
    if (Array.isArray(items) && items.every((item) => typeof item === "string" && item !== "")) {
      return items as readonly string[];
    }
    throw new InvalidArgumentError(name, value, "a list of strings");
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(name, value, `one of ${choices.join(", ")}`);
  }

  /** Everything that was given. */
  get given(): Readonly<Record<string, unknown>> {
    const names = Object.keys(this.#input).filter((name) => this.#get(name) !== undefined);
    return Object.fromEntries(names.map((name) => [name, this.#input[name]]));
  }

  /** Some models send `null` or an empty string to leave a parameter out. */
  #get(name: string): unknown {
    const value = this.#own(name);
    return value === null || value === "" ? undefined : value;
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#input, name) ? this.#input[name] : undefined;
  }
}

function splitList(text: string): unknown {
  const parsed = text.trimStart().startsWith("[") ? parseJson(text) : undefined;
  return parsed ?? text.split(",").map((item) => item.trim());
}

/** What the model gets: what was read, and a last line that says how to continue, or "". */
export interface RenderedAnswer {
  readonly body: string;
  readonly footing: string;
  /** What it was made from. */
  readonly data: unknown;
}

/** The call that continues, as the model reads it; "" if it has no tool for that. */
export type PrintNext = (next: NextCall) => string;

/** A reading as the model gets it: the text, and only if something is missing what that is and how to continue. */
export function renderReading(
  data: Pick<Reading, "text" | "leftOut" | "next" | "note">,
  printNext: PrintNext,
): RenderedAnswer {
  const { text, leftOut, next, note } = data;
  const footing = [
    note ?? "",
    leftOut ? `${leftOut.count} ${leftOut.unit} left out.` : "",
    next ? printNext(next) : "",
  ].filter((part) => part !== "");
  if (footing.length === 0) return { body: text === "" ? "[empty]" : text, footing: "", data };
  return { body: text, footing: `[${footing.join(" ")}]`, data };
}

/** The list of what is stored, one line each. */
export function renderInfo(
  page: OffloadInfoPage,
  input: ToolInput,
  printNext: PrintNext,
): RenderedAnswer {
  if (page.artifacts.length === 0) {
    return { body: "No tool results are stored.", footing: "", data: page };
  }
  const body = page.artifacts.map((info) => JSON.stringify(info, shortenNames)).join("\n");
  if (page.nextCursor === undefined) return { body, footing: "", data: page };
  const next = printNext({
    tool: "get_tool_result_offload_info",
    input: { ...pickInput(input, ["namespace", "task_id", "limit"]), cursor: page.nextCursor },
  });
  return {
    body,
    footing: `[${countOf(page.leftOut ?? 0, "result")} left out. ${next}]`,
    data: page,
  };
}

/** Names come from anyone and may be long; ids must be whole, since they are used in calls. */
function shortenNames(key: string, value: unknown): unknown {
  return typeof value === "string" && key.endsWith("_name") ? shorten(value) : value;
}

/** What the next call must repeat. */
export function pickInput(input: ToolInput, names: readonly string[]): NextCall["input"] {
  const given = names.map((name) => [name, input.text(name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** One call of a reading tool. */
export interface ReadingToolCall {
  readonly workspace: PlainWorkspace;
  readonly countLines: CountLines;
  readonly input: ToolInput;
  readonly printNext: PrintNext;
  readonly scope: {
    readonly sessionId: string | undefined;
    readonly signal: AbortSignal | undefined;
    /** Maximum length of what is read; the line that says how to continue comes on top. */
    readonly maxChars: number;
  };
}

/**
 * A reading tool: what is said of it, and what it does. Its description is sent with every request,
 * so it says only what the names do not; parameters that a model rarely needs are accepted without
 * being advertised, and an answer names them where they help.
 */
interface ReadingToolSpec {
  /** The tool's description for the model. */
  readonly description: string;
  /** What the system prompt says of it, after its name. */
  readonly use?: string;
  /** Its place among the tools that a reference may name, the first of which it does. */
  readonly hint?: { readonly place: number; readonly isForJson?: boolean };
  readonly properties: ToolInputSchema["properties"];
  readonly required: readonly string[];
  /** Parameters that are accepted, but not advertised. */
  readonly alsoAccepts: readonly string[];
}

/** The metadata by which results are listed; `session_id` is one of them, and is narrowed by the caller. */
const FILTERS = ["context_type", "biz_id", "agent_id", "task_id", "tool_name", "action_name"];

type RunReading = (call: ReadingToolCall) => Promise<RenderedAnswer>;

const text = { type: "string" };
const count = { type: "integer" };
const flag = { type: "boolean" };

/** The reading tools. A call of the compact one is answered as a call of one of the others. */
export const READING_TOOLS: Readonly<
  Record<FiveToolName, ReadingToolSpec & { readonly run: RunReading }> &
    Record<typeof COMPACT_TOOL, ReadingToolSpec>
> = {
  get_knowledge_by_id: {
    description: "Reads a stored result from its start.",
    use: "reads one",
    hint: { place: 4 },
    properties: { artifact_id: text, cursor: text },
    required: ["artifact_id"],
    alsoAccepts: ["start_char", "end_char", "start_line", "end_line", "view"],
    run: async (call) => {
      const { workspace, input, scope, printNext } = call;
      if (input.count("start_line") !== undefined || input.count("end_line") !== undefined) {
        return readLines(call);
      }
      const options = { ...scope, ...parseCharRange(input), view: parseView(input) };
      const reading = await workspace.getKnowledgeById(input.requiredText("artifact_id"), options);
      return renderReading(withoutCodes(reading), printNext);
    },
  },

  get_knowledge_by_lines: {
    description: "Reads lines, the last from -50.",
    hint: { place: 3 },
    properties: { artifact_id: text, start_line: count, end_line: count, cursor: text },
    required: ["artifact_id", "start_line"],
    alsoAccepts: ["start_char", "end_char", "view"],
    run: (call) => {
      call.input.requiredCount("start_line");
      return readLines(call);
    },
  },

  grep_knowledge: {
    description: "Finds lines by regular expression; without artifact_id, in all results.",
    use: "searches",
    hint: { place: 2 },
    properties: {
      artifact_id: text,
      pattern: text,
      ignore_case: flag,
      context_before: count,
      context_after: count,
      count: flag,
      cursor: text,
    },
    required: ["pattern"],
    alsoAccepts: [
      ...["literal", "max_results", "start_line", "end_line", "start_char", "pointer", "view"],
    ],
    run: async ({ workspace, countLines, input, scope, printNext }) => {
      const artifactId = input.text("artifact_id");
      const pattern = input.requiredText("pattern");
      const options = {
        ...scope,
        view: parseView(input),
        ignoreCase: input.flag("ignore_case"),
        literal: input.flag("literal"),
        contextBefore: input.count("context_before"),
        contextAfter: input.count("context_after"),
        maxResults: input.count("max_results"),
        count: input.flag("count"),
      };
      const reading =
        artifactId === undefined
          ? await workspace.grepSession(pattern, {
              ...options,
              withoutTimes: true,
              cursor: input.text("cursor"),
            })
          : await workspace.grepKnowledge(artifactId, pattern, {
              ...options,
              withoutTimes: true,
              around: true,
              pointer: input.text("pointer"),
              ...(await parseSearchedLines(input, () => countLines(artifactId, scope))),
              startChar: input.count("start_char"),
            });
      return renderReading(reading, printNext);
    },
  },

  query_knowledge: {
    description:
      "Reads JSON by pointer /a/0; records of JSON and CSV where status=x, price>5, fields a b.",
    hint: { place: 1, isForJson: true },
    properties: {
      artifact_id: text,
      pointer: text,
      where: text,
      cursor: text,
    },
    required: ["artifact_id"],
    alsoAccepts: ["fields", "limit", "count", "distinct", "sum", "min", "max", "sort"],
    run: async ({ workspace, input, scope, printNext }) =>
      renderReading(
        await workspace.queryKnowledge(input.requiredText("artifact_id"), {
          ...scope,
          pointer: input.text("pointer"),
          where: input.textOrData("where"),
          count: input.flag("count"),
          distinct: input.text("distinct"),
          sum: input.text("sum"),
          min: input.text("min"),
          max: input.text("max"),
          sort: input.text("sort"),
          fields: input.list("fields"),
          limit: input.count("limit"),
          cursor: input.text("cursor"),
        }),
        printNext,
      ),
  },

  get_tool_result_offload_info: {
    description: "Lists the stored results.",
    use: "lists all",
    properties: { task_id: text, session_id: text, cursor: text },
    required: [],
    alsoAccepts: ["namespace", "limit"],
    run: async ({ workspace, input, scope, printNext }) =>
      renderInfo(
        await workspace.getToolResultOffloadInfo({
          ...scope,
          namespace: input.text("namespace"),
          taskId: input.text("task_id"),
          limit: input.count("limit"),
          cursor: input.text("cursor"),
        }),
        input,
        printNext,
      ),
  },

  query_artifacts: {
    description: "Lists stored results by their metadata.",
    properties: { search_filter: { type: "object" } },
    required: [],
    alsoAccepts: [...FILTERS, "limit", "cursor"],
    run: async ({ workspace, input, scope, printNext }) => {
      const { sessionId, signal } = scope;
      const filter = pickInput(input, FILTERS);
      const { artifacts, nextCursor } = await workspace.queryArtifacts(
        filter as Readonly<Record<string, string>>,
        { sessionId, signal, limit: input.count("limit"), cursor: input.text("cursor") },
      );
      const body = artifacts
        .map(({ artifactId, metadata: { biz_id, tool_name, action_name } }) =>
          JSON.stringify({ artifact_id: artifactId, biz_id, tool_name, action_name }, shortenNames),
        )
        .join("\n");
      const data = { artifacts: artifacts.map(({ artifactId }) => artifactId) };
      if (body === "") return { body: "No tool results are stored.", footing: "", data };
      if (nextCursor === undefined) return { body, footing: "", data };
      const next = { ...filter, cursor: nextCursor };
      return { body, footing: `[${printNext({ tool: "query_artifacts", input: next })}]`, data };
    },
  },

  read_stored: {
    description:
      "Reads stored results: lines 10-40 or -50 (last), regex, JSON/CSV query /items price>5, count a|b. " +
      "Without id: searches or lists all.",
    use: "reads the rest",
    hint: { place: 1 },
    properties: { id: text, lines: text, pattern: text, query: text },
    required: [],
    // And everything that the others take.
    alsoAccepts: [
      ...["artifact_id", "start_line", "end_line", "start_char", "end_char", "view", "pointer"],
      ...["ignore_case", "context_before", "context_after", "count", "literal", "max_results"],
      ...["where", "distinct", "sum", "min", "max", "sort"],
      ...["fields", "limit", "cursor", "task_id", "namespace"],
    ],
  },
};

/** A call of one of the five tools, and what was given besides. */
interface ResolvedCall {
  readonly input: ToolInput;
  readonly ignored: readonly string[];
  readonly run: RunReading;
}

/** What a call asks for. */
export function resolveCall(tool: ToolName, raw: unknown): ResolvedCall {
  const given = tool === "query_artifacts" ? withoutFilter(raw) : asSearch(withoutPlace(raw));
  const input = new ToolInput(given, parametersOf(READING_TOOLS[tool]));
  if (tool !== COMPACT_TOOL) return { ...READING_TOOLS[tool], input, ignored: input.ignored };
  const five = toFiveCall(input);
  const { run, ...spec } = READING_TOOLS[five.tool];
  const asked = new ToolInput(five.input, parametersOf(spec));
  return { run, input: asked, ignored: asked.ignored };
}

/** A place in a text, as a cursor. */
const PLACE =
  /^(?:line (\d{1,15})(?:-(\d{1,15}))?)? ?(?:chars (\d{1,15})-(\d{1,15})?)?(?: ?limit (\d{1,6}))?$/;

/** The input of a call whose cursor is a place in a text, with the parameters for that. */
function withoutPlace(raw: unknown): unknown {
  const { given } = new ToolInput(raw, []);
  const { cursor, ...rest } = given;
  const [place, ...numbers] = PLACE.exec(typeof cursor === "string" ? cursor : "") ?? [];
  if (place === undefined || place === "") return raw;
  const names = ["start_line", "end_line", "start_char", "end_char", "max_results"];
  const known = names.flatMap((name, at) =>
    numbers[at] === undefined ? [] : [[name, Number(numbers[at])] as const],
  );
  return { ...rest, ...Object.fromEntries(known) };
}

const BEFORE = "context_before";
const AFTER_MATCH = "context_after";

/** What other tools call the parameters of a search. */
const SEARCH_NAMES: Readonly<Record<string, readonly string[]>> = {
  ...{ context: [BEFORE, AFTER_MATCH], "-C": [BEFORE, AFTER_MATCH], C: [BEFORE, AFTER_MATCH] },
  ...{ before: [BEFORE], "-B": [BEFORE], B: [BEFORE] },
  ...{ after: [AFTER_MATCH], "-A": [AFTER_MATCH], A: [AFTER_MATCH] },
  ...{ "-i": ["ignore_case"], limit: ["max_results"] },
};
/** The same in the text of a query, as `count` or `-C 3, limit 5`. */
const SEARCH_WORDS =
  /(?:^|[\s,;])(?:(count|-c)|(?:--?)?(context|before|after|limit)[ =:]?(\d{1,6})|(-[ABC])[ =]?(\d{1,6}))(?=$|[\s,;])/g;

/** `count a|b`, which is no query: that has a pointer, another word of its language, or conditions. */
const COUNTED =
  /^\s*(?:count|-c)[ :]\s*(?!\/|(?:by|where|of|distinct|unique|sum|avg|min|max|sort|fields|select|limit|skip)\b)([^=<>~]+)$/;

/** The input of a search with the tool's own names for what was given. */
function asSearch(raw: unknown): unknown {
  const { given } = new ToolInput(raw, []);
  const [, counted] = COUNTED.exec(String(given["query"])) ?? [];
  if (given["pattern"] === undefined && counted === undefined) return raw;
  const { query, ...others } =
    given["pattern"] === undefined ? { ...given, pattern: counted, query: "count" } : given;
  const words: Record<string, unknown> = {};
  const take = (name: string, value: unknown): void => {
    for (const own of SEARCH_NAMES[name] ?? [name]) words[own] = value;
  };
  for (const [name, value] of Object.entries(others)) take(name, value);
  if (typeof query !== "string") return query === undefined ? words : { ...words, query };
  const rest = query.replace(
    SEARCH_WORDS,
    (_, count?: string, word?: string, most?: string, flag?: string, lines?: string) => {
      take(count === undefined ? (word ?? flag ?? "") : "count", count ? true : (most ?? lines));
      return "";
    },
  );
  // What is left says where to search.
  const place = rest
    .split(/[\s,;]+/)
    .filter((part) => part !== "")
    .join(" ");
  return place === ""
    ? words
    : { ...words, ...(POINTER.test(place) ? { pointer: place } : { query: place }) };
}

const POINTER = /^[/#$]\S*$/;

/** The input of a call of one of the five tools, in the parameters that they advertise. */
export function toFiveInput(tool: FiveToolName, given: NextCall["input"]): NextCall["input"] {
  const { start_line, end_line, start_char, end_char, literal, max_results, ...rest } = given;
  const isSearch = tool === "grep_knowledge";
  const { artifact_id, pattern, fields, limit, where, ...others } = rest;
  const to = end_line === undefined || end_line === start_line ? "" : `-${end_line as number}`;
  const line = start_line === undefined || !isSearch ? [] : [`line ${start_line as number}${to}`];
  const chars =
    start_char === undefined ? [] : [`chars ${start_char as number}-${String(end_char ?? "")}`];
  const most = max_results === undefined ? [] : [`limit ${max_results as number}`];
  const place = [...line, ...chars, ...most].join(" ");
  const isQuery = tool === "query_knowledge";
  const words = isQuery ? queryWords({ where, fields, limit }) : "";
  return {
    ...(artifact_id === undefined ? {} : { artifact_id }),
    ...(pattern === undefined ? {} : { pattern: inlinePattern(pattern as string, false, literal) }),
    ...(start_line === undefined || isSearch ? {} : { start_line }),
    ...(end_line === undefined || isSearch ? {} : { end_line }),
    ...(isQuery || limit === undefined ? {} : { limit }),
    ...others,
    ...(words === "" ? {} : { where: words }),
    ...(place === "" ? {} : { cursor: place }),
  };
}

/** Parameters of a search, as words of the compact tool's query. */
function searchWords(given: NextCall["input"] | Partial<NextCall["input"]>): string {
  const { context_before: before, context_after: after, max_results, count } = given;
  const words: [string, unknown][] =
    before === after
      ? [["context", before]]
      : [
          ["before", before],
          ["after", after],
        ];
  return [
    ...(count === true ? ["count"] : []),
    ...[...words, ["limit", max_results] as const].flatMap(([word, value]) =>
      value === undefined ? [] : [`${word} ${value as number}`],
    ),
  ].join(", ");
}

/** Parameters of a query, in its language. */
function queryWords({
  where,
  fields,
  limit,
  cursor,
}: NextCall["input"] | Partial<NextCall["input"]>): string {
  return [
    ...(where === undefined ? [] : [where as string]),
    ...(fields === undefined
      ? []
      : [`fields ${(fields as readonly string[]).map((name) => JSON.stringify(name)).join(" ")}`]),
    ...(limit === undefined ? [] : [`limit ${limit as number}`]),
    ...(cursor === undefined ? [] : [`skip ${cursor as string}`]),
  ].join(", ");
}

/** The input of a listing by metadata, with what is inside of its filter beside it. */
function withoutFilter(raw: unknown): unknown {
  const { given } = new ToolInput(raw, []);
  const { search_filter: filter, ...rest } = given;
  return filter === undefined ? rest : { ...new ToolInput(filter, []).given, ...rest };
}

/** The call that a call of the compact tool stands for: what is given says what is wanted. */
function toFiveCall(input: ToolInput): { tool: FiveToolName; input: object } {
  const { id, lines, query, ...rest } = input.given;
  const asked: Record<string, unknown> = {
    ...rest,
    ...(id === undefined ? {} : { artifact_id: id }),
    ...(query === undefined ? {} : { where: query }),
    ...(lines === undefined ? {} : parseLines(lines)),
  };
  const has = (...names: string[]) => names.some((name) => asked[name] !== undefined);
  const byLines = has("start_line", "end_line");
  const byWords = has("fields", "where", "distinct", "sum", "min", "max", "sort");
  const byQuery = byWords || has("pointer");
  if (has("pattern") && byWords) {
    throw rejected("query", "pattern", 'with pattern, query is a pointer, "count" or "context 3"');
  }
  if (byQuery && byLines && !has("pattern")) {
    throw rejected("query", "lines", "query reads JSON and tables, lines a part of the text");
  }
  if (!has("artifact_id") && (byLines || byQuery || has("start_char", "end_char"))) {
    const expected = "the id of a stored result; a call without arguments lists them";
    throw new InvalidArgumentError("id", undefined, expected);
  }
  if (has("pattern")) return { tool: "grep_knowledge", input: asked };
  if (byQuery) return { tool: "query_knowledge", input: asked };
  if (!has("artifact_id")) return { tool: "get_tool_result_offload_info", input: asked };
  if (byLines) {
    if (has("end_char") && has("end_line") && asked["start_line"] !== asked["end_line"]) {
      throw new InvalidArgumentError("lines", lines, 'one line, such as "7", with end_char');
    }
    return { tool: "get_knowledge_by_lines", input: { start_line: 1, ...asked } };
  }
  if (has("start_char", "end_char")) return { tool: "get_knowledge_by_id", input: asked };
  const isPage = has("cursor", "limit", "count");
  return { tool: isPage ? "query_knowledge" : "get_knowledge_by_id", input: asked };
}

function rejected(argument: string, other: string, why: string): InvalidArgumentError {
  const message = `Pass ${other} or ${argument}, not both: ${why}.`;
  return new InvalidArgumentError(argument, undefined, `given without ${other}`, message);
}

/** A line, or a range that may be open; negative lines count from the end. */
const LINES = /^(-?\d{1,15})(?:\s*(-|–|:|\.\.)\s*(-?\d{1,15})?)?$/;
/** Characters of a line or, without one, of the text. */
const CHARS = /(?:^|[\s,])chars?\s+(\d{1,15})(?:\s*-\s*(\d{1,15})?)?$/;
/** Where a list or a search of everything continues. */
const AFTER = /^after\s+(.+)$/s;

function parseLines(lines: unknown): Record<string, unknown> {
  const given = (
    typeof lines === "string" || typeof lines === "number" ? String(lines) : ""
  ).trim();
  const [, cursor] = AFTER.exec(given) ?? [];
  if (cursor !== undefined) return { cursor };
  const chars = CHARS.exec(given);
  if (chars !== null) {
    const [, from, to] = chars;
    const of = given.slice(0, chars.index).trim().replace(/,$/, "");
    const columns = {
      start_char: Number(from),
      ...(to === undefined ? {} : { end_char: Number(to) }),
    };
    const line = of === "" ? {} : parseLines(of);
    const { start_line } = line;
    return { ...(start_line === undefined ? {} : { end_line: start_line }), ...line, ...columns };
  }
  const [, start, dash, end] = LINES.exec(given) ?? [];
  if (start === undefined) {
    const expected = 'such as "10-40", "10" for one, "10-" to the end or "-50" for the last 50';
    throw new InvalidArgumentError("lines", lines, expected);
  }
  const start_line = Number(start);
  if (end !== undefined) return { start_line, end_line: Number(end) };
  // A line alone: to the end of what begins there. From the end, and with a dash: to the end of the text.
  return dash === undefined && start_line >= 0 ? { start_line } : { start_line, end_line: -1 };
}

/** The input of a call of the five tools, as the compact one takes it: in the parameters that it advertises. */
export function toCompactInput(given: NextCall["input"]): NextCall["input"] {
  const { artifact_id, start_line, end_line, start_char, end_char, pattern, ...others } = given;
  const { pointer, where, fields, limit, cursor, ignore_case, literal, ...more } = others;
  const { context_before, context_after, max_results, count, ...rest } = more;
  const isOneLine = end_line === start_line && start_char !== undefined;
  const range = isOneLine
    ? `${start_line as number}`
    : `${start_line as number}-${String(end_line ?? "")}`;
  const chars =
    start_char === undefined ? [] : [`chars ${start_char as number}-${String(end_char ?? "")}`];
  const isQuery =
    artifact_id !== undefined &&
    pattern === undefined &&
    start_line === undefined &&
    chars.length === 0;
  const lines = [
    ...(start_line === undefined ? [] : [range]),
    ...chars,
    ...(cursor === undefined || isQuery ? [] : [`after ${cursor as string}`]),
  ].join(" ");
  const place = (pointer as string | undefined) ?? "";
  const asked = isQuery
    ? queryWords({ where, fields, limit, cursor })
    : searchWords({ context_before, context_after, max_results, count });
  const text = place === "" || asked === "" ? place + asked : `${place} ${asked}`;
  return {
    ...(artifact_id === undefined ? {} : { id: artifact_id }),
    ...(lines === "" ? {} : { lines }),
    ...(pattern === undefined
      ? {}
      : { pattern: inlinePattern(pattern as string, ignore_case, literal) }),
    ...(text === "" ? {} : { query: text }),
    ...(isQuery || limit === undefined ? {} : { limit }),
    ...rest,
  };
}

/** A pattern that says itself that case does not count, or that it is plain text. */
function inlinePattern(pattern: string, ignoreCase: unknown, literal: unknown): string {
  const source = literal === true ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : pattern;
  return ignoreCase === true ? `(?i)${source}` : source;
}

/** All parameters that a tool accepts. */
export function parametersOf({ properties, alsoAccepts }: ReadingToolSpec): string[] {
  return [...new Set([...Object.keys(properties), ...alsoAccepts, "session_id"])];
}

/** The schema of a tool's input. Tools of one session do not advertise `session_id`. */
export function inputSchemaOf(
  { properties, required }: ReadingToolSpec,
  isBound: boolean,
): ToolInputSchema {
  const { session_id, ...others } = properties;
  const shown = session_id && !isBound ? properties : others;
  // A copy, since callers may add what their vendor needs to a schema.
  return structuredClone({
    type: "object",
    properties: shown,
    ...(required.length === 0 ? {} : { required: [...required] }),
  });
}

async function readLines({
  workspace,
  countLines,
  input,
  scope,
  printNext,
}: ReadingToolCall): Promise<RenderedAnswer> {
  const id = input.requiredText("artifact_id");
  const options = { ...scope, ...parseCharRange(input), view: parseView(input) };
  const isAlone =
    input.count("end_line") === undefined &&
    (input.count("start_line") ?? -1) > 0 &&
    !options.startChar &&
    !options.endChar;
  if (isAlone) {
    const reading = await workspace.getKnowledgeByLines(
      id,
      input.requiredCount("start_line"),
      undefined,
      options,
    );
    return renderReading(withoutCodes(reading), printNext);
  }
  const [start, end] = await resolveLineNumbers(input, () => countLines(id, options));
  const read = (from: number, maxChars: number) =>
    workspace.getKnowledgeByLines(id, from, end, { ...options, maxChars });
  const isRange = end > start && options.startChar === undefined && options.endChar === undefined;
  const reading = await (isRange
    ? readClipped(read, start, end, scope.maxChars)
    : read(start, scope.maxChars));
  return renderReading(withoutCodes(reading), printNext);
}

/** Lines without the codes of a terminal, each of which costs as much as a word; the raw view has them. */
function withoutCodes(reading: Reading): Reading {
  const { text, range, view, note } = reading;
  const plain = view === "raw" || range.unit !== "lines" ? text : withoutColors(text);
  if (plain === text) return reading;
  const said = "Color codes are left out.";
  return {
    ...reading,
    text: plain,
    note: note === undefined ? said : `${said} ${note}`,
  };
}

/** Of a longer line among others, only the start is shown. */
const LONG_LINE_CHARS = 2_000;
const CLIPPED_CHARS = 500;
const CUT_HERE = " [… cut here]";

/** Several lines, so that one that is very long does not take the place of the others. */
async function readClipped(
  read: (from: number, maxChars: number) => Promise<Reading>,
  start: number,
  end: number,
  maxChars: number,
): Promise<Reading> {
  const parts: string[] = [];
  const clipped: number[] = [];
  let room = maxChars;
  for (let from = start; ;) {
    const reading = await read(from, room);
    const last = Math.min(end, reading.range.of);
    const lines = reading.text.split("\n");
    const long = lines.findIndex((line) => line.length > LONG_LINE_CHARS);
    // A line that does not fit into what is left is a long one, too.
    const at = long === -1 && reading.leftOut?.unit === "chars" ? lines.length - 1 : long;
    if (at === -1 || last === start) return joined(reading, [...parts, ...lines], start, clipped);
    const above = lines.slice(0, at);
    const isFirst = above.length + parts.length === 0;
    const left = room - above.reduce((chars, line) => chars + line.length + 1, 0);
    const fits = left >= CLIPPED_CHARS + CUT_HERE.length;
    if (!fits && isFirst) return joined(reading, lines, start, clipped);
    // Where not even its start fits, the next call begins with it.
    const cut = fits ? [takeStart(lines[at] ?? "", CLIPPED_CHARS) + CUT_HERE] : [];
    if (fits) clipped.push(from + at);
    const shown = [...above, ...cut];
    parts.push(...shown);
    room -= shown.join("\n").length + 1;
    from += shown.length;
    if (fits && from <= last && room >= CLIPPED_CHARS) continue;
    const { artifactId: artifact_id, range, view } = reading;
    const raw = view === "raw" ? { view } : {};
    const input = { artifact_id, start_line: from, end_line: last, ...raw };
    const rest =
      from > last
        ? { leftOut: undefined, next: undefined }
        : {
            leftOut: { unit: "lines" as const, count: last - from + 1 },
            next: { tool: "get_knowledge_by_lines" as const, input },
          };
    const upTo = { ...reading, note: undefined, range: { ...range, to: from - 1 }, ...rest };
    return joined(upTo, parts, start, clipped);
  }
}

function joined(
  reading: Reading,
  parts: readonly string[],
  start: number,
  clipped: readonly number[],
): Reading {
  const read = { ...reading, text: parts.join("\n"), range: { ...reading.range, from: start } };
  if (clipped.length === 0) return read;
  const [first] = clipped;
  const which = clipped.length === 1 ? `Line ${first} is` : `Lines ${clipped.join(", ")} are`;
  const note = `${which} cut after ${CLIPPED_CHARS} characters: read one alone, from line ${first} to ${first}, to get all of it.`;
  return { ...read, note: reading.note === undefined ? note : `${note} ${reading.note}` };
}

function parseCharRange(input: ToolInput): {
  startChar: number | undefined;
  endChar: number | undefined;
} {
  return { startChar: input.count("start_char"), endChar: input.count("end_char") };
}

function parseView(input: ToolInput): View | undefined {
  return input.choice("view", ["readable", "raw"]);
}

/** The lines that a search is limited to. A line with a character of it is where an earlier answer stopped. */
async function parseSearchedLines(
  input: ToolInput,
  countLines: () => Promise<number>,
): Promise<{ readonly startLine?: number; readonly endLine?: number }> {
  const [from, to] = [input.count("start_line"), input.count("end_line")];
  if (from === undefined && to === undefined) return {};
  const isPlace =
    to === undefined || to === -1 || (to === from && input.count("start_char") !== undefined);
  const [startLine, endLine] = await resolveLineNumbers(input, countLines);
  return isPlace ? { startLine } : { startLine, endLine };
}

/** A line past every end: what exists is read. */
const TO_THE_END = Number.MAX_SAFE_INTEGER;

/** The lines that a call asks for. Without `end_line` it is the end; negative lines count from there. */
async function resolveLineNumbers(
  input: ToolInput,
  countLines: () => Promise<number>,
): Promise<[start: number, end: number]> {
  const start = input.count("start_line") ?? 1;
  const end =
    input.count("end_line") ?? (input.count("end_char") === undefined ? TO_THE_END : start);
  if (start >= 0 && end >= 0) return [start, end];
  // What is wrong is found again by the read itself, which says so.
  const lines = await countLines().catch(() => 1);
  const fromEnd = (line: number): number => (line < 0 ? Math.max(1, lines + 1 + line) : line);
  return [fromEnd(start), fromEnd(end)];
}
