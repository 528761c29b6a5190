import { fitMembers, tear, type Fitted, type JsonMember } from "./json-fit.js";
import { isContainer } from "./json-kind.js";
import { bracketsCost, lineCost, nest, wrap } from "./json-layout.js";
import { firstMembers } from "./json-members.js";
import { renderNote, renderWhole, type JsonPiece, type RenderContext } from "./json-render.js";

/** An item of an array; with `picked`, only these of its members are wanted. */
export interface JsonItem {
  readonly piece: JsonPiece;
  readonly picked?: readonly JsonMember[];
}

/** An array of the items that fit whole, in their order; a first one that does not fit is cut. */
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

/** The item with its long members as notes; a note itself where not even one of them fits. */
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
