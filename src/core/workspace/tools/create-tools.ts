import type { ToolDescription } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ContextOffloadError, type ErrorCode } from "../../errors/context-offload-error.js";
import { quoteSome } from "../../lib/text/quote.js";
import type { CountLines } from "../reading/open-text.js";
import { nameTools, type NextCall, type ToolNaming } from "../reading/reading.js";
import type { NoticeOptions } from "../reference/knowledge-list.js";
import type { PlainWorkspace } from "../workspace-types.js";
import {
  READING_TOOLS,
  inputSchemaOf,
  parametersOf,
  type RenderedAnswer,
  ToolInput,
} from "./reading-tools.js";

/**
 * The text for an agent's system prompt that explains references. It is part of every request, so it
 * says once what a reference need not repeat, and little that the tools' descriptions say. A
 * reference that is read by path explains itself.
 */
export function systemPrompt({ readBy, toolNames }: NoticeOptions): string {
  if (readBy === "path") return "";
  const start =
    "Long tool results are stored; a <knowledge_list> with artifact_id and digest replaces each. " +
    "A digest is an automatic preview: do not answer from it alone.";
  if (readBy === "none") return start;
  const uses = nameTools(toolNames).flatMap(({ tool, name }) => {
    const { use } = READING_TOOLS[tool];
    return use === undefined ? [] : [`${name} ${use}`];
  });
  return uses.length === 0 ? start : `${start} Read only what you need: ${uses.join(", ")}.`;
}

/** Whether a session may see another one. */
export type CanSee = (sessionId: string, other: string) => Promise<boolean>;

/** What the tools are limited to, and what they need besides the workspace. */
interface ToolLimits {
  readonly canSee: CanSee;
  readonly countLines: CountLines;
  readonly sessionId: string | undefined;
  readonly readChars: number;
}

const ABORTED = "ABORTED: The call was aborted before it had an answer.";
const SHOWN_PARAMETERS = 5;

/** The reading tools, under the agent's own names for them. They return errors as answers rather than throw. */
export function createTools(
  workspace: PlainWorkspace,
  naming: ToolNaming,
  { sessionId, readChars, canSee, countLines }: ToolLimits,
): ToolDescription[] {
  return nameTools(naming).map(({ tool, name }) => {
    const spec = READING_TOOLS[tool];
    const known = parametersOf(spec);
    const execute: ToolDescription["execute"] = async (raw, { signal, withData = false } = {}) => {
      let note = "";
      try {
        const input = new ToolInput(raw, known);
        note = noteOf(input.ignored);
        const asked = await narrowSession(canSee, sessionId, input.text("session_id"));
        const kept = pickInput(input, ["session_id", ...(spec.repeats ?? [])]);
        const { text, data } = await fit(readChars, note, (maxChars) => {
          const scope = { sessionId: asked, signal, maxChars };
          return spec.run({ workspace, countLines, input, naming, kept, scope });
        });
        return { text, isError: false, ...(withData ? { data } : {}) };
      } catch (error) {
        const text = signal?.aborted ? ABORTED : explainError(error);
        return { text: note === "" ? text : `${text}\n${note.trimEnd()}`, isError: true };
      }
    };
    const inputSchema = inputSchemaOf(spec, sessionId !== undefined);
    return { name, description: spec.description, inputSchema, execute };
  });
}

/**
 * An answer of at most `maxChars` characters, including everything around it: if that is too long,
 * less is read. At least half of the room is for what is read, or a model could not get on.
 */
async function fit(
  maxChars: number,
  note: string,
  read: (maxChars: number) => Promise<RenderedAnswer>,
): Promise<{ readonly text: string; readonly data: unknown }> {
  for (let room = maxChars; ;) {
    const { body, footing, data } = await read(room);
    const text = note + [body, footing].filter((part) => part !== "").join("\n");
    const left = maxChars - (text.length - body.length);
    const nextRoom = Math.max(left, Math.ceil(maxChars / 2));
    if (text.length <= maxChars || nextRoom >= room) return { text, data };
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

function pickInput(input: ToolInput, names: readonly string[]): NextCall["input"] {
  const given = names.map((name) => [name, input.text(name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
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
export function explainError(error: unknown): string {
  if (!ContextOffloadError.isInstance(error)) return `FAILED: ${UNREADABLE}`;
  const { code, message } = error;
  return `${code}: ${FOR_THE_HOST[code] ?? nameParameters(message)}`;
}

/** Text in quotes, or a name of several words. */
const QUOTED_OR_NAME = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\b[a-z]+[A-Z][A-Za-z]*/g;

/** Errors name the options of the methods; a model knows the parameters of the tools. Values are quoted. */
function nameParameters(message: string): string {
  return message.replace(QUOTED_OR_NAME, (part) =>
    PARAMETERS.has(snakeCase(part)) ? snakeCase(part) : part,
  );
}

const PARAMETERS: ReadonlySet<string> = new Set(Object.values(READING_TOOLS).flatMap(parametersOf));

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
