import { withoutHalfPair } from "./json-characters.js";
import { bracketsCost, lineCost, nest, wrap } from "./json-layout.js";
import {
  groupDigits,
  renderNote,
  renderWhole,
  type JsonPiece,
  type RenderContext,
} from "./json-render.js";

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

interface Line {
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
  const lines: Line[] = [];
  let least = bracketsCost(level);
  for await (const member of members) {
    const line = await renderLine(context, member, budget, level);
    least += lineCost(level) + leastOf(line);
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
): Promise<Line> {
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

function leastOf({ whole, note }: Line): number {
  return Math.min(whole?.length ?? Infinity, note?.length ?? Infinity);
}

function choose(
  lines: readonly Line[],
  budget: number,
  level: number,
  rest: string | undefined,
): { texts: string[]; leftChars: number; taken: number } {
  const perLine = lineCost(level);
  const kept = [...lines];
  let spent = bracketsCost(level) + (rest === undefined ? 0 : rest.length + perLine);
  for (const line of kept) spent += perLine + leastOf(line);
  while (spent > budget && kept.length > 1) {
    const dropped = kept.pop();
    spent -= dropped === undefined ? 0 : perLine + leastOf(dropped);
  }

  const whole = new Set<Line>();
  for (const line of [...kept].sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const extra = lengthOf(line) - leastOf(line);
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

function lengthOf({ whole }: Line): number {
  return whole?.length ?? Infinity;
}
