import { SearchFailedError } from "../../core/errors/reading-errors.js";
import { type SearchJob, type SearchResult, SearchWorker } from "./search-worker.js";

/**
 * How many searches run at once. Patterns leave one to plain text, which so never waits for a pattern; a
 * session leaves one to the other sessions of its workspace, and a workspace one to the others.
 */
const LIMITS = {
  session: { patterns: 2, all: 3 },
  workspace: { patterns: 3, all: 4 },
  process: { patterns: 4, all: 5 },
};

/** Searches that are waiting for a worker. Workspaces take turns, and so do the sessions of each; the searches of a session keep their order. */
export class SearchQueue {
  /** By workspace and session; the one whose turn is next comes first. */
  readonly #workspaces = new Map<string, Map<string, SearchJob[]>>();

  add(job: SearchJob): void {
    const sessions = this.#workspaces.get(job.workspace) ?? new Map<string, SearchJob[]>();
    this.#workspaces.set(job.workspace, sessions);
    const waiting = sessions.get(job.session) ?? [];
    sessions.set(job.session, waiting);
    waiting.push(job);
  }

  /** Takes the next search that `accepts` allows. */
  take(accepts: (job: SearchJob) => boolean): SearchJob | undefined {
    for (const sessions of this.#workspaces.values()) {
      for (const waiting of sessions.values()) {
        const job = waiting.find(accepts);
        if (job === undefined) continue;
        moveToEnd(sessions, job.session);
        moveToEnd(this.#workspaces, job.workspace);
        this.remove(job);
        return job;
      }
    }
    return undefined;
  }

  /** @returns whether it was waiting. */
  remove(job: SearchJob): boolean {
    const sessions = this.#workspaces.get(job.workspace);
    const waiting = sessions?.get(job.session) ?? [];
    const at = waiting.indexOf(job);
    if (at === -1) return false;
    waiting.splice(at, 1);
    if (waiting.length === 0) sessions?.delete(job.session);
    if (sessions?.size === 0) this.#workspaces.delete(job.workspace);
    return true;
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/**
 * The search workers of this process. One starts when a search finds none that is idle, and ends when it has
 * been idle for some seconds; while no search is running they do not keep the process alive.
 */
export class SearchPool {
  readonly #workers = new Set<SearchWorker>();
  readonly #queue = new SearchQueue();
  /** When a search last came to its end, rather than to its deadline. */
  lastCompleteAt = -Infinity;

  run(job: SearchJob): void {
    this.#queue.add(job);
    this.#dispatch();
  }

  /** Settles the search with this result: at once if it is waiting, else when its worker has stopped. */
  stop(job: SearchJob, result: SearchResult): void {
    if (this.stopWaiting(job, result)) return;
    const worker = [...this.#workers].find((one) => one.job === job);
    worker?.stop(() => result);
  }

  /** The same, but a search that is running goes on. @returns whether it was waiting. */
  stopWaiting(job: SearchJob, result: SearchResult): boolean {
    const isWaiting = this.#queue.remove(job);
    if (isWaiting) job.settle(result);
    return isWaiting;
  }

  #dispatch(): void {
    for (;;) {
      const workers = [...this.#workers];
      // The oldest one, so that the others can end.
      const idle = workers.find(({ isIdle }) => isIdle);
      // One that is being ended still counts.
      if (idle === undefined && workers.length >= LIMITS.process.all) return;
      const running = workers.flatMap(({ job }) => job ?? []);
      const job = this.#queue.take((next) => hasRoom(running, next));
      if (job === undefined) return;
      try {
        (idle ?? this.#startWorker()).begin(job);
      } catch (cause) {
        job.settle({ error: new SearchFailedError("no worker could be started", { cause }) });
      }
    }
  }

  #startWorker(): SearchWorker {
    const worker = new SearchWorker({
      onFree: (isComplete) => {
        if (isComplete) this.lastCompleteAt = performance.now();
        this.#dispatch();
      },
      onGone: () => {
        this.#workers.delete(worker);
        this.#dispatch();
      },
    });
    this.#workers.add(worker);
    return worker;
  }
}

/** Whether a search may begin beside those that are running. */
function hasRoom(running: readonly SearchJob[], next: SearchJob): boolean {
  const inWorkspace = running.filter(({ workspace }) => workspace === next.workspace);
  const inSession = inWorkspace.filter(({ session }) => session === next.session);
  const levels = [
    { jobs: running, limit: LIMITS.process },
    { jobs: inWorkspace, limit: LIMITS.workspace },
    { jobs: inSession, limit: LIMITS.session },
  ];
  return levels.every(
    ({ jobs, limit }) =>
      jobs.length < limit.all &&
      (next.isPlain || jobs.filter(({ isPlain }) => !isPlain).length < limit.patterns),
  );
}
