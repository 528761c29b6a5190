const MAX_DEPTH = 64;
/** So much of the input of a call is looked at. */
const MOST_CALL_CHARS = 2_048;
/** So much of one text is looked at; what follows is rarely repeated. */
const MOST_TEXT_CHARS = 20_480;

/**
 * The texts in a value of any form, in their order, up to a number of characters in all. What cannot
 * be read has no texts.
 */
export function textsOf(value: unknown, maxChars: number): string[] {
  const texts: string[] = [];
  let left = maxChars;
  const collect = (item: unknown, depth: number): void => {
    if (left <= 0) return;
    if (typeof item === "string") {
      const text = item.slice(0, Math.min(left, MOST_TEXT_CHARS));
      left -= text.length;
      texts.push(text);
    } else if (typeof item === "object" && item !== null && depth < MAX_DEPTH) {
      for (const inner of Object.values(item)) collect(inner, depth + 1);
    }
  };
  try {
    collect(value, 0);
  } catch {
    // A getter may throw; what was found before it counts.
  }
  return texts;
}

/** What the input of a call says, in one text; it is passed as the message holds it, as JSON or a value. */
export function aboutCall(input: unknown): string | undefined {
  const texts = textsOf(input, MOST_CALL_CHARS);
  return texts.length === 0 ? undefined : texts.join("\n");
}
