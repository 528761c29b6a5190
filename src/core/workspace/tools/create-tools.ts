import type { ToolDescription } from "../../engine/format.js";
import { InvalidArgumentError, OutOfRangeError } from "../../errors/argument-errors.js";
import { ContextOffloadError, type ErrorCode } from "../../errors/context-offload-error.js";
import { countOf } from "../../lib/text/printable.js";
import { quoteSome } from "../../lib/text/quote.js";
import { linesOf, type LineRange } from "../ledger/line-ranges.js";
import type { CountLines } from "../reading/open-text.js";
import { COMPACT_TOOL, nameTools, type Reading, type ToolName } from "../reading/reading.js";
import type { NoticeOptions } from "../reference/knowledge-list.js";
import type { PlainWorkspace } from "../workspace-types.js";
import {
  READING_TOOLS,
  inputSchemaOf,
  parametersOf,
  pickInput,
  resolveCall,
  toCompactInput,
  toFiveInput,
  type PrintNext,
  type RenderedAnswer,
} from "./reading-tools.js";

/**
 * The text for an agent's system prompt that explains references. It is part of every request, so it
 * says once what a reference need not repeat, and little that the tools' descriptions say. A
 * reference that is read by path explains itself.
 */
export function systemPrompt({ readBy, toolNames, readingTools = "five" }: NoticeOptions): string {
  if (readBy === "path") return "";
  const named = readBy === "none" ? [] : nameTools(toolNames, readingTools);
  const uses = named.flatMap(({ tool, name }) => {
    const { use } = READING_TOOLS[tool];
    return use === undefined ? [] : [`; ${name} ${use}`];
  });
  return (
    "A <knowledge_list> replaces a stored tool result: its numbered lines are exact quotations " +
    `to rely on${uses.join("")}.`
  );
}

/** Whether a session may see another one. */
export type CanSee = (sessionId: string, other: string) => Promise<boolean>;

/** What the tools are limited to, and what they need besides the workspace. */
interface ToolLimits {
  readonly canSee: CanSee;
  readonly countLines: CountLines;
  /** Told of each call and its answer, with the artifact that was asked for. */
  readonly noteRead: (
    sessionId: string | undefined,
    artifactId: string | undefined,
    texts: readonly [call: string, answer: string],
    lines: readonly LineRange[],
  ) => void;
  readonly sessionId: string | undefined;
  readonly readChars: number;
}

const ABORTED = "ABORTED: The call was aborted before it had an answer.";
const SHOWN_PARAMETERS = 5;

/** The reading tools, under the agent's own names for them. They return errors as answers rather than throw. */
export function createTools(
  workspace: PlainWorkspace,
  { toolNames, readingTools = "five" }: NoticeOptions,
  { sessionId, readChars, canSee, countLines, noteRead }: ToolLimits,
): ToolDescription[] {
  return nameTools(toolNames, readingTools).map(({ tool, name }) => {
    const isCompact = tool === COMPACT_TOOL;
    const execute: ToolDescription["execute"] = async (raw, { signal, withData = false } = {}) => {
      let note = "";
      let wanted: string | undefined;
      const called = callText(name, raw);
      try {
        const { input, ignored, run } = resolveCall(tool, raw);
        note = noteOf(ignored);
        wanted = input.text("artifact_id");
        const asked = await narrowSession(canSee, sessionId, input.text("session_id"));
        const kept = pickInput(input, ["session_id"]);
        const printNext: PrintNext = (next) => {
          const nextName = isCompact ? name : (toolNames[next.tool] ?? next.tool);
          if (nextName === false) return "";
          const given = { ...next.input, ...kept };
          const input = isCompact ? toCompactInput(given) : toFiveInput(next.tool, given);
          return `Next: ${nextName}(${JSON.stringify(input)})`;
        };
        const { text, data } = await fit(readChars, note, (maxChars) => {
          const scope = { sessionId: asked, signal, maxChars };
          return run({ workspace, countLines, input, printNext, scope });
        });
        noteRead(sessionId, wanted, [called, text], linesOf(data as Partial<Reading>));
        return { text, isError: false, ...(withData ? { data } : {}) };
      } catch (error) {
        const message = signal?.aborted ? ABORTED : explainError(error, tool);
        const text = note === "" ? message : `${message}\n${note.trimEnd()}`;
        // The model pays for it as well. Whether its session has such a result is another question.
        noteRead(sessionId, sessionId === undefined ? wanted : undefined, [called, text], []);
        return { text, isError: true };
      }
    };
    const spec = READING_TOOLS[tool];
    const inputSchema = inputSchemaOf(spec, sessionId !== undefined);
    return { name, description: spec.description, inputSchema, execute };
  });
}

/** What a call takes; a model passes nothing that has no JSON. */
function callText(name: string, raw: unknown): string {
  try {
    return `${name} ${JSON.stringify(raw ?? {})}`;
  } catch {
    return name;
  }
}

/** By how much an answer may be longer if nothing is missing then. */
const SLACK = 0.1;

/**
 * An answer of at most `maxChars` characters, including everything around it: if that is too long,
 * less is read. A little more is read if that completes it, since another call would cost more. At least half of the room is for what is read, or a model could not get on.
 */
async function fit(
  maxChars: number,
  note: string,
  read: (maxChars: number) => Promise<RenderedAnswer>,
): Promise<{ readonly text: string; readonly data: unknown }> {
  const render = ({ body, footing }: RenderedAnswer): string =>
    note + [body, footing].filter((part) => part !== "").join("\n");
  const most = Math.floor(maxChars * (1 + SLACK));
  const all = await read(most);
  const whole = render(all);
  const isComplete = all.footing === "" && whole.length <= most;
  if (isComplete || whole.length <= maxChars) return { text: whole, data: all.data };
  for (let room = maxChars; ;) {
    const answer = await read(room);
    const text = render(answer);
    const left = maxChars - (text.length - answer.body.length);
    const nextRoom = Math.max(left, Math.ceil(maxChars / 2));
    if (text.length <= maxChars || nextRoom >= room) return { text, data: answer.data };
    room = nextRoom;
  }
}

/** Before the answer, since a continuation call must stand at its end. */
function noteOf(ignored: readonly string[]): string {
  if (ignored.length === 0) return "";
  return `[Ignored, not a parameter: ${quoteSome(ignored, SHOWN_PARAMETERS)}]\n`;
}

/** A model may name any session that it may see; for all others, the answer does not reveal whether they exist. */
async function narrowSession(
  canSee: CanSee,
  bound: string | undefined,
  asked: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined || bound === undefined || asked === bound) return asked ?? bound;
  if (await canSee(bound, asked)) return asked;
  const expected = "omitted, or a session whose results can be read from here";
  throw new InvalidArgumentError("session_id", asked, expected);
}

const UNREADABLE =
  "The stored result cannot be read at the moment, or its content is damaged. Try once more; if that fails too, run the tool that returned it again.";

/** The errors whose messages are for the host: they tell paths, and what the system said. */
const FOR_THE_HOST: Partial<Record<ErrorCode, string>> = {
  READ_FAILED: UNREADABLE,
  WRITE_FAILED: UNREADABLE,
  UNSAFE_PATH: UNREADABLE,
  STORE_UNREACHABLE: UNREADABLE,
  PACKAGE_MISSING: UNREADABLE,
  KEY_MISSING: UNREADABLE,
};

/** An error as a model gets it. The host's logger gets the whole message. */
export function explainError(error: unknown, tool?: ToolName): string {
  if (!ContextOffloadError.isInstance(error)) return `FAILED: ${UNREADABLE}`;
  const { code, message } = error;
  const isCompact = tool === COMPACT_TOOL;
  const shown = (isCompact && describeLines(error)) || nameParameters(message, isCompact);
  return `${code}: ${FOR_THE_HOST[code] ?? shown}`;
}

/** The compact tool has one parameter for both ends of a range. */
function describeLines(error: ContextOffloadError): string | undefined {
  if (!(error instanceof OutOfRangeError) || error.range.unit !== "line") return undefined;
  const { count, owner } = error.range;
  if (count === 0) return `These lines do not exist: ${owner} is empty.`;
  const right = count === 1 ? '"1"' : `within "1-${count}"`;
  return `These lines do not exist: ${owner} has ${countOf(count, "line")}. Pass lines ${right}.`;
}

/** Text in quotes, the argument that a message begins with, or a name of several words. */
const QUOTED_OR_NAME =
  /^[a-z]+(?= must be )|"[^"\\]*(?:\\[^][^"\\]*)*"?|\b[a-z]+(?:[A-Z][A-Za-z]*|_[a-z_]+)/g;

/** What the compact tool calls the parameters of the others. */
const COMPACT_NAMES: Readonly<Record<string, string>> = {
  artifact_id: "id",
  start_line: "lines",
  end_line: "lines",
  pointer: "query",
  where: "query",
};

/** Errors name the options of the methods; a model knows the parameters of the tools. Values are quoted. */
function nameParameters(message: string, isCompact: boolean): string {
  return message.replace(QUOTED_OR_NAME, (part) => {
    const name = snakeCase(part);
    if (!PARAMETERS.has(name)) return part;
    return isCompact ? (COMPACT_NAMES[name] ?? name) : name;
  });
}

const PARAMETERS: ReadonlySet<string> = new Set(Object.values(READING_TOOLS).flatMap(parametersOf));

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
