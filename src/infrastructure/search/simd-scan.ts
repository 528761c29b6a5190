/**
 * Two SIMD loops over bytes: one counts a byte, the other finds a needle by its two rarest bytes. Node
 * has no native count, and its `indexOf` is slow if the first byte is a frequent one.
 */

/** The part of WebAssembly that is used here; the loaded type libraries do not include it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

export interface SimdScan {
  readonly memory: {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  };
  /** How often `byte` occurs from `from` up to `end`. Reads only there. */
  count(from: number, end: number, byte: number): number;
  /**
   * The next position of the needle, the `length` bytes at `needle`, completely between `from` and
   * `end`; -1 if there is none. `firstByte` is its byte at `firstOffset`, `secondByte` the one at
   * `secondOffset`. Reads up to 16 bytes past `end`.
   */
  find(
    from: number,
    end: number,
    needle: number,
    length: number,
    firstOffset: number,
    firstByte: number,
    secondOffset: number,
    secondByte: number,
  ): number;
}

const I32 = 0x7f;
const V128 = 0x7b;
const VOID = 0x40;

const block = [0x02, VOID];
const loop = [0x03, VOID];
const end = [0x0b];
const branch = (depth: number): number[] => [0x0c, depth];
const branchIf = (depth: number): number[] => [0x0d, depth];
const returnValue = [0x0f];
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
/** A small constant, from -64 to 63. */
const i32 = (value: number): number[] => [0x41, value & 0x7f];
const loadByte = [0x2d, 0, 0];
const isZero = [0x45];
const differs = [0x47];
const isGreater = [0x4b];
const isAtLeast = [0x4f];
const countTrailingZeros = [0x68];
const countOnes = [0x69];
const add = [0x6a];
const subtract = [0x6b];
const and = [0x71];
const equals = [0x46];
const loadVector = (offset = 0): number[] => [0xfd, 0x00, 0, offset];
const splatByte = [0xfd, 0x0f];
const equalBytes = [0xfd, 0x23];
const andVectors = [0xfd, 0x4e];
const orVectors = [0xfd, 0x50];
const isAnySet = [0xfd, 0x53];
const bitmask = [0xfd, 0x64];

/** Offsets of four adjacent vectors. */
const VECTORS = [0, 16, 32, 48];
const i32Of64 = [0x41, 0xc0, 0x00];

/** count(0: at, 1: end, 2: byte) with 3: count, 4: the byte sixteen times. */
const countBody = [
  ...[...get(2), ...splatByte, ...set(4)],
  ...block,
  ...loop,
  ...[...get(0), ...i32Of64, ...add, ...get(1), ...isGreater, ...branchIf(1)],
  ...get(3),
  ...VECTORS.flatMap((offset) => [
    ...[...get(0), ...loadVector(offset), ...get(4), ...equalBytes],
    ...[...bitmask, ...countOnes, ...add],
  ]),
  ...set(3),
  ...[...get(0), ...i32Of64, ...add, ...set(0)],
  ...branch(0),
  ...end,
  ...end,
  // The remaining bytes, fewer than 64.
  ...block,
  ...loop,
  ...[...get(0), ...get(1), ...isAtLeast, ...branchIf(1)],
  ...[...get(0), ...loadByte, ...get(2), ...equals, ...get(3), ...add, ...set(3)],
  ...[...get(0), ...i32(1), ...add, ...set(0)],
  ...branch(0),
  ...end,
  ...end,
  ...get(3),
  ...end,
];

/**
 * find(0: at, 1: end, 2: needle, 3: length, 4: first offset, 5: first byte, 6: second offset,
 * 7: second byte) with 8: mask of candidates, 9: candidate, 10: bytes compared, 11 and 12: the two
 * bytes sixteen times.
 */
const findBody = [
  ...[...get(5), ...splatByte, ...set(11)],
  ...[...get(7), ...splatByte, ...set(12)],
  ...block,
  ...loop,
  // Skip 64 positions at a time while the two bytes do not occur together.
  ...block,
  ...loop,
  ...[...get(0), ...get(3), ...add, ...i32Of64, ...add, ...get(1), ...isGreater, ...branchIf(1)],
  ...VECTORS.flatMap((offset, index) => [
    ...[...get(0), ...get(4), ...add, ...loadVector(offset), ...get(11), ...equalBytes],
    ...[...get(0), ...get(6), ...add, ...loadVector(offset), ...get(12), ...equalBytes],
    ...[...andVectors, ...(index === 0 ? [] : orVectors)],
  ]),
  ...[...isAnySet, ...branchIf(1)],
  ...[...get(0), ...i32Of64, ...add, ...set(0)],
  ...branch(0),
  ...end,
  ...end,
  ...[...get(0), ...get(3), ...add, ...get(1), ...isGreater, ...branchIf(1)],
  ...[...get(0), ...get(4), ...add, ...loadVector(), ...get(11), ...equalBytes],
  ...[...get(0), ...get(6), ...add, ...loadVector(), ...get(12), ...equalBytes],
  ...[...andVectors, ...bitmask, ...set(8)],
  // Each candidate among the sixteen.
  ...block,
  ...loop,
  ...[...get(8), ...isZero, ...branchIf(1)],
  ...[...get(0), ...get(8), ...countTrailingZeros, ...add, ...tee(9)],
  ...[...get(3), ...add, ...get(1), ...isGreater, ...branchIf(3)],
  ...[...i32(0), ...set(10)],
  ...block,
  ...loop,
  ...[...get(9), ...get(10), ...add, ...loadByte],
  ...[...get(2), ...get(10), ...add, ...loadByte, ...differs, ...branchIf(1)],
  ...[...get(10), ...i32(1), ...add, ...tee(10), ...get(3), ...differs, ...branchIf(0)],
  ...[...get(9), ...returnValue],
  ...end,
  ...end,
  // Clear the lowest bit of the mask.
  ...[...get(8), ...get(8), ...i32(1), ...subtract, ...and, ...set(8)],
  ...branch(0),
  ...end,
  ...end,
  ...[...get(0), ...i32(16), ...add, ...set(0)],
  ...branch(0),
  ...end,
  ...end,
  ...i32(-1),
  ...end,
];

/** A number in LEB128, as WebAssembly encodes lengths: seven bits per byte, the lowest first. */
function length(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...length(value >> 7)];
}

function sized(bytes: readonly number[]): number[] {
  return [...length(bytes.length), ...bytes];
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  return [id, ...sized([...length(entries.length), ...entries.flat()])];
}

function signature(parameters: number): number[] {
  return [0x60, ...sized(new Array<number>(parameters).fill(I32)), ...sized([I32])];
}

function body(integers: number, vectors: number, code: readonly number[]): number[] {
  return sized([2, integers, I32, vectors, V128, ...code]);
}

function exported(name: string, kind: number, index: number): number[] {
  return [...sized(Array.from(name, (char) => char.charCodeAt(0))), kind, index];
}

const moduleBytes = [
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...section(1, [signature(3), signature(8)]),
  ...section(3, [[0], [1]]),
  ...section(5, [[0x00, 1]]),
  ...section(7, [exported("memory", 2, 0), exported("count", 0, 0), exported("find", 0, 1)]),
  ...section(10, [body(1, 1, countBody), body(3, 2, findBody)]),
];

/** The two loops with their own memory, or undefined if the platform cannot run them. */
export function loadSimdScan(): SimdScan | undefined {
  const api = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly;
  if (api === undefined) return undefined;
  try {
    return new api.Instance(new api.Module(Uint8Array.from(moduleBytes))).exports as SimdScan;
  } catch {
    return undefined;
  }
}
