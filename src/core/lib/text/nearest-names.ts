/** How many names are compared: the last ones. */
const MAX_NAMES = 2_000;
const MAX_COMPARED_CHARS = 80;

/** The names that are most similar to the requested one, closest matches first. */
export function nearestNames(asked: string, names: readonly string[], count: number): string[] {
  const wanted = asked.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  return names
    .slice(-MAX_NAMES)
    .map((name) => ({
      name,
      distance: distance(wanted, name.slice(0, MAX_COMPARED_CHARS).toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, count)
    .map(({ name }) => name);
}

/** Says which name was probably meant, and lists all: a name that begins as asked comes before similar ones. */
export function suggestNames(asked: string, names: readonly string[]): string {
  const start = asked.toLowerCase();
  const longer = names.filter((name) => name.toLowerCase().startsWith(start));
  const ranked = [...new Set([...longer, ...nearestNames(asked, names, names.length)])];
  return `Did you mean ${ranked[0] ?? ""}? The names, closest first: ${ranked.join(", ")}`;
}

/** The Levenshtein distance: how many characters to insert, delete or replace. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
