/** Further cells are cut off; there is no need to split a row of a minified file completely. */
const MOST_CELLS = 2_000;

/** The cells of a row; a cell in quotation marks may hold the delimiter. */
export function splitCells(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter, MOST_CELLS);
  const cells: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length && cells.length < MOST_CELLS; at += 1) {
    const unit = text[at];
    if (unit === '"') quoted = !quoted;
    else if (unit === delimiter && !quoted) {
      cells.push(unquote(text.slice(start, at)));
      start = at + 1;
    }
  }
  cells.push(unquote(text.slice(start)));
  return cells;
}

function unquote(cell: string): string {
  const text = cell.trim();
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).split('""').join('"')
    : cell;
}
