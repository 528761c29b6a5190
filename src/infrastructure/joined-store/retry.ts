import { StoreUnreachableError } from "../../core/errors/storage-errors.js";
import { requireCount } from "../../core/arguments.js";
import { DEFAULTS } from "../../core/defaults.js";

/** How long a store that does not answer is waited for. */
export interface RetryOptions {
  /** How long one call may take, with as many attempts as fit. Default 30,000. */
  readonly deadlineMs?: number | undefined;
  /** How long one attempt may take. Default 10,000. */
  readonly attemptMs?: number | undefined;
}

const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 1_000;

const CONNECTION_FAILED =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** True for a code of the system that says that a connection was refused, cut or not answered. */
export function isConnectionFailure(code: unknown): boolean {
  return typeof code === "string" && CONNECTION_FAILED.test(code);
}

/**
 * Runs work against something that may be unreachable for a while. Work that had to wait for its turn
 * calls `begin`, from when on it has the whole time of an attempt.
 */
export type Retry = <T>(work: (signal: AbortSignal, begin: () => void) => Promise<T>) => Promise<T>;

/**
 * @param what - What may be unreachable, for the error. Never with a password.
 * @param isTransient - Whether another attempt may succeed after this error.
 */
export function createRetry(
  what: string,
  isTransient: (error: unknown) => boolean,
  options: RetryOptions = {},
): Retry {
  const deadlineMs = requireCount("deadlineMs", options.deadlineMs, DEFAULTS.storeDeadlineMs);
  const attemptMs = requireCount("attemptMs", options.attemptMs, DEFAULTS.storeAttemptMs);
  return async (work) => {
    const endsAt = performance.now() + deadlineMs;
    for (let attempt = 1; ; attempt++) {
      const attemptTime = () => Math.min(attemptMs, Math.max(endsAt - performance.now(), 1));
      try {
        return await withinTime(attemptTime, work);
      } catch (error) {
        if (!(error instanceof AttemptTimeout) && !isTransient(error)) throw error;
        const pauseMs = pauseBefore(attempt);
        if (performance.now() + pauseMs >= endsAt) {
          throw new StoreUnreachableError(what, attempt, error);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };
}

/** Twice as long each time, and never the same for two callers that failed together. */
function pauseBefore(attempt: number): number {
  const maxMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
  return maxMs * (0.5 + Math.random() / 2);
}

class AttemptTimeout extends Error {}

/** Rejects when the time is over, even if the work does not heed its signal. */
async function withinTime<T>(
  time: () => number,
  work: (signal: AbortSignal, begin: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let begin: () => void = () => undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    begin = () => {
      clearTimeout(timer);
      const ms = time();
      timer = setTimeout(() => {
        const error = new AttemptTimeout(`no answer within ${Math.round(ms)} ms`);
        reject(error);
        controller.abort(error);
      }, ms);
    };
  });
  begin();
  try {
    return await Promise.race([work(controller.signal, begin), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
