import type { ToolDescription } from "../../engine/format.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import type { NextCall } from "../reading/reading.js";
import type { ToolsOptions, Workspace } from "../workspace-types.js";
import { explainError } from "./explain-error.js";
import { READING_TOOLS } from "./reading-tools.js";
import { ToolInput } from "./tool-input.js";
import { nameTools, type ToolNaming } from "./tool-naming.js";

/** Whether a session may see another one. */
export type CanSee = (sessionId: string, other: string) => Promise<boolean>;

const ABORTED = "ABORTED: The call was aborted before it had an answer.";

/** The reading tools, under the agent's own names for them. They return errors as answers rather than throw. */
export function createTools(
  workspace: Workspace,
  naming: ToolNaming,
  canSee: CanSee,
  { sessionId }: ToolsOptions,
): ToolDescription[] {
  return nameTools(naming).map(({ tool, name }) => {
    const { description, inputSchema, run, repeats = [] } = READING_TOOLS[tool];
    const execute: ToolDescription["execute"] = async (raw, { signal } = {}) => {
      try {
        const input = new ToolInput(raw, Object.keys(inputSchema.properties));
        const asked = await narrowSession(canSee, sessionId, input.text("session_id"));
        const kept = readRepeated(input, ["session_id", ...repeats]);
        const scope = { sessionId: asked, signal };
        return { text: await run({ workspace, input, naming, kept, scope }), isError: false };
      } catch (error) {
        return { text: signal?.aborted ? ABORTED : explainError(error), isError: true };
      }
    };
    // A copy, since callers may add what their vendor needs to a schema.
    return { name, description, inputSchema: structuredClone(inputSchema), execute };
  });
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
