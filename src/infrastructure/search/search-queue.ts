import type { SearchJob } from "./search-job.js";

/** Searches that are waiting for a worker. Groups take turns; the searches of a group keep their order. */
export class SearchQueue {
  /** The group whose turn is next comes first. */
  readonly #groups = new Map<string, SearchJob[]>();

  add(job: SearchJob): void {
    const waiting = this.#groups.get(job.group);
    if (waiting === undefined) this.#groups.set(job.group, [job]);
    else waiting.push(job);
  }

  /** Takes the next search that `accepts` allows. */
  take(accepts: (job: SearchJob) => boolean): SearchJob | undefined {
    for (const [group, waiting] of this.#groups) {
      const job = waiting.find(accepts);
      if (job === undefined) continue;
      this.remove(job);
      this.#groups.delete(group);
      if (waiting.length > 0) this.#groups.set(group, waiting);
      return job;
    }
    return undefined;
  }

  /** @returns whether it was waiting. */
  remove(job: SearchJob): boolean {
    const waiting = this.#groups.get(job.group) ?? [];
    const at = waiting.indexOf(job);
    if (at === -1) return false;
    waiting.splice(at, 1);
    if (waiting.length === 0) this.#groups.delete(job.group);
    return true;
  }

  /** Takes all searches. */
  drain(): SearchJob[] {
    const jobs = [...this.#groups.values()].flat();
    this.#groups.clear();
    return jobs;
  }
}
