import { clip, formatCount, toPrintableLine } from "./printable.js";

/** One line of an outline. */
export interface OutlineEntry {
  readonly line: number;
  readonly text: string;
  /** The text to use when there is little room. */
  readonly short?: string;
  /** 0 is the outermost level. */
  readonly level: number;
}

interface Form {
  readonly width: number;
  readonly short: boolean;
}

const FULL: Form = { width: 100, short: false };
const SHORT: Form = { width: 64, short: true };
const FORMS: readonly Form[] = [FULL, { width: 72, short: false }, SHORT];
/** Minimum length of an entry, so that thousands need not be rendered to see that they do not fit. */
const LEAST_CHARS = 6;
/** "… 12,345 more not shown …" fits into this. */
const CLOSING_CHARS = 28;

/**
 * As much of an outline as fits: all of it, or its outer levels and an even selection of the next
 * one. Says how much it left out.
 */
export function fitEntries(entries: readonly OutlineEntry[], budgetChars: number): string[] {
  for (const form of FORMS) {
    if (entries.length * LEAST_CHARS > budgetChars) break;
    const lines = entries.map((entry) => renderEntry(entry, form));
    if (lengthOf(lines) <= budgetChars) return lines;
  }
  const room = budgetChars - CLOSING_CHARS;
  const kept = keepOuter(entries, room);
  if (kept.length === 0) return [];
  const lines = kept.map((entry) => renderEntry(entry, SHORT));
  return [...lines, `… ${formatCount(entries.length - kept.length)} more not shown …`];
}

function keepOuter(entries: readonly OutlineEntry[], room: number): readonly OutlineEntry[] {
  const costOf = (list: readonly OutlineEntry[]): number =>
    list.length * LEAST_CHARS > room
      ? Infinity
      : list.reduce((sum, entry) => sum + renderEntry(entry, SHORT).length + 1, 0);
  const levels = [...new Set(entries.map(({ level }) => level))].sort((a, b) => a - b);
  let kept: readonly OutlineEntry[] = [];
  for (const level of levels) {
    const wider = entries.filter((entry) => entry.level <= level);
    if (costOf(wider) <= room) {
      kept = wider;
      continue;
    }
    const next = entries.filter((entry) => entry.level === level);
    const left = room - costOf(kept);
    let count = Math.min(next.length, Math.floor(left / LEAST_CHARS));
    let chosen = chooseEvenly(next, count);
    while (count > 0 && costOf(chosen) > left) {
      // Large steps first, since there may be thousands.
      count = Math.min(count - 1, Math.floor((count * left) / costOf(chosen)) + 1);
      chosen = chooseEvenly(next, count);
    }
    const set = new Set([...kept, ...chosen]);
    return entries.filter((entry) => set.has(entry));
  }
  return kept;
}

function chooseEvenly(entries: readonly OutlineEntry[], count: number): readonly OutlineEntry[] {
  if (count >= entries.length) return entries;
  const step = count > 1 ? (entries.length - 1) / (count - 1) : 0;
  const wanted = new Set(Array.from({ length: count }, (_, index) => Math.round(index * step)));
  return entries.filter((_, index) => wanted.has(index));
}

function renderEntry(entry: OutlineEntry, form: Form): string {
  const text = form.short ? (entry.short ?? entry.text) : entry.text;
  return `${entry.line}: ${clip(toPrintableLine(text), form.width)}`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
