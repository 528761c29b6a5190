import type { ReaderName } from "./reader.js";
import type { ConversationFigures, Figures, Settings, SourceFigures } from "./replay-sources.js";
import { addOutcomes, type Outcome } from "./replay.js";

/** Prices against sending everything, with one of the readers. */
export interface ReaderFigures {
  /** Mean over the sources. */
  readonly mean: number;
  /** The same without a prompt cache. */
  readonly plainMean: number;
  /** Of the whole bill, which includes the recorded replies; these cost the same under every system. */
  readonly billMean: number;
  readonly bySource: Readonly<Record<string, number>>;
  /** Mean over the conversations of each length, in the order of `LENGTHS`. */
  readonly byLength: readonly (number | undefined)[];
  /** The conversation that does worst. */
  readonly worst: WorstConversation | undefined;
  /** How many sources cost more than `SOURCE_LIMIT`, and conversations more than `CONVERSATION_LIMIT`. */
  readonly sourcesAbove: number;
  readonly conversationsAbove: number;
  readonly total: Outcome;
}

export interface WorstConversation {
  readonly source: string;
  readonly conversation: string;
  readonly turns: number;
  readonly ratio: number;
}

export interface SystemFigures extends Readonly<Record<ReaderName, ReaderFigures>> {
  readonly system: string;
}

/** Figures only, nothing of the conversations but the names of the worst. */
export interface Report {
  readonly settings: Settings;
  readonly sources: readonly ReportedSource[];
  /** Sources without a result that is large enough to be offloaded. */
  readonly leftOut: readonly { readonly name: string; readonly files: number }[];
  /** How many conversations there are of each length. */
  readonly lengths: readonly { readonly label: string; readonly conversations: number }[];
  readonly systems: readonly SystemFigures[];
}

export interface ReportedSource extends Omit<Figures, "conversations"> {
  readonly name: string;
  readonly conversations: number;
}

/** Above these, offloading went wrong: what is added to each request costs a short one about 1 %. */
const SOURCE_LIMIT = 1.01;
const CONVERSATION_LIMIT = 1.03;

/** Conversations by the number of their recorded replies. */
const LENGTHS = [
  { label: "up to 10 replies", maxTurns: 10 },
  { label: "11 to 30", maxTurns: 30 },
  { label: "more than 30", maxTurns: Infinity },
];

/** @param systems - The first of them is what the others are compared with. */
export function createReport(
  sources: readonly SourceFigures[],
  systems: readonly string[],
  settings: Settings,
): Report {
  const counted = sources.filter(({ largeResults }) => largeResults > 0);
  const base = systems[0] ?? "everything";
  const conversations = counted.flatMap((source) => source.conversations);
  return {
    settings,
    sources: counted.map(({ name, files, unread, rejected, largeResults, ...source }) => ({
      ...{ name, files, unread, rejected, largeResults },
      conversations: source.conversations.length,
    })),
    leftOut: sources
      .filter(({ largeResults }) => largeResults === 0)
      .map(({ name, files }) => ({ name, files })),
    lengths: LENGTHS.map(({ label }, index) => ({
      label,
      conversations: conversations.filter(({ turns }) => lengthOf(turns) === index).length,
    })),
    systems: systems.map((system) => ({
      system,
      live: readerFigures(counted, system, base, "live"),
      names: readerFigures(counted, system, base, "names"),
    })),
  };
}

function readerFigures(
  sources: readonly SourceFigures[],
  system: string,
  base: string,
  reader: ReaderName,
): ReaderFigures {
  const ratios = sources.flatMap(({ name, outcomes }) => {
    const ratio = compare(outcomes[reader][system], outcomes[reader][base]);
    return ratio ? [{ name, ...ratio }] : [];
  });
  const single = sources.flatMap((source) =>
    source.conversations.flatMap((conversation) => {
      const { ratio } = compareIn(conversation, system, base, reader) ?? {};
      const { name, turns } = conversation;
      return ratio === undefined ? [] : [{ source: source.name, conversation: name, turns, ratio }];
    }),
  );
  const byLength = LENGTHS.map((_, index) =>
    single.filter(({ turns }) => lengthOf(turns) === index).map(({ ratio }) => ratio),
  );
  const worst = single.reduce<WorstConversation | undefined>(
    (most, one) => (most && most.ratio >= one.ratio ? most : one),
    undefined,
  );
  const total = addOutcomes(...sources.map(({ outcomes }) => outcomes[reader][system]));
  return {
    mean: round(mean(ratios.map(({ ratio }) => ratio))),
    plainMean: round(mean(ratios.map(({ plain }) => plain))),
    billMean: round(mean(ratios.map(({ bill }) => bill))),
    bySource: Object.fromEntries(ratios.map(({ name, ratio }) => [name, round(ratio)])),
    byLength: byLength.map((some) => (some.length === 0 ? undefined : round(mean(some)))),
    worst: worst && { ...worst, ratio: round(worst.ratio) },
    sourcesAbove: ratios.filter(({ ratio }) => ratio > SOURCE_LIMIT).length,
    conversationsAbove: single.filter(({ ratio }) => ratio > CONVERSATION_LIMIT).length,
    total: roundPrices(total),
  };
}

/** What a conversation costs against sending everything. */
function compareIn(
  { outcomes }: ConversationFigures,
  system: string,
  base: string,
  reader: ReaderName,
) {
  return compare(outcomes[reader][system], outcomes[reader][base]);
}

function compare(outcome: Outcome | undefined, base: Outcome | undefined) {
  if (!outcome || !base) return undefined;
  return {
    ratio: outcome.price / base.price,
    plain: outcome.plainPrice / base.plainPrice,
    bill: (outcome.price + outcome.replyPrice) / (base.price + base.replyPrice),
  };
}

function lengthOf(turns: number): number {
  return LENGTHS.findIndex(({ maxTurns }) => turns <= maxTurns);
}

export function renderReport({ settings, sources, leftOut, lengths, systems }: Report): string {
  const names = sources.map(({ name }) => name);
  const short = names.map((name) => shortName(name, names));
  const rejected = sources.reduce((sum, source) => sum + source.rejected, 0);
  const turns = systems[0]?.live.total.turns ?? 0;
  const ratio = (value: number | undefined) => value?.toFixed(3) ?? "-";
  return [
    `Price of whole conversations against sending everything; ${turns} turns`,
    describeSettings(settings),
    "",
    "With a reader that reads back what is hidden when it arrives, as live agents did, and with one for " +
      "whom a name that is shown is a need met:",
    textTable([
      ["", "live", "without cache", "whole bill", "names", "without cache"],
      ...systems.map(({ system, live, names: easy }) => [
        system,
        ...[live.mean, live.plainMean, live.billMean, easy.mean, easy.plainMean].map(ratio),
      ]),
    ]),
    "",
    "By source, live reader:",
    textTable([
      ["", "mean", ...short],
      ...systems.map(({ system, live }) => [
        system,
        ratio(live.mean),
        ...names.map((name) => ratio(live.bySource[name])),
      ]),
    ]),
    "",
    "By length of the conversation, and the worst, live reader:",
    textTable([
      [
        "",
        ...lengths.map(({ label, conversations }) => `${label} (${conversations})`),
        ...["worst", "above 1.03", "sources above 1.01"],
      ],
      ...systems.map(({ system, live }) => [
        system,
        ...live.byLength.map(ratio),
        ratio(live.worst?.ratio),
        String(live.conversationsAbove),
        String(live.sourcesAbove),
      ]),
    ]),
    "",
    "What was read back, live reader:",
    textTable([
      ["", "at arrival", "later", "tokens each", "turns with one", "lost", "of facts used"],
      ...systems.map(({ system, live: { total } }) => [
        system,
        String(total.readsAtArrival),
        String(total.readBacks - total.readsAtArrival),
        total.readBacks === 0 ? "-" : String(Math.round(total.readTokens / total.readBacks)),
        `${((100 * total.readTurns) / total.turns).toFixed(1)} %`,
        String(total.lost),
        String(total.needed),
      ]),
    ]),
    "",
    ...systems.flatMap(({ system, live: { worst } }) =>
      worst && worst.ratio > 1
        ? [`Worst under ${system}: ${worst.source}/${worst.conversation}, ${ratio(worst.ratio)}`]
        : [],
    ),
    `${rejected} files are in a form that parseConversation rejects; they were converted.`,
    ...(leftOut.length > 0
      ? [`Without a result to offload: ${leftOut.map(({ name }) => name).join(", ")}.`]
      : []),
  ].join("\n");
}

function describeSettings(settings: Settings): string {
  const { strict, known, reader, contextLines, together, coldAfterMs, systemTokens } = settings;
  const { readPrice, writePrice, outputPrice } = settings;
  return [
    `a prompt cache (read ${readPrice}, write ${writePrice}), calls of the reader at ${outputPrice}`,
    `system prompt of ${systemTokens} tokens`,
    reader === "search" ? "the reader searches" : "the reader pages from the start",
    ...(contextLines === undefined ? [] : [`with ${contextLines} lines around a match`]),
    ...(together ? ["in one request for all that is missing"] : []),
    ...(settings.distrust ? ["what a reference shows counts for nothing"] : []),
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

function roundPrices(outcome: Outcome): Outcome {
  const { price, plainPrice } = outcome;
  return { ...outcome, price: Math.round(price), plainPrice: Math.round(plainPrice) };
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
