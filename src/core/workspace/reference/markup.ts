/** Escapes text for use between tags. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** Escapes text for use in a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what must be escaped
  return text.replace(/[&<>"\u0000-\u001f\u007f]/g, (character) => {
    return ESCAPES[character] ?? `&#${character.charCodeAt(0)};`;
  });
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

const UNESCAPES = new Map(
  Object.entries(ESCAPES).map(([character, escape]) => [escape, character]),
);

export function unescapeMarkup(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#(\d+));/g, (escape, code: string | undefined) =>
    code === undefined ? (UNESCAPES.get(escape) ?? escape) : String.fromCharCode(Number(code)),
  );
}
