import type { Figures, Settings, SourceFigures } from "./replay-sources.js";
import { addOutcomes, type Outcome } from "./replay.js";

export interface SystemFigures {
  readonly system: string;
  /** Price against sending everything, mean over the sources. */
  readonly mean: number;
  /** The same without a prompt cache. */
  readonly plainMean: number;
  readonly bySource: Readonly<Record<string, number>>;
  readonly total: Outcome;
}

/** Figures only, nothing of the conversations. */
export interface Report {
  readonly settings: Settings;
  readonly sources: readonly (Omit<Figures, "outcomes"> & { readonly name: string })[];
  /** Sources without a result that is large enough to be offloaded. */
  readonly leftOut: readonly { readonly name: string; readonly files: number }[];
  readonly systems: readonly SystemFigures[];
}

/** @param systems - The first of them is what the others are compared with. */
export function createReport(
  sources: readonly SourceFigures[],
  systems: readonly string[],
  settings: Settings,
): Report {
  const counted = sources.filter(({ largeResults }) => largeResults > 0);
  const base = systems[0] ?? "everything";
  return {
    settings,
    sources: counted.map(({ name, files, unread, rejected, conversations, largeResults }) => ({
      name,
      files,
      unread,
      rejected,
      conversations,
      largeResults,
    })),
    leftOut: sources
      .filter(({ largeResults }) => largeResults === 0)
      .map(({ name, files }) => ({ name, files })),
    systems: systems.map((system) => {
      const bySource: Record<string, number> = {};
      const plain: number[] = [];
      const outcomesOfAll: Outcome[] = [];
      for (const { name, outcomes } of counted) {
        const outcome = outcomes[system];
        const everything = outcomes[base];
        if (!outcome || !everything) continue;
        bySource[name] = round(outcome.price / everything.price);
        plain.push(outcome.tokens / everything.tokens);
        outcomesOfAll.push({ ...outcome, price: round(outcome.price) });
      }
      return {
        system,
        mean: round(mean(Object.values(bySource))),
        plainMean: round(mean(plain)),
        bySource,
        total: addOutcomes(...outcomesOfAll),
      };
    }),
  };
}

export function renderReport({ settings, sources, leftOut, systems }: Report): string {
  const names = sources.map(({ name }) => name);
  const short = names.map((name) => shortName(name, names));
  const prices = systems.map(({ system, mean: all, bySource }) => [
    system,
    all.toFixed(3),
    ...names.map((name) => bySource[name]?.toFixed(3) ?? "-"),
  ]);
  const reads = systems.map(({ system, plainMean, total }) => [
    system,
    plainMean.toFixed(3),
    String(total.readBacks),
    total.readBacks === 0 ? "-" : String(Math.round(total.readTokens / total.readBacks)),
    `${((100 * total.readTurns) / total.turns).toFixed(1)} %`,
    String(total.lost),
    String(total.needed),
  ]);
  const rejected = sources.reduce((sum, source) => sum + source.rejected, 0);
  const turns = systems[0]?.total.turns ?? 0;
  return [
    `Price of whole conversations against sending everything, with a prompt cache ` +
      `(read ${settings.readPrice}, write ${settings.writePrice}); ${turns} turns`,
    describeSettings(settings),
    "",
    textTable([["", "mean", ...short], ...prices]),
    "",
    textTable([
      ["", "without cache", "read-backs", "tokens each", "turns with one", "lost", "of facts used"],
      ...reads,
    ]),
    "",
    `${rejected} files are in a form that parseConversation rejects; they were converted.`,
    ...(leftOut.length > 0
      ? [`Without a result to offload: ${leftOut.map(({ name }) => name).join(", ")}.`]
      : []),
  ].join("\n");
}

function describeSettings(settings: Settings): string {
  const { strict, known, reader, contextLines, together, coldAfterMs, systemTokens } = settings;
  return [
    `system prompt of ${systemTokens} tokens`,
    reader === "search" ? "the reader searches" : "the reader pages from the start",
    ...(contextLines === undefined ? [] : [`with ${contextLines} lines around a match`]),
    ...(together ? ["in one request for all that is missing"] : []),
    ...(strict ? ["lines that are repeated are facts, too"] : []),
    ...(known ? ["names that every model knows are not facts"] : []),
    ...(coldAfterMs === undefined
      ? []
      : [`the cache is cold after ${coldAfterMs / 60_000} minutes`]),
  ].join("; ");
}

/** Without the words that it begins with like another. */
function shortName(name: string, names: readonly string[]): string {
  const words = name.split("-");
  let shared = 0;
  while (
    names.some(
      (other) => other !== name && other.startsWith(`${words.slice(0, shared + 1).join("-")}-`),
    )
  ) {
    shared++;
  }
  return words.slice(shared).join("-");
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Columns of equal width, the first to the left, the others to the right. */
function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? "").length)),
  );
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(pad).join("  ").trimEnd()).join("\n");
}
