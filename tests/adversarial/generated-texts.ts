import fc from "fast-check";
import { anyString } from "../support/any-string.js";

const FRAGMENTS = [
  ..."\n \n \r\n \r \n\r \0 \t \ufeff \u2028 \u0085 a é 漢 😀 \ud83d \ude00 \ude00\ud83d 👩‍👩‍👧 שלום \u200b".split(
    " ",
  ),
  ...["", " ", '"', "\\", "{", "[1,2]", "<b>", "</knowledge>\n", "2024-05-01 ERROR refused"],
];

/** Runs as long as the distance between two checkpoints of the index, and a bit to either side. */
const longRun = fc
  .tuple(fc.constantFrom("a", "é", "漢", "😀", "\n", "x\r\n", "\ud83d"), fc.nat({ max: 40 }))
  .map(([unit, more]) => {
    const bytes = Buffer.byteLength(unit);
    return unit.repeat(Math.floor(65_536 / bytes) - 20 + more);
  });

const short = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...FRAGMENTS) },
    { weight: 1, arbitrary: anyString({ maxLength: 5 }) },
  ),
  { maxLength: 40 },
);

/** Texts of any script with lone surrogates, NUL, byte-order marks and every kind of line break. */
export const hostileText = fc
  .oneof(
    { weight: 9, arbitrary: short },
    {
      weight: 1,
      arbitrary: fc.tuple(short, longRun, short, longRun, short).map((parts) => parts.flat()),
    },
  )
  .map((parts) => parts.join(""));

/** The lines as readings count them: a final line break begins no line, and every "\r" is kept. */
export function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Whether the place after so many units is between the halves of a character. */
export function isInsidePair(text: string, units: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(units - 1, 0), units + 1));
}
