import { requireFunction, requireObject } from "../core/arguments.js";
import { ignoreFailure } from "../core/lib/concurrency.js";
import type { EventLogger, StoreCall, WorkspaceEvent } from "../core/workspace/events.js";

/** The parts of OpenTelemetry's API that are used; pass `trace.getTracer(…)` and `metrics.getMeter(…)`. */
export interface OpenTelemetryOptions {
  /** Gets a span for each event of the workspace. */
  readonly tracer?: TelemetryTracer | undefined;
  /** Gets the metrics of events and of calls of the store. */
  readonly meter?: TelemetryMeter | undefined;
  /** Gets every event, too. */
  readonly logger?: EventLogger | undefined;
}

/** A tracer, as far as it is used. */
export interface TelemetryTracer {
  startSpan(
    name: string,
    options?: { startTime?: number; attributes?: Record<string, string | number> },
  ): {
    setStatus(status: { code: number; message?: string }): unknown;
    end(endTime?: number): unknown;
  };
}

/** A meter, as far as it is used. */
export interface TelemetryMeter {
  createCounter(
    name: string,
    options?: { description?: string; unit?: string },
  ): { add(value: number, attributes?: Record<string, string | number>): unknown };
  createHistogram(
    name: string,
    options?: { description?: string; unit?: string },
  ): { record(value: number, attributes?: Record<string, string | number>): unknown };
  /** Since 1.9 of the API; without it, the overhead of each request is missing. */
  createGauge?(
    name: string,
    options?: { description?: string; unit?: string },
  ): { record(value: number, attributes?: Record<string, string | number>): unknown };
}

type Attributes = Record<string, string | number>;

/** `SpanStatusCode.ERROR`; the API is not imported. */
const ERROR = 2;

/**
 * A logger that turns a workspace's events into spans and metrics. Attributes have the names of the
 * semantic conventions for generative AI where there is one.
 *
 * @example
 * const logger = openTelemetry({ tracer: trace.getTracer("agent"), meter: metrics.getMeter("agent") });
 * const workspace = createWorkspace({ root: ".offload", logger });
 */
export function openTelemetry(options: OpenTelemetryOptions): EventLogger {
  requireObject("options", options, "an object with a tracer, a meter or both");
  const { tracer, meter, logger } = options;
  if (tracer) requireMethod("tracer", tracer, "startSpan");
  if (meter) requireMethod("meter", meter, "createCounter");
  const record = meter && createMetrics(meter);
  const recordCall = meter && createStoreMetric(meter);
  // The first of several that fails must not keep the others from what they are to know.
  const storeCall = (call: StoreCall) => {
    ignoreFailure(() => logger?.storeCall?.(call));
    recordCall?.(call);
  };
  const log = (event: WorkspaceEvent) => {
    ignoreFailure(() => logger?.(event));
    record?.(event);
    if (tracer)
      ignoreFailure(() => {
        trace(tracer, event);
      });
  };
  return Object.assign(log, { storeCall });
}

function trace(tracer: TelemetryTracer, event: WorkspaceEvent): void {
  const endTime = Date.parse(event.time);
  const span = tracer.startSpan(`context_offload.${event.verb}`, {
    startTime: endTime - event.duration_ms,
    attributes: { ...attributesOf(event), ...detailsOf(event) },
  });
  // Without the message, which quotes patterns, arguments and ids: `error.type` says what it was.
  if (event.event === "failure") ignoreFailure(() => span.setStatus({ code: ERROR }));
  ignoreFailure(() => span.end(endTime));
}

function createStoreMetric(meter: TelemetryMeter): (call: StoreCall) => void {
  const duration = meter.createHistogram("context_offload.store.operation.duration", {
    description: "How long calls of the store took.",
    unit: "s",
  });
  return ({ operation, duration_ms, error }) => {
    const { code = "_OTHER" } = (error ?? {}) as { code?: string };
    const attributes = {
      "context_offload.store.operation": operation,
      ...(error === undefined ? {} : { "error.type": code }),
    };
    ignoreFailure(() => duration.record(duration_ms / 1_000, attributes));
  };
}

function createMetrics(meter: TelemetryMeter): (event: WorkspaceEvent) => void {
  const prefix = "context_offload";
  const count = (name: string, description: string, unit: string) => {
    const counter = meter.createCounter(`${prefix}.${name}`, { description, unit });
    return {
      add: (value: number, attributes: Attributes): void => {
        ignoreFailure(() => counter.add(value, attributes));
      },
    };
  };
  const counters = {
    offload: count("offloads", "Results that were offloaded.", "{result}"),
    read: count("reads", "Answers that were read.", "{read}"),
    skip: count("skips", "Results that were kept.", "{result}"),
    step: count("steps", "Steps in which stale results were offloaded together.", "{step}"),
    request: count("requests", "Requests whose messages were seen.", "{request}"),
    arrival: count(
      "arrivals",
      "Results and reads of sessions whose requests are not seen.",
      "{result}",
    ),
    remove: count("removals", "Artifacts that were removed.", "{artifact}"),
    failure: count("failures", "Calls that failed.", "{call}"),
  };
  const searches = count("searches", "Searches.", "{search}");
  const bytes = count("offload.size", "Size of content that was offloaded.", "By");
  const tokens = count("offload.content", "Content that was offloaded.", "{token}");
  const saved = count(
    "offload.saved",
    "What references are shorter than their content.",
    "{token}",
  );
  const usage = count(
    "token.usage",
    "What all requests carried because of offloading, by context_offload.token.type; whole minus all others is what offloading saved.",
    "{token}",
  );
  const arrival = count(
    "token.arrival",
    "What each further request carries more, where requests are not seen, by context_offload.token.type; whole minus references, reads and the overhead of a request is what offloading saves in each.",
    "{token}",
  );
  const overhead = meter.createGauge?.(`${prefix}.request.overhead`, {
    description: "What our tools and the system prompt take in each request.",
    unit: "{token}",
  });
  const rewritten = count(
    "cache.rewritten",
    "What a prompt cache writes again after steps.",
    "{token}",
  );
  const redactions = count(
    "redactions",
    "What was redacted before content was stored.",
    "{redaction}",
  );
  const duration = meter.createHistogram(`${prefix}.operation.duration`, {
    description: "How long calls of the workspace took.",
    unit: "s",
  });
  return (event) => {
    const attributes = attributesOf(event);
    counters[event.event].add(1, attributes);
    if (event.event === "read" && event.verb.startsWith("grep")) searches.add(1, attributes);
    if (event.event === "offload") {
      bytes.add(event.bytes ?? 0, attributes);
      tokens.add(event.tokens ?? 0, attributes);
      saved.add(Math.max(0, event.tokens_saved ?? 0), attributes);
      if (event.redactions !== undefined) redactions.add(event.redactions, attributes);
    }
    const flow = event.event === "request" ? usage : arrival;
    for (const type of TOKEN_TYPES) {
      const sent = event[`tokens_${type}`];
      const isOverhead = type === "fixed" && flow === arrival;
      if (sent === undefined || isOverhead) continue;
      flow.add(sent, { ...attributes, "context_offload.token.type": type });
    }
    const { tokens_fixed: fixed = 0, namespace } = event;
    // A read adds none.
    if (fixed > 0) {
      ignoreFailure(() => overhead?.record(fixed, { "context_offload.namespace": namespace }));
    }
    if (event.event === "step") rewritten.add(event.tokens_rewritten ?? 0, attributes);
    ignoreFailure(() => duration.record(event.duration_ms / 1_000, attributes));
  };
}

const TOKEN_TYPES = ["whole", "references", "reads", "fixed"] as const;

/** Of low cardinality, for metrics: no ids. */
function attributesOf({ verb, namespace, tool_name, code }: WorkspaceEvent): Attributes {
  return {
    "context_offload.verb": verb,
    "context_offload.namespace": namespace,
    ...(typeof tool_name === "string" ? { "gen_ai.tool.name": tool_name } : {}),
    ...(code === undefined ? {} : { "error.type": code }),
  };
}

function detailsOf({ biz_id, session_id, artifact_id, ...event }: WorkspaceEvent): Attributes {
  const { bytes, chars, lines, tokens, tokens_saved, tokens_rewritten, redactions } = event;
  const { turn, results, tokens_whole, tokens_references, tokens_reads, tokens_fixed } = event;
  const flow = { tokens_whole, tokens_references, tokens_reads, tokens_fixed };
  const numbers = { bytes, chars, lines, tokens, tokens_saved, tokens_rewritten, redactions };
  const sizes = Object.entries({ ...numbers, ...flow, turn, results }).flatMap(([name, value]) =>
    value === undefined ? [] : [[`context_offload.${name}`, value]],
  );
  return {
    ...(biz_id === null ? {} : { "gen_ai.tool.call.id": biz_id }),
    ...(session_id === null ? {} : { "gen_ai.conversation.id": session_id }),
    ...(artifact_id === null ? {} : { "context_offload.artifact.id": artifact_id }),
    ...(Object.fromEntries(sizes) as Attributes),
  };
}

function requireMethod(owner: string, value: object, name: string): void {
  const method = (value as Readonly<Record<string, unknown>>)[name];
  requireFunction(`${owner}.${name}`, method, `a method, as the ${owner} of OpenTelemetry has it`);
}
