import type {
  PageChars,
  PageCheck,
  PageDetail,
  PageExport,
  PageLines,
  PageMatches,
  PageOverview,
  PageResult,
  PageStrip,
} from "../page-types.js";

export interface SearchOptions {
  readonly session: string | undefined;
  readonly isLiteral: boolean;
  readonly ignoreCase: boolean;
  readonly cursor?: string | undefined;
}

/** Where the page gets what it shows: the server, or the file that it is in. */
export interface Source {
  /** When the file was written; `undefined` for a server. */
  readonly exportedAt: string | undefined;
  readonly hasText: boolean;
  overview(): Promise<PageOverview>;
  results(): Promise<readonly PageResult[]>;
  strip(session: string): Promise<PageStrip>;
  detail(session: string, id: string): Promise<PageDetail>;
  lines(session: string, id: string, from: number, count: number): Promise<PageLines>;
  chars(session: string, id: string, line: number, from: number): Promise<PageChars>;
  search(pattern: string, options: SearchOptions): Promise<PageMatches>;
  check(session: string, id: string): Promise<PageCheck>;
  /** Calls back when something has changed, and when the server comes or goes. */
  watch(onChange: () => void, onState: (isLive: boolean) => void): void;
}

export function openSource(): Source {
  const embedded = document.getElementById("data")?.textContent;
  return embedded ? fileSource(JSON.parse(embedded) as PageExport) : serverSource();
}

function serverSource(): Source {
  const get = async <T>(
    what: string,
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<T> => {
    const given = Object.entries(query).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)]],
    );
    const response = await fetch(`data/${what}?${new URLSearchParams(given).toString()}`);
    const body = (await response.json()) as T & { readonly error?: string };
    if (!response.ok) throw new Error(body.error ?? `status ${response.status}`);
    return body;
  };
  return {
    ...{ exportedAt: undefined, hasText: true },
    overview: () => get("overview"),
    results: () => get("results"),
    strip: (session) => get("strip", { session }),
    detail: (session, id) => get("detail", { session, id }),
    lines: (session, id, from, count) => get("lines", { session, id, from, count }),
    chars: (session, id, line, from) => get("chars", { session, id, line, from }),
    search: (pattern, { session, isLiteral, ignoreCase, cursor }) =>
      get("search", {
        pattern,
        session,
        cursor,
        literal: isLiteral ? 1 : 0,
        "ignore-case": ignoreCase ? 1 : 0,
      }),
    check: (session, id) => get("check", { session, id }),
    watch(onChange, onState) {
      const events = new EventSource("events");
      events.addEventListener("change", onChange);
      events.addEventListener("open", () => {
        onState(true);
      });
      events.addEventListener("error", () => {
        onState(false);
      });
    },
  };
}

const LINE_CHARS = 2_000;
const MAX_MATCHES = 500;

/** The same from one file: a search there is the browser's. */
function fileSource({ exportedAt, overview, results, strips, details, texts }: PageExport): Source {
  const indexOf = (session: string, id: string): number =>
    details.findIndex(({ result }) => result.sessionId === session && result.artifactId === id);
  const split = new Map<number, readonly string[]>();
  const linesOf = (index: number): readonly string[] => {
    const known = split.get(index) ?? (texts?.[index] ?? "").split("\n");
    split.set(index, known);
    return known;
  };
  const found = <T>(value: T | undefined): Promise<T> =>
    value === undefined
      ? Promise.reject(new Error("this file does not hold it"))
      : Promise.resolve(value);
  return {
    ...{ exportedAt, hasText: texts !== undefined },
    overview: () => Promise.resolve(overview),
    results: () => Promise.resolve(results),
    strip: (session) => found(strips.find(([id]) => id === session)?.[1]),
    detail: (session, id) => found(details[indexOf(session, id)]),
    lines(session, id, from, count) {
      const all = linesOf(indexOf(session, id));
      const lines = all.slice(from - 1, from - 1 + count).map((text) => ({
        ...{ text: text.slice(0, LINE_CHARS), left: Math.max(0, text.length - LINE_CHARS) },
      }));
      return Promise.resolve({ from, of: all.length, lines });
    },
    chars(session, id, line, from) {
      const whole = linesOf(indexOf(session, id))[line - 1] ?? "";
      const text = whole.slice(from - 1, from - 1 + LINE_CHARS);
      return Promise.resolve({ text, from, to: from + text.length - 1, of: whole.length });
    },
    search(pattern, { session, isLiteral, ignoreCase }) {
      if (!texts)
        return Promise.reject(new Error("this file was exported without the stored text"));
      const source = isLiteral ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : pattern;
      const matcher = new RegExp(source, ignoreCase ? "i" : "");
      const groups = details.flatMap(({ result: { sessionId, artifactId } }, index) => {
        if (session !== undefined && session !== sessionId) return [];
        const lines = linesOf(index).flatMap((text, at) =>
          matcher.test(text) ? [{ line: at + 1, text: text.slice(0, LINE_CHARS) }] : [],
        );
        return lines.length === 0
          ? []
          : [{ sessionId, artifactId, matches: lines.length, lines: lines.slice(0, MAX_MATCHES) }];
      });
      return Promise.resolve({
        groups,
        note: groups.length === 0 ? "No match." : undefined,
        cursor: undefined,
      });
    },
    check: () => Promise.reject(new Error("only the running page can check what is stored")),
    watch: () => undefined,
  };
}
