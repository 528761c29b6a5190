import type { JsonChild, JsonChildren } from "./json-path-tracker.js";
import { bracketsCost, isContainer, lineCost, nest, wrap } from "./json-layout.js";
import { decodeKey } from "./json-keys.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { fitMembers, tear, type Fitted, type JsonMember } from "./json-fit.js";
import {
  isReadable,
  renderNote,
  renderWhole,
  type JsonPiece,
  type RenderContext,
} from "./json-render.js";
import { locatePath } from "./json-locate.js";

export interface WindowOptions {
  /** How many children to skip. */
  readonly offset: number;
  /** How many to keep, depending on whether they have keys, since arrays have a smaller default. */
  readonly limit: (hasKeys: boolean) => number;
}

/** Keeps the children of a window and counts them all. */
export class JsonChildWindow implements JsonChildren {
  readonly #options: WindowOptions;
  #kept: JsonChild[] = [];
  #count = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  get kept(): readonly JsonChild[] {
    return this.#kept;
  }

  get count(): number {
    return this.#count;
  }

  reset(): void {
    this.#kept = [];
    this.#count = 0;
  }

  add(child: JsonChild): void {
    this.#count += 1;
    const { offset, limit } = this.#options;
    // A key follows a quote, so none begins at byte 0.
    const isInside = this.#count > offset && this.#kept.length < limit(child.keyStart > 0);
    if (isInside) this.#kept.push(child);
  }
}

/** An item of an array; with `picked`, only these of its members are wanted. */
export interface JsonItem {
  readonly piece: JsonPiece;
  readonly picked?: readonly JsonMember[];
}

/** An array of the items that fit whole, in order; if the first one does not fit, it is cut. */
export async function fitItems(
  context: RenderContext,
  items: AsyncIterable<JsonItem>,
): Promise<Fitted> {
  const { maxChars } = context;
  const lines: string[] = [];
  let spent = bracketsCost(0);
  let leftChars = 0;
  for await (const item of items) {
    const budget = maxChars - spent - lineCost(0);
    const whole = await wholeItem(context, item, budget);
    if (whole !== undefined) lines.push(whole);
    else if (lines.length > 0) break;
    else {
      const cut = await cutItem(context, item, budget);
      lines.push(cut.text);
      leftChars = cut.leftChars;
      break;
    }
    spent += lineCost(0) + whole.length;
  }
  const text = wrap("array", lines, 0);
  return tear({ text, taken: lines.length, leftChars, isTorn: false }, maxChars);
}

async function wholeItem(
  context: RenderContext,
  { piece, picked }: JsonItem,
  budget: number,
): Promise<string | undefined> {
  const text =
    picked === undefined
      ? await renderWhole(context, piece, budget)
      : await wholePick(context, picked, budget);
  const nested = text === undefined ? undefined : nest(text, 1);
  return nested !== undefined && nested.length <= budget ? nested : undefined;
}

async function wholePick(
  context: RenderContext,
  members: readonly JsonMember[],
  budget: number,
): Promise<string | undefined> {
  const lines: string[] = [];
  for (const { label, piece } of members) {
    const value = await renderWhole(context, piece, budget);
    if (value === undefined) return undefined;
    lines.push(label + nest(value, 1));
  }
  return wrap("object", lines, 0);
}

/** The item with its long members as notes; only a note if not even one of them fits. */
async function cutItem(
  context: RenderContext,
  { piece, picked }: JsonItem,
  budget: number,
): Promise<{ text: string; leftChars: number }> {
  if (isContainer(piece.kind)) {
    const inside =
      picked === undefined
        ? { kind: piece.kind, ...(await firstMembers(context, piece)) }
        : { kind: "object" as const, members: picked, of: picked.length };
    const fitted = await fitMembers(context, { ...inside, budget, level: 1 });
    if (!fitted.isTorn) return fitted;
  }
  const note = await renderNote(context, piece);
  return { text: note.text, leftChars: note.chars };
}

/** How much is shown of a key that is longer than the whole answer may be. */
const LONG_KEY_BYTES = 240;

/**
 * The members of a container from what a walk found in it, each read on demand.
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

/** The first members of a container in the source, and how many it has. */
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
