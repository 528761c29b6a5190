/** An OpenTelemetry SDK whose metrics are appended to a file, for a test or, with `--import`, for a process that it starts. */
import { appendFileSync } from "node:fs";
import { metrics } from "@opentelemetry/api";
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";

/** @param {string} file */
export function metricsTo(file) {
  /** @type {import("@opentelemetry/sdk-metrics").PushMetricExporter} */
  const exporter = {
    selectAggregationTemporality: () => AggregationTemporality.DELTA,
    export({ scopeMetrics }, done) {
      for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
        for (const { attributes, value } of dataPoints) {
          appendFileSync(file, `${JSON.stringify({ name: descriptor.name, attributes, value })}\n`);
        }
      }
      done({ code: 0 });
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  return new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
}

const { METRICS_FILE: file } = process.env;
if (file !== undefined) {
  const provider = metricsTo(file);
  metrics.setGlobalMeterProvider(provider);
  process.once("beforeExit", () => void provider.shutdown());
}
