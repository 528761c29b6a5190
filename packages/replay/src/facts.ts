import { textOf, type RecordedConversation } from "./conversation/conversation.js";

/**
 * What a later turn may need of a tool result: names and values that stand in it. A fact is a path, a
 * file name, a number of four digits or more, a hash, an id, a camelCase, snake_case or kebab-case
 * name, or a quoted word of six characters or more. With `strict`, a line is a fact, too: an edit
 * needs it word by word.
 */
export interface FactOptions {
  /** Whether lines are facts. */
  readonly strict?: boolean;
  /** Names that every model knows, which are not facts. */
  readonly known?: ReadonlySet<string>;
}

const RUNS = /[A-Za-z0-9_$.@~+/-]+/g;
const QUOTED = /(["'`])([\w$.@~+:/-]{6,120})\1/g;
const EDGES = /^[.@+$-]+|[./@+$-]+$/g;
const FILE =
  /^[\w.+-]*\w\.(?:[cm]?[jt]sx?|d\.ts|json[l5c]?|ya?ml|toml|md|mdx|rst|txt|log|csv|tsv|py|pyi|ipynb|rb|go|mod|sum|rs|java|kt|swift|c|cc|cpp|h|hpp|cs|php|lua|sh|bash|zsh|fish|ps1|sql|html?|css|scss|less|vue|svelte|xml|svg|png|jpe?g|gif|pdf|lock|env|ini|cfg|conf|omp|snap|patch|diff|proto|tf|gradle|traj|zip|gz|tar|whl|exe|db|sqlite|ttf|woff2?)$/i;
const MIN_LINE_CHARS = 12;
/** What listings, searches, diffs and digests print before a line; a digest of a listing has two numbers. */
const LINE_NUMBER = /^(?:\s*L?\d+\s*(?:→|\t|:|\||-)){0,2}\s*(?:[+-](?![+-]))?/;

/** The facts that stand in a text. */
export function factsIn(text: string, { strict = false, known }: FactOptions = {}): Set<string> {
  const plain = readable(text);
  const facts = new Set<string>();
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
 */
export function mentionsIn(text: string, { strict = false }: FactOptions = {}): Set<string> {
  const plain = readable(text);
  const names = new Set<string>();
  for (const [run] of plain.matchAll(RUNS)) for (const name of namesOf(run)) names.add(name);
  for (const [, , word] of plain.matchAll(QUOTED)) if (word) names.add(word.replace(EDGES, ""));
  if (strict) for (const line of linesIn(plain)) names.add(line);
  return names;
}

/** A run of characters as a whole, its file name, and its parts. */
function namesOf(run: string): string[] {
  const whole = run.replace(EDGES, "");
  if (/^[A-Za-z]*$|^\d[\d.]*$/.test(whole)) return whole.length < 4 ? [] : [whole];
  const names = [whole];
  if (whole.includes("/")) names.push(...whole.split("/"));
  for (const name of [...names]) {
    if (/[.@~+$]/.test(name)) names.push(...name.split(/[./@~+$]+/));
  }
  return names.filter((name) => name.length >= 4);
}

function isFact(name: string): boolean {
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

/** The lines of a text as facts, told from names by a line break. */
function* linesIn(text: string): Generator<string> {
  for (const line of text.split("\n")) {
    const bare = line.replace(LINE_NUMBER, "").trim();
    if (bare.length >= MIN_LINE_CHARS && /[A-Za-z]{3}/.test(bare)) yield `\n${bare}`;
  }
}

/** With escapes of JSON and of markup undone, so that `\nname` and `&lt;name` are not names. */
function readable(text: string): string {
  let plain = text;
  if (plain.includes("\\")) {
    plain = plain.replace(/\\([nrt"\\/])/g, (_, char: string) =>
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

/** A fact that a reply uses. */
export interface FactUse {
  /** Index of the result that it first came with. */
  readonly origin: number;
  readonly fact: string;
}

/**
 * For each assistant message, the facts that it uses and that first came with a tool result: what the
 * model had to see to write it. A fact that the user, the assistant or an earlier result had named
 * belongs to them.
 *
 * @returns The uses by index of the assistant message.
 */
export function usedFacts(
  { items }: Pick<RecordedConversation, "items">,
  options?: FactOptions,
): Map<number, FactUse[]> {
  /** Where each name was first mentioned, if in a result. */
  const origins = new Map<string, number | undefined>();
  const uses = new Map<number, FactUse[]>();
  for (const [index, item] of items.entries()) {
    const text = textOf(item);
    const mentions = mentionsIn(text, options);
    if (item.role === "assistant") {
      const used: FactUse[] = [];
      for (const fact of mentions) {
        const origin = origins.get(fact);
        if (origin !== undefined) used.push({ origin, fact });
      }
      uses.set(index, used);
    }
    const facts = item.role === "result" ? factsIn(text, options) : undefined;
    for (const name of mentions) {
      if (!origins.has(name)) origins.set(name, facts?.has(name) === true ? index : undefined);
    }
  }
  return uses;
}

/** The facts of each result that are used later, by the index of the result. */
export function factsUsedLater(uses: ReadonlyMap<number, readonly FactUse[]>) {
  const byResult = new Map<number, Set<string>>();
  for (const { origin, fact } of [...uses.values()].flat()) {
    byResult.set(origin, (byResult.get(origin) ?? new Set()).add(fact));
  }
  return byResult;
}

/** Names that every model knows without having seen a result, for `--known`. */
export const KNOWN_WORDS = new Set(
  `package.json package-lock.json tsconfig.json README.md CHANGELOG.md LICENSE node_modules .gitignore
  index.ts index.js main.go go.mod go.sum setup.py setup.cfg pyproject.toml requirements.txt Makefile
  Dockerfile docker-compose.yml Cargo.toml __init__.py __init__ __name__ __main__ conftest.py
  stdout stderr stdin console.log process.env JSON.stringify JSON.parse toString forEach indexOf
  useState useEffect useMemo useCallback useRef className onClick onChange addEventListener
  getElementById querySelector innerHTML setTimeout clearTimeout setInterval readFile writeFile
  readFileSync writeFileSync existsSync isArray hasOwnProperty toLowerCase toUpperCase startsWith
  endsWith parseInt parseFloat TypeError ValueError KeyError AttributeError ImportError
  IndexError RuntimeError NotImplementedError SyntaxError ReferenceError unittest pytest
  application/json text/html text/plain utf-8 UTF-8 Content-Type user-agent User-Agent
  github.com localhost 127.0.0.1 origin/main feature-branch read-only built-in well-known
  follow-up end-to-end up-to-date real-time third-party non-empty command-line open-source
  string number boolean object function undefined default import export return static public
  private interface required optional description properties additionalProperties
  background-color font-size font-weight text-align margin-top margin-bottom padding-left
  border-radius flex-1 items-center justify-between justify-center font-medium font-semibold
  text-sm text-xs text-lg rounded-lg w-full h-full`.split(/\s+/),
);
