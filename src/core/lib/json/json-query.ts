import type { ByteSource } from "../text/byte-source.js";
import { quote } from "../text/quote.js";
import { ArgumentError, requireWhole } from "../text/text-range.js";
import { decodeWtf8 } from "../text/wtf8.js";
import { createJsonIndenter } from "./json-indenter.js";
import {
  locatePath,
  type JsonChild,
  type JsonChildren,
  EVERY_ITEM,
  formatPointer,
  parsePointer,
  JsonPointerError,
} from "./json-pointer.js";
import {
  countCharacters,
  readCharacters,
  type JsonStretch,
  withoutHalfPair,
  decodeKey,
} from "./json-string.js";
import { JsonSyntaxError, isContainer, type JsonKind } from "./json-walker.js";

/** A character takes at most this many bytes, so anything with more bytes than this times the limit exceeds it. */
const MAX_BYTES_PER_CHAR = 4;
/** How much of a long string is shown before the note. */
const HEAD_CHARS = 60;

/** A value in the source, and its pointer. */
export interface JsonPiece {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
  /** Undefined if a key on the path is too long to be named. */
  readonly tokens: readonly string[] | undefined;
}

/** What is read, and how long the answer may be. */
export interface RenderContext {
  readonly source: ByteSource;
  readonly maxChars: number;
  readonly signal: AbortSignal | undefined;
}

export interface Note {
  readonly text: string;
  /** How many characters it stands for. */
  readonly chars: number;
}

export function isReadable(context: RenderContext, start: number, end: number): boolean {
  return end - start <= context.maxChars * MAX_BYTES_PER_CHAR;
}

/** The value indented; undefined when it is longer than `cap` characters or nested too deep. */
export async function renderWhole(
  context: RenderContext,
  piece: JsonPiece,
  cap: number,
): Promise<string | undefined> {
  if (!isReadable(context, piece.start, piece.end)) return undefined;
  context.signal?.throwIfAborted();
  const bytes = await context.source.read(piece.start, piece.end);
  const indenter = createJsonIndenter();
  try {
    const text = decodeWtf8(indenter.push(bytes)) + decodeWtf8(indenter.end());
    return text.length <= cap ? text : undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (error.isTooDeep) return undefined;
    throw new JsonSyntaxError(error.reason, piece.start + error.offset);
  }
}

/** A JSON string in place of a value that is too long: how long it is, and its pointer. */
export async function renderNote(context: RenderContext, piece: JsonPiece): Promise<Note> {
  const { source, signal } = context;
  const stretch = stretchOf(piece);
  const isText = piece.kind === "string";
  const head = isText
    ? await readCharacters(source, stretch, 0, HEAD_CHARS, signal)
    : { text: "", total: await countCharacters(source, stretch, signal) };
  const kind = isContainer(piece.kind) ? `${piece.kind}, ` : "";
  const where = piece.tokens === undefined ? "" : `, pointer ${formatPointer(piece.tokens)}`;
  const note = `${head.text}… ${kind}${groupDigits(head.total)} characters${where}`;
  return { text: JSON.stringify(note), chars: head.total - head.text.length };
}

/** The text of a value: the inside of a string, or the JSON of anything else. */
export function stretchOf({ start, end, kind }: JsonPiece): JsonStretch {
  const isEscaped = kind === "string";
  return isEscaped ? { start: start + 1, end: end - 1, isEscaped } : { start, end, isEscaped };
}

/** 1234567 as "1,234,567", whatever the locale. */
export function groupDigits(count: number): string {
  const digits = String(count);
  const first = digits.length % 3 || 3;
  return digits.slice(0, first) + digits.slice(first).replace(/\d{3}/g, ",$&");
}

/** A value inside a container; its label is the key as JSON text, and "" in an array. */
export interface JsonMember {
  readonly label: string;
  readonly piece: JsonPiece;
}

export interface Fitted {
  readonly text: string;
  /** How many members are in it, whole or as a note. */
  readonly taken: number;
  /** How many characters are missing from the members that are in it. */
  readonly leftChars: number;
  /** True when not even one member fits, so that the text stops in the middle. */
  readonly isTorn: boolean;
}

export interface FitRequest {
  readonly kind: "object" | "array";
  readonly members: Iterable<JsonMember> | AsyncIterable<JsonMember>;
  readonly budget: number;
  /** The nesting level of the container in the text. */
  readonly level: number;
  /** How many members there are in total; if given, a last line says so when some are missing. */
  readonly of?: number;
}

interface JsonLine {
  readonly whole: string | undefined;
  readonly note: string | undefined;
  readonly noteChars: number;
}

/** Up to this length, a note would hardly ever be shorter than the value. */
const SHORT_CHARS = 40;

/**
 * A container of the members that fit, each whole or, if it is too long, as a note, so that the
 * shape is visible. The shortest are shown whole first. At least one member is included.
 */
export async function fitMembers(context: RenderContext, request: FitRequest): Promise<Fitted> {
  const { kind, members, level, of } = request;
  const budget = Math.max(0, request.budget);
  const lines: JsonLine[] = [];
  let least = bracketsCost(level);
  for await (const member of members) {
    const line = await renderLine(context, member, budget, level);
    least += lineCost(level) + minChars(line);
    if (least > budget && lines.length > 0) break;
    lines.push(line);
  }
  const rest = of === undefined || lines.length === of ? undefined : restLine(kind, of);
  const { texts, leftChars, taken } = choose(lines, budget, level, rest);
  const text = wrap(kind, texts, level);
  return tear({ text, taken, leftChars, isTorn: false }, budget);
}

/** Cuts a text that is too long even so. */
export function tear(fitted: Fitted, budget: number): Fitted {
  if (fitted.text.length <= budget) return fitted;
  const text = withoutHalfPair(fitted.text.slice(0, budget));
  const leftChars = fitted.leftChars + fitted.text.length - text.length;
  return { text, taken: fitted.taken, leftChars, isTorn: true };
}

async function renderLine(
  context: RenderContext,
  { label, piece }: JsonMember,
  cap: number,
  level: number,
): Promise<JsonLine> {
  const value = await renderWhole(context, piece, cap);
  const whole = value === undefined ? undefined : label + nest(value, level + 1);
  if (value !== undefined && value.length <= SHORT_CHARS) {
    return { whole, note: undefined, noteChars: 0 };
  }
  const note = await renderNote(context, piece);
  return { whole, note: label + note.text, noteChars: note.chars };
}

function restLine(kind: "object" | "array", of: number): string {
  const rest = JSON.stringify(`… ${groupDigits(of)} in all`);
  return kind === "object" ? `"…": ${rest}` : rest;
}

function minChars({ whole, note }: JsonLine): number {
  return Math.min(whole?.length ?? Infinity, note?.length ?? Infinity);
}

function choose(
  lines: readonly JsonLine[],
  budget: number,
  level: number,
  rest: string | undefined,
): { texts: string[]; leftChars: number; taken: number } {
  const perLine = lineCost(level);
  const kept = [...lines];
  let spent = bracketsCost(level) + (rest === undefined ? 0 : rest.length + perLine);
  for (const line of kept) spent += perLine + minChars(line);
  while (spent > budget && kept.length > 1) {
    const dropped = kept.pop();
    spent -= dropped === undefined ? 0 : perLine + minChars(dropped);
  }

  const whole = new Set<JsonLine>();
  for (const line of [...kept].sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const extra = lengthOf(line) - minChars(line);
    if (line.note !== undefined && spent + extra > budget) continue;
    spent += extra;
    whole.add(line);
  }

  let leftChars = 0;
  const texts = kept.map((line) => {
    if (whole.has(line) && line.whole !== undefined) return line.whole;
    leftChars += line.noteChars;
    return line.note ?? "";
  });
  return { texts: rest === undefined ? texts : [...texts, rest], leftChars, taken: kept.length };
}

function lengthOf({ whole }: JsonLine): number {
  return whole?.length ?? Infinity;
}

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

const SHOWN_KEY_CHARS = 80;

/** A field as it was requested, and the paths it may mean, the most likely first. */
export interface JsonField {
  readonly name: string;
  readonly paths: readonly (readonly string[])[];
}

/** A field is a key, a pointer that begins with a slash, or keys joined by dots. */
export function parseFields(fields: readonly string[]): JsonField[] {
  return fields.map((name, index) => {
    const argument = `fields[${index}]`;
    if (name.startsWith("/")) return { name, paths: [parsePointer(name, argument)] };
    const isPath = /[.[]/.test(name);
    return { name, paths: isPath ? [[name], parsePointer(name, argument)] : [[name]] };
  });
}

/** Picks fields from values, and remembers which were found and which keys exist instead. */
export class FieldPicker {
  readonly #context: RenderContext;
  readonly #fields: readonly JsonField[];
  readonly #found = new Set<JsonField>();
  readonly #keysInstead = new Map<JsonField, readonly string[]>();

  constructor(context: RenderContext, fields: readonly JsonField[]) {
    this.#context = context;
    this.#fields = fields;
  }

  /** The fields that the value has, in the requested order. */
  async pick(piece: JsonPiece): Promise<JsonMember[]> {
    const members: JsonMember[] = [];
    for (const field of this.#fields) {
      const member = await this.#pickOne(piece, field);
      if (member !== undefined) members.push(member);
    }
    return members;
  }

  /** Rejects a field that neither the picked values nor, if given, any item of the array has. */
  async requireFound(place: string, array?: JsonPiece, isSequence = false): Promise<void> {
    for (const [index, field] of this.#fields.entries()) {
      if (this.#found.has(field)) continue;
      if (array !== undefined && (await this.#isInAnyItem(array, field, isSequence))) continue;
      const keys = this.#keysInstead.get(field);
      const expected =
        keys === undefined || keys.length === 0
          ? `left out: at ${place} there are no objects with keys`
          : `a key that exists at ${place} (${keys.map((key) => quote(key, SHOWN_KEY_CHARS)).join(", ")})`;
      throw new ArgumentError(`fields[${index}]`, field.name, expected);
    }
  }

  async #pickOne(piece: JsonPiece, field: JsonField): Promise<JsonMember | undefined> {
    if (!isContainer(piece.kind)) return undefined;
    const { source, signal } = this.#context;
    for (const path of field.paths) {
      const located = await locatePath(source, path, { signal, range: piece });
      if (!located.found) {
        if (located.keys !== undefined && !this.#keysInstead.has(field)) {
          this.#keysInstead.set(field, located.keys);
        }
        continue;
      }
      this.#found.add(field);
      const { start, end, kind } = located;
      const tokens = piece.tokens === undefined ? undefined : [...piece.tokens, ...path];
      return { label: `${JSON.stringify(field.name)}: `, piece: { start, end, kind, tokens } };
    }
    return undefined;
  }

  async #isInAnyItem(array: JsonPiece, field: JsonField, isSequence: boolean): Promise<boolean> {
    const { source, signal } = this.#context;
    for (const path of field.paths) {
      const options = { signal, isSequence, range: array };
      const located = await locatePath(source, [EVERY_ITEM, ...path], options);
      if (located.found) return true;
    }
    return false;
  }
}

/** A place for an error message. */
export function describePlace(tokens: readonly string[]): string {
  return tokens.length === 0 ? "the top" : quote(formatPointer(tokens));
}

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

/** A rest of so many items is shown, too, rather than left for another call. */
const FEW_ITEMS = 5;

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
    Math.min(limit ?? (hasKeys ? maxChars : query.arrayLimit + FEW_ITEMS), maxChars);
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
  const isFewMore = window.count - offset <= query.arrayLimit + FEW_ITEMS;
  const kept =
    limit === undefined && kind === "array" && !isFewMore
      ? window.kept.slice(0, query.arrayLimit)
      : window.kept;
  const members = membersOf(context, piece, kept, offset);
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

const BLOCK_BYTES = 64 * 1024;

/** Keeps the last block, so that many small reads close together cost one read. */
export function readAhead(source: ByteSource): ByteSource {
  let block = new Uint8Array(0);
  let blockStart = 0;
  return {
    size: source.size,
    read: async (start, end) => {
      if (end - start >= BLOCK_BYTES) return source.read(start, end);
      const isHeld = start >= blockStart && end <= blockStart + block.length;
      if (!isHeld) {
        const read = await source.read(start, Math.min(start + BLOCK_BYTES, source.size));
        // A copy: the source may reuse its buffer.
        block = new Uint8Array(read);
        blockStart = start;
      }
      return block.subarray(start - blockStart, end - blockStart);
    },
  };
}

const INDENT = "  ";

/** What a line costs in a container besides its text: a line break, the indentation and a comma. */
export function lineCost(level: number): number {
  return 2 + INDENT.length * (level + 1);
}

/** What a container at a level costs besides its lines. */
export function bracketsCost(level: number): number {
  // The last line has no comma, but a line break before the closing bracket.
  return 2 + INDENT.length * level;
}

/** A text moved some levels deeper. No line break in indented JSON is part of a string. */
export function nest(text: string, levels: number): string {
  return text.replaceAll("\n", `\n${INDENT.repeat(levels)}`);
}

/** A container whose first bracket is at a level, around lines that are nested in it already. */
export function wrap(kind: "object" | "array", lines: readonly string[], level: number): string {
  const open = kind === "object" ? "{" : "[";
  const close = kind === "object" ? "}" : "]";
  if (lines.length === 0) return open + close;
  const outer = INDENT.repeat(level);
  return `${open}${lines.map((line) => `\n${outer}${INDENT}${line}`).join(",")}\n${outer}${close}`;
}
