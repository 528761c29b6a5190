const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** The characters that the inside of a JSON string stands for, a cut escape at its end dropped. */
export function unescapeJson(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replace(
    /\\(?:u([0-9a-fA-F]{4})|([^u])|u?[0-9a-fA-F]{0,3}$)/gs,
    (_all, hex?: string, plain: string = "") =>
      hex === undefined ? (ESCAPES[plain] ?? plain) : String.fromCharCode(parseInt(hex, 16)),
  );
}
