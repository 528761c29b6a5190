/**
 * What a later turn may need of a tool result: names and values that stand in it. A fact is a path, a
 * file name, a number of four digits or more, a hash, an id, a camelCase, snake_case or kebab-case
 * name, or a quoted word of six characters or more. With `strict`, a line is a fact, too: an edit
 * needs it word by word.
 */

/**
 * @typedef {object} FactOptions
 * @property {boolean} [strict] whether lines are facts
 * @property {ReadonlySet<string>} [known] names that every model knows, which are not facts
 */

const RUNS = /[A-Za-z0-9_$.@~+/-]+/g;
const QUOTED = /(["'`])([\w$.@~+:/-]{6,120})\1/g;
const EDGES = /^[.@+$-]+|[./@+$-]+$/g;
const FILE =
  /^[\w.+-]*\w\.(?:[cm]?[jt]sx?|d\.ts|json[l5c]?|ya?ml|toml|md|mdx|rst|txt|log|csv|tsv|py|pyi|ipynb|rb|go|mod|sum|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|php|lua|sh|bash|zsh|fish|ps1|sql|html?|css|scss|less|vue|svelte|xml|svg|png|jpe?g|gif|pdf|lock|env|ini|cfg|conf|omp|snap|patch|diff|proto|tf|gradle|traj|zip|gz|tar|whl|exe|db|sqlite|ttf|woff2?)$/i;
const LEAST_LINE = 12;
/** What listings, searches, diffs and digests print before a line; a digest of a listing has two numbers. */
const LINE_NUMBER = /^(?:\s*L?\d+\s*(?:→|\t|:|\||-)){0,2}\s*(?:[+-](?![+-]))?/;

/**
 * The facts that stand in a text.
 *
 * @param {string} text
 * @param {FactOptions} [options]
 * @returns {Set<string>}
 */
export function factsIn(text, { strict = false, known } = {}) {
  const plain = readable(text);
  /** @type {Set<string>} */
  const facts = new Set();
  for (const [run] of plain.matchAll(RUNS)) {
    for (const name of namesOf(run)) if (isFact(name)) facts.add(name);
  }
  for (const [, , word] of plain.matchAll(QUOTED)) if (word) facts.add(word.replace(EDGES, ""));
  for (const word of known ?? []) facts.delete(word);
  if (strict) for (const line of linesIn(plain)) facts.add(line);
  return facts;
}

/**
 * Everything that a text mentions and that could be a fact elsewhere: a word that was quoted in a
 * result need not be quoted where it is used.
 *
 * @param {string} text
 * @param {FactOptions} [options]
 * @returns {Set<string>}
 */
export function mentionsIn(text, { strict = false } = {}) {
  const plain = readable(text);
  /** @type {Set<string>} */
  const names = new Set();
  for (const [run] of plain.matchAll(RUNS)) for (const name of namesOf(run)) names.add(name);
  for (const [, , word] of plain.matchAll(QUOTED)) if (word) names.add(word.replace(EDGES, ""));
  if (strict) for (const line of linesIn(plain)) names.add(line);
  return names;
}

/** @param {string} fact */
export function isLine(fact) {
  return fact.startsWith("\n");
}

/**
 * A run of characters as a whole, its file name, and its parts.
 *
 * @param {string} run
 */
function namesOf(run) {
  const whole = run.replace(EDGES, "");
  if (/^[A-Za-z]*$|^\d[\d.]*$/.test(whole)) return whole.length < 4 ? [] : [whole];
  const names = [whole];
  if (whole.includes("/")) names.push(...whole.split("/"));
  for (const name of [...names]) {
    if (/[.@~+$]/.test(name)) names.push(...name.split(/[./@~+$]+/));
  }
  return names.filter((name) => name.length >= 4);
}

/** @param {string} name */
function isFact(name) {
  if (/^[\d.]+$/.test(name)) return name.replaceAll(".", "").length >= 4;
  if (name.includes("/")) return name.length >= 6 && /[A-Za-z]{2}/.test(name);
  if (FILE.test(name)) return true;
  if (/[.@~+$]/.test(name)) return false;
  if (/^[0-9a-f]{7,}$/.test(name)) return /\d/.test(name);
  if (/^[A-Za-z0-9]+$/.test(name)) {
    const isId = name.length >= 6 && /\d/.test(name) && /[A-Za-z]/.test(name);
    return isId || /[a-z][A-Z]/.test(name);
  }
  return name.length >= 5 && /[A-Za-z0-9][_-]+[A-Za-z0-9]/.test(name) && /[A-Za-z]/.test(name);
}

/**
 * The lines of a text as facts, told from names by a line break.
 *
 * @param {string} text
 */
function* linesIn(text) {
  for (const line of text.split("\n")) {
    const bare = line.replace(LINE_NUMBER, "").trim();
    if (bare.length >= LEAST_LINE && /[A-Za-z]{3}/.test(bare)) yield `\n${bare}`;
  }
}

/**
 * With escapes of JSON and of markup undone, so that `\nname` and `&lt;name` are not names.
 *
 * @param {string} text
 */
function readable(text) {
  let plain = text;
  if (plain.includes("\\")) {
    plain = plain.replace(/\\([nrt"\\/])/g, (_, char) =>
      char === "n" || char === "r" ? "\n" : char === "t" ? "\t" : char,
    );
  }
  if (plain.includes("&")) {
    plain = plain
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
  }
  return plain;
}
