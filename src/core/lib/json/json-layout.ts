const INDENT = "  ";

/** What a line costs in a container besides its text: a line break, the indentation and a comma. */
export function lineCost(level: number): number {
  return 2 + INDENT.length * (level + 1);
}

/** What a container at a level costs besides its lines. */
export function bracketsCost(level: number): number {
  // The last line has no comma, but a line break before the bracket that closes.
  return 2 + INDENT.length * level;
}

/** A text moved some levels deeper. No line break in indented JSON is part of a string. */
export function nest(text: string, levels: number): string {
  return text.replaceAll("\n", `\n${INDENT.repeat(levels)}`);
}

/** A container whose first bracket is at a level, around lines that are nested in it already. */
export function wrap(kind: "object" | "array", lines: readonly string[], level: number): string {
  const open = kind === "object" ? "{" : "[";
  const close = kind === "object" ? "}" : "]";
  if (lines.length === 0) return open + close;
  const outer = INDENT.repeat(level);
  return `${open}${lines.map((line) => `\n${outer}${INDENT}${line}`).join(",")}\n${outer}${close}`;
}
