import { ArgumentError, requireWhole } from "../argument-error.js";
import type { ByteSource } from "../text/byte-source.js";
import { readAhead } from "./byte-stream.js";
import { readCharacters } from "./json-characters.js";
import { fitItems, JsonChildWindow, type JsonItem, membersOf } from "./json-window.js";
import { describePlace, FieldPicker, parseFields } from "./json-fields.js";
import { fitMembers, type FitRequest, type Fitted, type JsonMember } from "./json-fit.js";
import { isContainer, type JsonKind } from "./json-layout.js";
import { locatePath } from "./json-locate.js";
import { JsonPointerError } from "./json-errors.js";
import { formatPointer, parsePointer } from "./json-pointer.js";
import { stretchOf, type JsonPiece, type RenderContext } from "./json-render.js";

export interface JsonQuery {
  /** Which value. Default: the whole. */
  readonly pointer?: string | undefined;
  /** Maximum number of items or members. Default: `arrayLimit` items, or as many members as fit. */
  readonly limit?: number | undefined;
  readonly arrayLimit: number;
  /** Only these fields of an object, or of each object in an array: keys, `/a/b` or `a.b`. */
  readonly fields?: readonly string[] | undefined;
  /** How many items, members or characters of a string to skip. */
  readonly offset?: number | undefined;
  /** Maximum length of the text. */
  readonly maxChars: number;
  readonly signal?: AbortSignal | undefined;
}

export interface JsonReading {
  readonly text: string;
  readonly kind: JsonKind;
  /** Which items of an array or members of an object these are, from 1, both ends included. */
  readonly items?: { readonly from: number; readonly to: number; readonly of: number };
  /** What was left out: items after these, and characters of a cut text or of values shown as a note. */
  readonly leftOut?: { readonly items?: number; readonly chars?: number };
  /** The offset to continue with. */
  readonly nextOffset?: number;
}

/** Reads one value of JSON content, or a window of its items, in bounded memory. */
export async function queryJson(source: ByteSource, query: JsonQuery): Promise<JsonReading> {
  const { signal, fields } = query;
  const maxChars = requireWhole("maxChars", query.maxChars, 1);
  const offset = requireWhole("offset", query.offset ?? 0, 0);
  const limit = query.limit === undefined ? undefined : requireWhole("limit", query.limit, 1);
  const tokens = parsePointer(query.pointer ?? "");
  const picks = fields === undefined || fields.length === 0 ? undefined : parseFields(fields);
  const context: RenderContext = { source: readAhead(source), maxChars, signal };

  const most = (hasKeys: boolean): number =>
    // An item takes at least one character, so more of them could not be shown.
    Math.min(limit ?? (hasKeys ? maxChars : query.arrayLimit), maxChars);
  const window = new JsonChildWindow({ offset, limit: most });
  const located = await locatePath(source, tokens, { children: window, signal });
  if (!located.found) throw new JsonPointerError(formatPointer(tokens), located);
  const { start, end, kind } = located;
  const piece: JsonPiece = { start, end, kind, tokens };
  const picker = picks && new FieldPicker(context, picks);

  if (!isContainer(kind)) {
    await picker?.requireFound(describePlace(tokens));
    return readScalar(context, piece, offset);
  }
  if (kind === "object" && picker !== undefined) {
    const picked = await picker.pick(piece);
    await picker.requireFound(describePlace(tokens));
    const members = picked.slice(offset, limit === undefined ? undefined : offset + limit);
    requireInside(offset, picked.length, "fields");
    return toReading(kind, await fitObject(context, members), offset, picked.length);
  }
  requireInside(offset, window.count, kind === "array" ? "items" : "members");
  const members = membersOf(context, piece, window.kept, offset);
  if (kind === "object") {
    return toReading(kind, await fitObject(context, members), offset, window.count);
  }
  const fitted = await fitItems(context, itemsOf(members, picker));
  if (picker !== undefined && window.count > 0) {
    const rest = fitted.taken === window.count ? undefined : piece;
    await picker.requireFound(describePlace(tokens), rest, located.isSequence);
  }
  return toReading(kind, fitted, offset, window.count);
}

async function* itemsOf(
  members: AsyncIterable<JsonMember>,
  picker: FieldPicker | undefined,
): AsyncGenerator<JsonItem> {
  for await (const { piece } of members) {
    if (picker === undefined || !isContainer(piece.kind)) yield { piece };
    else yield { piece, picked: await picker.pick(piece) };
  }
}

function fitObject(context: RenderContext, members: FitRequest["members"]): Promise<Fitted> {
  return fitMembers(context, { kind: "object", members, budget: context.maxChars, level: 0 });
}

async function readScalar(
  { source, maxChars, signal }: RenderContext,
  piece: JsonPiece,
  offset: number,
): Promise<JsonReading> {
  const stretch = stretchOf(piece);
  const { text, total } = await readCharacters(source, stretch, offset, maxChars, signal);
  requireInside(offset, total, "characters");
  const next = offset + text.length;
  if (next >= total) return { text, kind: piece.kind };
  return { text, kind: piece.kind, leftOut: { chars: total - next }, nextOffset: next };
}

function toReading(kind: JsonKind, fitted: Fitted, offset: number, of: number): JsonReading {
  const { text, taken, leftChars } = fitted;
  const to = offset + taken;
  const leftOut = {
    ...(to < of && { items: of - to }),
    ...(leftChars > 0 && { chars: leftChars }),
  };
  return {
    text,
    kind,
    items: { from: taken === 0 ? 0 : offset + 1, to, of },
    ...(Object.keys(leftOut).length > 0 && { leftOut }),
    ...(to < of && { nextOffset: to }),
  };
}

function requireInside(offset: number, of: number, what: string): void {
  if (offset === 0 || offset < of) return;
  const range = of === 0 ? "0, since there are no" : `0 to ${of - 1}, since there are ${of}`;
  throw new ArgumentError("offset", offset, `${range} ${what}`);
}
