import { type PatternToken, tokenizePattern } from "../../src/core/lib/search/compile-pattern.js";

/** A text that is hard on an expression: a start, a part to repeat, and an end that does not fit. */
export interface HostileText {
  readonly start: string;
  readonly part: string;
  readonly end: string;
}

/** A part of an expression. */
type Node =
  | { readonly kind: "atom"; readonly samples: readonly string[] }
  | { readonly kind: "group"; readonly options: readonly Node[][]; readonly isLookaround: boolean }
  | { readonly kind: "loop"; readonly body: Node; readonly least: number; readonly most: number };

/** Characters to try for a class or an escape; white space that `\s` and others share comes first. */
const PROBES = [
  ...Array.from(" \t\ufeff\n\r0a9fAzZ_-.:,;/\\\"'`<>()[]{}=+*&|#%$@!?~^"),
  ...Array.from("\u0001\u001b\u0085\u00a0\u2028é中\ufffd"),
  "\ud800",
  "\udc00",
];
const ENDS = ["", "\u0001", "\n"];
/** A loop that may run more often than this can be slow. */
const MANY_TIMES = 50;
const MAX_SAMPLES = 6;

/**
 * Texts that make each loop of an expression run as long as it can and then fail: what matches
 * before the loop, what the loop repeats, and something that does not match.
 */
export function hostileTexts({ source, flags }: RegExp): HostileText[] {
  const tokens = tokenizePattern(source);
  const options = parseOptions(tokens, flags);
  const whole = { kind: "group", options, isLookaround: false } as const;
  const places = [...attacks(whole, ""), ...samplesOf(whole).map((part) => ({ start: "", part }))];
  const texts = places.flatMap(({ start, part }) => [
    { start, part },
    // Not at the start of the text, where another alternative may match all of it.
    { start: `\u0001${start}`, part },
    // Many beginnings, each of which could run to the end.
    { start: "", part: start },
    { start: "", part: start + part },
  ]);
  const kept = new Map(
    texts.filter(({ part }) => part !== "").map((text) => [JSON.stringify(text), text]),
  );
  return [...kept.values()].flatMap((text) => ENDS.map((end) => ({ ...text, end })));
}

/** Reads alternatives up to the end of the group. */
function parseOptions(tokens: PatternToken[], flags: string): Node[][] {
  const options: Node[][] = [[]];
  for (let token = tokens.shift(); token; token = tokens.shift()) {
    const nodes = options.at(-1) ?? [];
    if (token.kind === "close") break;
    if (token.kind === "alternative") options.push([]);
    else if (token.kind === "quantifier") {
      const body = nodes.pop();
      if (body) nodes.push({ kind: "loop", body, ...timesOf(token.text) });
    } else if (token.kind === "open") {
      const isLookaround = /^\(\?<?[=!]/.test(token.text);
      nodes.push({ kind: "group", options: parseOptions(tokens, flags), isLookaround });
    } else nodes.push({ kind: "atom", samples: charactersOf(token, flags) });
  }
  return options;
}

function timesOf(quantifier: string): { least: number; most: number } {
  if (quantifier.startsWith("*")) return { least: 0, most: Infinity };
  if (quantifier.startsWith("+")) return { least: 1, most: Infinity };
  if (quantifier.startsWith("?")) return { least: 0, most: 1 };
  const [, least = "0", comma, most = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? [];
  const bound = comma === "" ? least : most === "" ? "Infinity" : most;
  return { least: Number(least), most: Number(bound) };
}

function charactersOf({ kind, text }: PatternToken, flags: string): readonly string[] {
  if (kind === "char") return [text];
  if (kind === "anchor" || /^\\[bB]$/.test(text)) return [""];
  const expression = new RegExp(`^(?:${text})$`, flags.replace(/[gy]/g, ""));
  const found = PROBES.filter((probe) => expression.test(probe));
  return found.length > 0 ? found : [""];
}

/** A few texts that the node matches. */
function samplesOf(node: Node): string[] {
  switch (node.kind) {
    case "atom":
      return node.samples.slice(0, MAX_SAMPLES);
    case "group":
      return node.isLookaround ? [""] : node.options.map(sampleOf);
    case "loop":
      return samplesOf(node.body).map((sample) => sample.repeat(Math.min(node.least, 1_000)));
  }
}

function sampleOf(nodes: readonly Node[]): string {
  return nodes.map((node) => samplesOf(node)[0] ?? "").join("");
}

/** What to repeat at each loop inside of the node, after a text that leads there. */
function attacks(node: Node, start: string): { start: string; part: string }[] {
  if (node.kind === "atom") return [];
  if (node.kind === "group") {
    return node.options.flatMap((nodes) =>
      nodes.flatMap((inner, at) => attacks(inner, start + sampleOf(nodes.slice(0, at)))),
    );
  }
  const inside = attacks(node.body, start);
  if (node.most < MANY_TIMES) return inside;
  const samples = [...new Set(samplesOf(node.body))];
  return [...[...samples, samples.join("")].map((part) => ({ start, part })), ...inside];
}
