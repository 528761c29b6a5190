import fc from "fast-check";

const upTo = (max: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max }).map((point) => String.fromCodePoint(point));

const anyCodePoint = fc.oneof(upTo(0xff), upTo(0xffff), upTo(0x10ffff));

/** Strings of any code points, lone surrogates among them; `unit: "binary"` takes a second to make. */
export const anyString = (
  constraints: Omit<fc.StringConstraints, "unit"> = {},
): fc.Arbitrary<string> => fc.string({ ...constraints, unit: anyCodePoint });
