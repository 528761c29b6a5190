export {
  openTelemetry,
  type OpenTelemetryOptions,
  type TelemetryMeter,
  type TelemetryTracer,
} from "./infrastructure/open-telemetry.js";
