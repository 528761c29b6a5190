import fc from "fast-check";

/** Where a text of its own stands in a JSON text. */
export class Hole {
  constructor(readonly name: string) {}
}

const SPACES = ["", "", " ", "\t", "  ", "\r"];
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "/": "\\/",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Writes JSON as no serializer does, but as every parser takes it. */
export type OddWriter = (value: unknown) => string;

/** Writers with other spaces, escapes, numbers and repeated keys each. */
export const oddWriters: fc.Arbitrary<OddWriter> = fc
  .array(fc.nat({ max: 59 }), { minLength: 1, maxLength: 40 })
  .map((choices) => {
    let turn = 0;
    const pick = (count: number) => (choices[turn++ % choices.length] ?? 0) % count;
    const space = () => SPACES[pick(SPACES.length)] ?? "";
    const unit = (character: string) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, "0");
      const short = SHORT[character];
      const mustEscape = character < " " || character === '"' || character === "\\";
      const way = pick(mustEscape ? 3 : 5);
      if (way === 0 || (mustEscape && short === undefined)) return `\\u${code}`;
      if (way === 1) return `\\u${code.toUpperCase()}`;
      return short !== undefined && (mustEscape || way === 2) ? short : character;
    };
    const string = (text: string) => `"${text.split("").map(unit).join("")}"`;
    const number = (value: number) =>
      pick(3) === 0 && Number.isInteger(value) && Math.abs(value) < 1e6
        ? `${value}.0E+0`
        : JSON.stringify(value);
    const write = (value: unknown): string => {
      if (value instanceof Hole) return value.name;
      if (typeof value === "string") return string(value);
      if (typeof value === "number") return number(value);
      if (typeof value !== "object" || value === null) return JSON.stringify(value);
      const items = Array.isArray(value)
        ? value.map((item) => space() + write(item) + space())
        : Object.entries(value).flatMap(([key, item]) => {
            const member = (held: unknown) =>
              space() + string(key) + space() + ":" + space() + write(held) + space();
            return pick(4) === 0 ? [member(["}", 1]), member(item)] : [member(item)];
          });
      return Array.isArray(value) ? `[${items.join(",")}]` : `{${items.join(",")}}`;
    };
    return (value) => space() + write(value) + space();
  });

/** Fills holes in a text that an odd writer wrote. */
export function fill(text: string, contents: Readonly<Record<string, string>>): string {
  return Object.entries(contents).reduce(
    (filled, [name, content]) => filled.replace(name, () => content),
    text,
  );
}
