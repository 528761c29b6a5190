const MAX_IDS = 2_000;
const MAX_COMPARED_CHARS = 80;

/** The ids most like the one that was asked for, most alike first. */
export function nearestIds(asked: string, ids: readonly string[], count: number): string[] {
  const wanted = asked.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  return ids
    .slice(-MAX_IDS)
    .map((id) => ({
      id,
      distance: distance(wanted, id.slice(0, MAX_COMPARED_CHARS).toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance || (a.id < b.id ? -1 : 1))
    .slice(0, count)
    .map(({ id }) => id);
}

/** How many characters must be put in, taken out or changed to make one text of the other. */
function distance(a: string, b: string): number {
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
