/** A line about the run of a command, as Codex puts before its output. */
const RUN_LINE =
  /^(?:Chunk ID: |Wall time: |Exit code: |Process exited with code |Process running with session ID |Original token count: |Total output lines: )/;
const MOST_LINES = 10;
const MOST_LINE_CHARS = 200;

/** The lines about the run of a command and where its output begins; `undefined` if there are none. */
export function readOutputHeader(
  text: string,
): { readonly fields: readonly string[]; readonly start: number } | undefined {
  const head = text.slice(0, MOST_LINES * MOST_LINE_CHARS);
  const fields: string[] = [];
  let at = 0;
  while (fields.length < MOST_LINES) {
    const end = head.indexOf("\n", at);
    if (end === -1 || end - at > MOST_LINE_CHARS) return undefined;
    const line = head.slice(at, end).trimEnd();
    at = end + 1;
    if (line === "Output:") return fields.length === 0 ? undefined : { fields, start: at };
    if (line === "OBSERVATION:" && fields.length === 0) return { fields: [line], start: at };
    if (!RUN_LINE.test(line)) return undefined;
    fields.push(line);
  }
  return undefined;
}
