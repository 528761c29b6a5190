import { ContextOffloadError, messageOf } from "../errors/context-offload-error.js";
import { ignoreFailure } from "../lib/concurrency.js";
import { redactEvent, type Redacting } from "./artifacts/redaction.js";

/** Something that a workspace did; fields are named like the metadata. */
export interface WorkspaceEvent {
  readonly event:
    "offload" | "read" | "skip" | "step" | "request" | "arrival" | "remove" | "failure";
  /** The method that was called. */
  readonly verb: string;
  readonly time: string;
  readonly duration_ms: number;
  readonly namespace: string;
  readonly context_type: string;
  readonly biz_id: string | null;
  readonly artifact_id: string | null;
  readonly session_id: string | null;
  readonly tool_name?: string | null;
  /** The size of the stored content; in most `read` events, `chars` alone, of the answer. */
  readonly bytes?: number;
  readonly chars?: number;
  readonly lines?: number;
  readonly tokens?: number;
  /** How many tokens fewer the reference has than the content, in an `offload` event. */
  readonly tokens_saved?: number;
  /** In a `step` event: after which reply it was made, how many results it offloaded, and what must be written to a prompt cache again. */
  readonly turn?: number;
  readonly results?: number;
  readonly tokens_rewritten?: number;
  /**
   * In a `request` event, what its messages carry because of offloading, in tokens: what offloaded results
   * would take, what their references take, what reading takes, and the tools with the system prompt. In an
   * `arrival` event, what each further request carries more, where requests themselves are not seen.
   */
  readonly tokens_whole?: number;
  readonly tokens_references?: number;
  readonly tokens_reads?: number;
  readonly tokens_fixed?: number;
  /** How much was redacted before the content was stored. */
  readonly redactions?: number;
  /** Why a result was kept. */
  readonly reason?: string;
  readonly code?: string;
  readonly error?: string;
}

/** A call of the store, which a method of the workspace may make several of. */
export interface StoreCall {
  readonly operation: string;
  readonly duration_ms: number;
  /** What it failed with. */
  readonly error?: unknown;
}

/** A function that gets the events of a workspace. */
export interface EventLogger {
  (event: WorkspaceEvent): void;
  /** Called for each call of the store, if present. */
  readonly storeCall?: ((call: StoreCall) => void) | undefined;
}

/** The host's clocks. */
export interface Clock {
  /** Milliseconds since 1970, for what is written down: it jumps when the host's clock is set. */
  now(): number;
  /** Whole milliseconds since some moment, for deadlines and durations: it never jumps. */
  elapsed(): number;
}

export type EventDetails = Partial<
  Omit<WorkspaceEvent, "event" | "verb" | "time" | "duration_ms" | "namespace">
>;

/** Reports to the logger what was done and what failed. A logger that throws does no harm. */
export class EventReporter {
  readonly #logger: EventLogger | undefined;
  readonly #clock: Clock;
  readonly #namespace: string;
  readonly #redacting: Redacting | undefined;

  constructor(
    logger: EventLogger | undefined,
    clock: Clock,
    namespace: string,
    redacting?: Redacting,
  ) {
    this.#logger = logger;
    this.#clock = clock;
    this.#namespace = namespace;
    this.#redacting = redacting;
  }

  async observe<T>(
    verb: string,
    known: EventDetails,
    work: () => Promise<T>,
    describe: (outcome: T) => EventDetails & { readonly event: "offload" | "read" | "remove" },
  ): Promise<T> {
    if (!this.#logger) return work();
    const start = this.#clock.elapsed();
    try {
      const outcome = await work();
      const { event, ...details } = describe(outcome);
      this.#tell(event, verb, start, { ...known, ...details });
      return outcome;
    } catch (error) {
      const code = ContextOffloadError.isInstance(error) ? { code: error.code } : {};
      this.#tell("failure", verb, start, { ...known, ...code, error: messageOf(error) });
      throw error;
    }
  }

  /** Reports only a failure; what was done is told piece by piece. */
  async observeFailure<T>(verb: string, known: EventDetails, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const code = ContextOffloadError.isInstance(error) ? { code: error.code } : {};
      this.note("failure", verb, { ...known, ...code, error: messageOf(error) });
      throw error;
    }
  }

  /** Reports something that took no time. */
  note(
    event: "skip" | "step" | "request" | "arrival" | "remove" | "failure",
    verb: string,
    details: EventDetails,
  ): void {
    this.#tell(event, verb, this.#clock.elapsed(), details);
  }

  #tell(event: WorkspaceEvent["event"], verb: string, start: number, details: EventDetails): void {
    if (!this.#logger) return;
    // A host may pass an async function all the same.
    const logger: (event: WorkspaceEvent) => unknown = this.#logger;
    const now = this.#clock.now();
    const duration = this.#clock.elapsed() - start;
    ignoreFailure(() =>
      logger({
        event,
        verb,
        time: new Date(now).toISOString(),
        duration_ms: duration,
        namespace: this.#namespace,
        context_type: "tool_result",
        biz_id: null,
        artifact_id: null,
        session_id: null,
        ...redactEvent(details, this.#redacting),
      }),
    );
  }
}
