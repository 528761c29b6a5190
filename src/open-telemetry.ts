/**
 * Spans and metrics of a workspace.
 *
 * @module open-telemetry
 */
export {
  openTelemetry,
  type OpenTelemetryOptions,
  type TelemetryMeter,
  type TelemetryTracer,
} from "./infrastructure/open-telemetry.js";
