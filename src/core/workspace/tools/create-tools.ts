import type { ToolDescription } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { quoteSome } from "../../lib/text/quote.js";
import type { NextCall } from "../reading/reading.js";
import type { Workspace } from "../workspace-types.js";
import { explainError } from "./explain-error.js";
import { inputSchemaOf, parametersOf, READING_TOOLS } from "./reading-tools.js";
import { ToolInput } from "./tool-input.js";
import { nameTools, type ToolNaming } from "./tool-naming.js";

/** Whether a session may see another one. */
export type CanSee = (sessionId: string, other: string) => Promise<boolean>;

/** What the tools are limited to. */
interface ToolLimits {
  readonly sessionId: string | undefined;
  readonly readChars: number;
}

const ABORTED = "ABORTED: The call was aborted before it had an answer.";
const SHOWN_PARAMETERS = 5;

/** The reading tools, under the agent's own names for them. They return errors as answers rather than throw. */
export function createTools(
  workspace: Workspace,
  naming: ToolNaming,
  canSee: CanSee,
  { sessionId, readChars }: ToolLimits,
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
        const kept = readRepeated(input, ["session_id", ...(spec.repeats ?? [])]);
        const scope = { sessionId: asked, signal, maxChars: readChars };
        const { text, data } = await spec.run({ workspace, input, naming, kept, scope });
        return { text: note + text, isError: false, ...(withData ? { data } : {}) };
      } catch (error) {
        const text = signal?.aborted ? ABORTED : explainError(error);
        return { text: note === "" ? text : `${text}\n${note.trimEnd()}`, isError: true };
      }
    };
    const inputSchema = inputSchemaOf(spec, sessionId !== undefined);
    return { name, description: spec.description, inputSchema, execute };
  });
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

function readRepeated(input: ToolInput, names: readonly string[]): NextCall["input"] {
  const given = names.map((name) => [name, input.text(name)] as const);
  return Object.fromEntries(given.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
