/**
 * Numbers, `true`, `false` and `null` as one transition table: one look-up per byte, and a scan can
 * be interrupted at any byte.
 */

/** The byte does not belong to the scalar. */
export const NO_SCALAR = 0;
const START = 1;
const MINUS = 2;
const ZERO = 3;
const INTEGER = 4;
const POINT = 5;
const FRACTION = 6;
const EXPONENT = 7;
const EXPONENT_SIGN = 8;
const EXPONENT_DIGITS = 9;
const WORD_END = 10;
const FIRST_WORD_STATE = 11;

const WORDS = ["true", "false", "null"];
const STATES = FIRST_WORD_STATE + WORDS.join("").length;

const table = new Uint8Array(STATES * 256);

function go(from: number, bytes: string, to: number): void {
  for (const char of bytes) table[from * 256 + char.charCodeAt(0)] = to;
}

const NON_ZERO = "123456789";
const DIGITS = `0${NON_ZERO}`;
go(START, "-", MINUS);
for (const from of [START, MINUS]) {
  go(from, "0", ZERO);
  go(from, NON_ZERO, INTEGER);
}
go(INTEGER, DIGITS, INTEGER);
for (const from of [ZERO, INTEGER]) go(from, ".", POINT);
for (const from of [POINT, FRACTION]) go(from, DIGITS, FRACTION);
for (const from of [ZERO, INTEGER, FRACTION]) go(from, "eE", EXPONENT);
go(EXPONENT, "+-", EXPONENT_SIGN);
for (const from of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) go(from, DIGITS, EXPONENT_DIGITS);

let free = FIRST_WORD_STATE;
for (const word of WORDS) {
  let from = START;
  for (let index = 0; index < word.length; index += 1) {
    const to = index === word.length - 1 ? WORD_END : free++;
    go(from, word.charAt(index), to);
    from = to;
  }
}

/** The state that the first byte of a scalar leads to; `NO_SCALAR` when none begins so. */
export function beginScalar(byte: number): number {
  return table[START * 256 + byte] as number;
}

/** The state after one more byte; `NO_SCALAR` when the byte does not belong to the scalar. */
export function nextScalarState(state: number, byte: number): number {
  return table[state * 256 + byte] as number;
}

/** True when the scalar may end in this state. */
export function isCompleteScalar(state: number): boolean {
  return (
    state === ZERO ||
    state === INTEGER ||
    state === FRACTION ||
    state === EXPONENT_DIGITS ||
    state === WORD_END
  );
}
