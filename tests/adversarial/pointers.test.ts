import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { unwrap } from "../../src/core/lib/wrapping/readable-text.js";
import type { ContextOffloadError } from "../../src/index.js";
import { runs } from "../support/adversarial-runs.js";
import { followAll } from "../support/follow-readings.js";
import { memoryWorkspaceOf } from "../support/memory-workspace.js";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const KEYS = [
  ...["", "a", "b", "/", "~", "~0", "~1", "a/b", "a~b", "0", "1", "01", "-", "-1", " ", "é", "😀"],
  ...[
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "length",
    "\\",
    '"',
    "\n",
    "\0",
    "\ud83d",
    "$",
    "#/a",
  ],
];
const TEXTS = [
  "",
  "x",
  "a\nb",
  "é漢😀",
  "\ud83d",
  "\ude00\ud83d",
  '"\\/',
  "\u0000\u2028",
  "[1]",
  "{}",
];
const NUMBERS = ["0", "-0", "1.0", "12345678901234567890", "1e400", "-1E-7", "0.1e+1"];

const gap = fc.constantFrom("", "", "", " ", "\n", "\t\r\n ");
/** JSON of a string, with all or none of its units escaped. */
const aString = (texts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...texts), fc.boolean())
    .map(([text, isEscaped]) =>
      isEscaped
        ? `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`
        : JSON.stringify(text),
    );

/** Valid JSON as it is written by hand or by other programs: spaces, escapes, keys twice, large numbers. */
const { json } = fc.letrec<{ json: string; member: string }>((tie) => ({
  member: fc
    .tuple(aString(KEYS), gap, tie("json"), gap)
    .map(([key, before, value, after]) => `${after}${key}${before}:${value}`),
  json: fc
    .tuple(
      gap,
      fc.oneof(
        { depthSize: "small", maxDepth: 5 },
        aString(TEXTS),
        fc.constantFrom("true", "false", "null", ...NUMBERS),
        fc.array(tie("json"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
        fc
          .tuple(fc.array(tie("member"), { maxLength: 5 }), gap)
          .map(([members, end]) => `{${members.join(",")}${end}}`),
      ),
      gap,
    )
    .map((parts) => parts.join("")),
}));

const token = fc.oneof(fc.constantFrom(...KEYS), fc.nat({ max: 6 }).map(String));

const memberOf = (value: object, key: string): Json =>
  (value as Readonly<Record<string, Json>>)[key] ?? null;

/** What a pointer leads to, by the letter of RFC 6901. */
function evaluate(value: Json, tokens: readonly string[]): { found: Json } | undefined {
  let at = value;
  for (const key of tokens) {
    if (Array.isArray(at)) {
      const item = /^(?:0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined;
      if (item === undefined) return undefined;
      at = item;
    } else if (typeof at === "object" && at !== null && Object.hasOwn(at, key)) {
      at = memberOf(at, key);
    } else return undefined;
  }
  return { found: at };
}

/** Tokens that lead somewhere, as often as there is somewhere to go. */
function walk(value: Json, choices: readonly number[]): string[] {
  const tokens: string[] = [];
  let at = value;
  for (const choice of choices) {
    if (typeof at !== "object" || at === null) break;
    const keys = Object.keys(at);
    const key = keys[choice % Math.max(1, keys.length)];
    if (key === undefined) break;
    tokens.push(key);
    at = memberOf(at, key);
  }
  return tokens;
}

const pointerOf = (tokens: readonly string[]) =>
  tokens.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

it("a pointer leads where it leads in the parsed value, and nowhere else", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      json,
      fc.array(fc.array(fc.nat({ max: 20 }), { maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(token, { maxLength: 4 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (text, walks, guesses, limit) => {
        // Inside a wrapper, a pointer leads to what is wrapped.
        fc.pre(unwrap(text) === undefined);
        const value = JSON.parse(text) as Json;
        const workspace = await memoryWorkspaceOf(text);
        for (const tokens of [...walks.map((choices) => walk(value, choices)), ...guesses]) {
          const pointer = pointerOf(tokens);
          const expected = evaluate(value, tokens);
          const most = { pointer, maxChars: 1_000_000 };
          const reading = await workspace
            .queryKnowledge("a", { ...most, limit: 1_000 })
            .catch((error: unknown) => error as ContextOffloadError);
          // `/` is taken for the whole value where there is no empty key.
          if (!expected && pointer === "/") continue;
          if (!expected) {
            expect(reading).toMatchObject({ code: "POINTER_NOT_FOUND" });
            continue;
          }
          found += 1;
          if (reading instanceof Error) throw reading;
          expect(reading.next).toBeUndefined();
          const read: unknown =
            typeof expected.found === "string" ? reading.text : JSON.parse(reading.text);
          expect({ pointer, same: isDeepStrictEqual(read, expected.found), read }).toMatchObject({
            same: true,
          });
          if (!Array.isArray(expected.found)) continue;
          const pages = await followAll(
            workspace,
            await workspace.queryKnowledge("a", { ...most, limit }),
            { maxChars: most.maxChars },
          );
          const items = pages.flatMap((page) => JSON.parse(page.text) as Json[]);
          expect(isDeepStrictEqual(items, expected.found)).toBe(true);
        }
      },
    ),
    { numRuns: runs(1_000) },
  );
  expect(found).toBeGreaterThan(runs(1_000));
});

it("a long string comes page by page, no unit lost", async () => {
  const unit = fc.constantFrom("a", "é", "😀", "\ud83d", "\ude00", "\n", '"', "\\", "\0");
  const text = fc.array(unit, { maxLength: 80 }).map((units) => units.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 2, max: 20 }), async (value, maxChars) => {
      const workspace = await memoryWorkspaceOf(JSON.stringify({ s: [value] }));
      const first = await workspace.queryKnowledge("a", { pointer: "/s/0", maxChars });
      const pages = await followAll(workspace, first, { maxChars });
      expect(pages.map((page) => page.text).join("")).toBe(value);
    }),
    { numRuns: runs(200) },
  );
});

it("what is not JSON is refused and never answered", async () => {
  await fc.assert(
    fc.asyncProperty(
      json,
      fc.nat(),
      fc.constantFrom(...'{}[],:"\\xt0-+.e\u0001'.split(""), ""),
      async (written, place, char) => {
        // On one line: values on lines of their own are a sequence, which can be queried too.
        const text = JSON.stringify(JSON.parse(written));
        const at = place % (text.length + 1);
        const broken = text.slice(0, at) + char + text.slice(at + 1);
        let parsed: { value: unknown } | undefined;
        try {
          parsed = { value: JSON.parse(broken) };
        } catch {
          parsed = undefined;
        }
        const workspace = await memoryWorkspaceOf(broken);
        const reading = await workspace
          .queryKnowledge("a", { maxChars: 1_000_000, limit: 1_000 })
          .catch((error: unknown) => error as ContextOffloadError);
        if (!parsed) expect(reading, JSON.stringify(broken)).toMatchObject({ code: "NOT_JSON" });
        else expect(reading).not.toBeInstanceOf(Error);
      },
    ),
    { numRuns: runs(700) },
  );
});
