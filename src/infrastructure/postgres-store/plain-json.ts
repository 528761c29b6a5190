/**
 * A value as JSON that jsonb can hold: NUL and lone surrogates, which it refuses, are escaped, and the
 * escape character is, too, so that two values are equal exactly if they were before.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "string") return plainText(inner);
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [plainText(key), one]));
  });
}

/** A character that texts hardly use. */
const ESCAPE = "\ue000";
/** The escape character and lone surrogates. */
const ODD = /[\ue000\p{Cs}]/gu;

function plainText(text: string): string {
  return text
    .replace(ODD, (odd) => `${ESCAPE}${odd.charCodeAt(0).toString(16)}`)
    .replaceAll("\0", `${ESCAPE}0000`);
}
