import { decodeWtf8 } from "../text/wtf8.js";
import { JsonChildWindow, type WindowOptions } from "./json-child-window.js";
import type { JsonMember } from "./json-fit.js";
import { decodeKey } from "./json-key.js";
import { locatePath } from "./json-locate.js";
import type { JsonChild } from "./json-path-tracker.js";
import { isReadable, type JsonPiece, type RenderContext } from "./json-render.js";

/** What is shown of a key that is longer than all that may be said. */
const LONG_KEY_BYTES = 240;

/**
 * The members of a container from what a walk found in it, each read when its turn comes.
 * @param first - The index of the first.
 */
export async function* membersOf(
  context: RenderContext,
  parent: Pick<JsonPiece, "kind" | "tokens">,
  children: readonly JsonChild[],
  first: number,
): AsyncGenerator<JsonMember> {
  for (const [index, child] of children.entries()) {
    const { start, end, kind } = child;
    const name =
      parent.kind === "array"
        ? { label: "", token: String(first + index) }
        : await readKey(context, child);
    const { token } = name;
    const tokens =
      parent.tokens === undefined || token === undefined ? undefined : [...parent.tokens, token];
    yield { label: name.label, piece: { start, end, kind, tokens } };
  }
}

/** The first members of a container that stands in the source, and how many it has. */
export async function firstMembers(
  context: RenderContext,
  piece: JsonPiece,
): Promise<{ members: AsyncIterable<JsonMember>; of: number }> {
  const options: WindowOptions = { offset: 0, limit: () => context.maxChars };
  const window = new JsonChildWindow(options);
  await locatePath(context.source, [], { children: window, signal: context.signal, range: piece });
  return { members: membersOf(context, piece, window.kept, 0), of: window.count };
}

async function readKey(
  context: RenderContext,
  { keyStart, keyEnd }: JsonChild,
): Promise<{ label: string; token: string | undefined }> {
  const { source } = context;
  if (isReadable(context, keyStart, keyEnd)) {
    const raw = await source.read(keyStart, keyEnd);
    return { label: `"${decodeWtf8(raw)}": `, token: decodeKey(raw) };
  }
  const head = decodeWtf8(await source.read(keyStart, keyStart + LONG_KEY_BYTES));
  return { label: `${JSON.stringify(`${head}…`)}: `, token: undefined };
}
