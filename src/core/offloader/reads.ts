import { DEFAULTS } from "../defaults.js";
import type { FormatResult, ToolResult } from "../engine/format.js";
import { fromJson } from "../lib/json/plain-json.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import {
  COMPACT_TOOL,
  nameTools,
  type ToolName,
  type ToolNaming,
} from "../workspace/reading/reading.js";
import { parametersOf, READING_TOOLS } from "../workspace/tools/reading-tools.js";

/** What a call of a reading tool reads: one artifact, or what needs no id. */
export interface ReadingCall {
  readonly artifactId: string | undefined;
}

/** Reads calls of the reading tools; `undefined` for those of any other tool. */
export interface ReadingCalls {
  read(name: string, input: unknown): ReadingCall | undefined;
  /** For a result whose call is not in the history: without an input, the name is all there is to go by. */
  guess(toolName: string | undefined, input?: unknown): ReadingCall | undefined;
}

/** The list, and a search over everything. */
const NEED_NO_ID: ReadonlySet<ToolName> = new Set<ToolName>([
  "get_tool_result_offload_info",
  "grep_knowledge",
  COMPACT_TOOL,
]);

const PARAMETERS: ReadonlySet<string> = new Set(parametersOf(READING_TOOLS[COMPACT_TOOL]));

const NO_ID: ReadingCall = { artifactId: undefined };

/** The tools cap what they return; what is much longer was returned by another tool of that name. */
const MAX_SHARE = 2;

export function createReadingCalls(naming: ToolNaming): ReadingCalls {
  const tools = new Map(nameTools(naming, "all").map(({ tool, name }) => [name, tool]));
  const read: ReadingCalls["read"] = (name, input) => {
    const tool = tools.get(name);
    return tool && readCall(tool, input);
  };
  return {
    read,
    guess(toolName, input) {
      if (toolName === undefined || !tools.has(toolName)) return undefined;
      return input === undefined ? NO_ID : read(toolName, input);
    },
  };
}

function readCall(tool: ToolName, input: unknown): ReadingCall | undefined {
  const given = Object(fromJson(input)) as Readonly<Record<string, unknown>>;
  const isGiven = (name: string) => textOf(given[name]) !== undefined;
  const { required } = READING_TOOLS[tool];
  if (!required.every((name) => name === "artifact_id" || isGiven(name))) return undefined;
  const id = tool === COMPACT_TOOL ? textOf(given["id"]) : undefined;
  const artifactId = id ?? textOf(given["artifact_id"]);
  if (artifactId !== undefined) return { artifactId };
  // It needs nothing at all, so that what it is called with must not be for another tool of its name.
  if (tool === COMPACT_TOOL && !Object.keys(given).every((name) => PARAMETERS.has(name))) {
    return undefined;
  }
  return NEED_NO_ID.has(tool) ? NO_ID : undefined;
}

/** As tolerant as the tools themselves: a number is accepted, and an empty string counts as missing. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Lists a session, as a workspace does. */
export type ListSession = (sessionId: string) => Promise<SessionListing>;

/**
 * Which of the results are answers of the reading tools: the call has one of their names, and reads
 * an artifact that the session or one of its children holds, or held, or needs no id.
 */
export async function findReadingAnswers<
  Result extends ToolResult & { readonly reading?: ReadingCall | undefined },
>(
  results: readonly Result[],
  session: SessionListing,
  listSession: ListSession,
  readChars: number = DEFAULTS.readChars,
): Promise<ReadonlySet<Result>> {
  const maxChars = MAX_SHARE * Math.max(readChars, DEFAULTS.readChars);
  const answers = new Set<Result>();
  const asked = new Map<string, Result[]>();
  for (const result of results) {
    const { reading, soleText, chars } = result;
    if (!reading || (soleText?.length ?? chars) > maxChars) continue;
    const { artifactId } = reading;
    if (artifactId === undefined || isKnown(session, artifactId)) answers.add(result);
    else asked.set(artifactId, [...(asked.get(artifactId) ?? []), result]);
  }
  // A set that grows while it is iterated also reaches the children's children.
  const children = new Set(session.children);
  for (const child of children) {
    if (asked.size === 0) break;
    const listing = await listSession(child);
    for (const grandchild of listing.children) children.add(grandchild);
    for (const [artifactId, found] of asked) {
      if (!isKnown(listing, artifactId)) continue;
      for (const result of found) answers.add(result);
      asked.delete(artifactId);
    }
  }
  return answers;
}

/** What was removed since was read while it was there. */
function isKnown({ artifacts, removed }: SessionListing, artifactId: string): boolean {
  // The tools accept blanks around an id.
  const ids = [artifactId, artifactId.trim()];
  return ids.some((id) => artifacts.has(id) || removed.has(id));
}

/** A call of the history. */
export interface Call {
  readonly id: string | undefined;
  readonly name: string;
  /** What it reads, if it is a call of a reading tool. */
  readonly reading: ReadingCall | undefined;
  /** What tells it from other calls. */
  readonly mark: string;
  /** Its name and input, if it is a call of a reading tool. */
  readonly said?: string | undefined;
  /** What its input says, as far as a digest of the result looks at it. */
  readonly about?: string | undefined;
}

/** The calls of a history, to find the one that a result answers. */
export class CallIndex<C extends Pick<Call, "id" | "name"> = Call> {
  readonly #byId = new Map<string, C>();
  /** Some vendors give calls no id; they are answered by name, in their order. */
  readonly #openByName = new Map<string, C[]>();

  /** The last call of an id counts: ids are used again. */
  add(calls: readonly C[]): void {
    for (const call of calls) {
      if (call.id !== undefined) this.#byId.set(call.id, call);
      else {
        const open = this.#openByName.get(call.name) ?? [];
        open.push(call);
        this.#openByName.set(call.name, open);
      }
    }
  }

  /** The call that a result answers. One without an id is answered once. */
  answeredBy({ id, toolName }: Pick<FormatResult, "id" | "toolName">): C | undefined {
    if (id !== undefined) return this.#byId.get(id);
    return toolName === undefined ? undefined : this.#openByName.get(toolName)?.shift();
  }
}
