import type { EventLogger } from "context-offload";
import {
  openTelemetry,
  type TelemetryMeter,
  type TelemetryTracer,
} from "context-offload/open-telemetry";

/** What `@opentelemetry/api` keeps for all of its copies in a process. */
interface RegisteredApi {
  readonly trace?: { getTracer(name: string): TelemetryTracer } | undefined;
  readonly metrics?: { getMeter(name: string): TelemetryMeter } | undefined;
}

const API = Symbol.for("opentelemetry.js.api.1");
const NAME = "context-offload";

/**
 * Spans and metrics for the OpenTelemetry SDK that this process was started with, as by
 * `NODE_OPTIONS="--import …"`; without one, there are none, and nothing leaves the machine.
 */
export function processTelemetry(): EventLogger | undefined {
  const { trace, metrics } = ((globalThis as Record<symbol, unknown>)[API] ?? {}) as RegisteredApi;
  if (!trace && !metrics) return undefined;
  return openTelemetry({ tracer: trace?.getTracer(NAME), meter: metrics?.getMeter(NAME) });
}
