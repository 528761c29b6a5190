import type { Line, Name } from "./scan-text.js";

/** A line that may be shown, with what makes it worth showing besides its names. */
export interface Candidate {
  readonly line: Line;
  /** What it takes to show it, in characters. */
  readonly cost: number;
  bonus: number;
  /** What to say after it. */
  readonly suffix: string;
}

/**
 * The lines that show the most names for their length, within a budget: always the best one next,
 * where a name counts only until it is shown. The names of chosen lines get a worth of 0.
 */
export function chooseLines(candidates: readonly Candidate[], budgetChars: number): Candidate[] {
  const heap = candidates.map((candidate) => ({ candidate, score: scoreOf(candidate) }));
  for (let at = (heap.length >> 1) - 1; at >= 0; at -= 1) sink(heap, at);
  const chosen: Candidate[] = [];
  let left = budgetChars;
  while (heap.length > 0 && left > 0) {
    const [top] = heap;
    if (top === undefined || top.score <= 0) break;
    // What was shown since lowered some scores; none has risen, so the first that holds is the best.
    const score = scoreOf(top.candidate);
    if (score < top.score) {
      top.score = score;
      sink(heap, 0);
      continue;
    }
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      sink(heap, 0);
    }
    if (top.candidate.cost > left) continue;
    left -= top.candidate.cost;
    chosen.push(top.candidate);
    for (const name of top.candidate.line.names) name.worth = 0;
  }
  return chosen;
}

function scoreOf({ line, cost, bonus }: Candidate): number {
  return (worthOf(line.names) + bonus) / (cost + 8);
}

/** A name that a line has twice counts twice, which does not matter. */
function worthOf(names: readonly Name[]): number {
  let worth = 0;
  for (const name of names) worth += name.worth;
  return worth;
}

interface Scored {
  readonly candidate: Candidate;
  score: number;
}

function sink(heap: Scored[], from: number): void {
  const moved = heap[from];
  if (moved === undefined) return;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    const one = heap[child];
    const other = heap[child + 1];
    if (one === undefined) break;
    let larger = one;
    if (other !== undefined && other.score > one.score) {
      larger = other;
      child += 1;
    }
    if (larger.score <= moved.score) break;
    heap[at] = larger;
    at = child;
  }
  heap[at] = moved;
}
