import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { createWorkspace, memoryStore, type WorkspaceEvent } from "../../../src/index.js";
import { openTelemetry } from "../../../src/open-telemetry.js";

describe("openTelemetry", () => {
  it("makes spans and metrics with the names of the conventions, on the real SDK", async () => {
    const spans = new InMemorySpanExporter();
    const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({
      exporter: metrics,
      exportIntervalMillis: 3_600_000,
    });
    const meters = new MeterProvider({ readers: [reader] });
    const events: WorkspaceEvent[] = [];
    const logger = openTelemetry({
      tracer: tracers.getTracer("test"),
      meter: meters.getMeter("test"),
      logger: (event) => events.push(event),
    });
    const workspace = createWorkspace({ store: memoryStore(), logger });
    const text = "a line é\n".repeat(1_000);
    await workspace.put(
      { content: text, metadata: { tool_name: "fetch" } },
      { toolCallId: "t1", sessionId: "s" },
    );
    await workspace.grepKnowledge("t1", "line", { sessionId: "s" });
    await expect(workspace.getKnowledgeById("no-such-id", { sessionId: "s" })).rejects.toThrow();

    expect(events.map(({ event }) => event)).toEqual(["offload", "read", "failure"]);
    const [put, grep, failed] = spans.getFinishedSpans();
    expect(put).toMatchObject({
      name: "context_offload.put",
      attributes: {
        "gen_ai.tool.name": "fetch",
        "gen_ai.tool.call.id": "t1",
        "gen_ai.conversation.id": "s",
        "context_offload.chars": text.length,
      },
    });
    expect(grep?.name).toBe("context_offload.grepKnowledge");
    expect(failed).toMatchObject({
      status: { code: 2 },
      attributes: { "error.type": "UNKNOWN_ARTIFACT" },
    });

    // A status message would carry what models and tools wrote.
    expect(JSON.stringify(failed?.status)).not.toContain("no-such-id");

    await reader.forceFlush();
    const sums = new Map<string, number>();
    const operations = new Set<unknown>();
    for (const { scopeMetrics } of metrics.getMetrics()) {
      for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
        const total = dataPoints.reduce(
          (sum, { value }) =>
            sum + (typeof value === "number" ? value : (value as { count: number }).count),
          0,
        );
        sums.set(descriptor.name, total);
        expect(descriptor.name).not.toMatch(/tokens|bytes|seconds|_ms|chars/);
        expect(descriptor.unit).not.toBe("ms");
        for (const { attributes } of dataPoints) {
          const operation = attributes["context_offload.store.operation"];
          if (operation !== undefined) operations.add(operation);
        }
      }
    }
    expect(Object.fromEntries(sums)).toMatchObject({
      "context_offload.offloads": 1,
      "context_offload.reads": 1,
      "context_offload.searches": 1,
      "context_offload.failures": 1,
      "context_offload.offload.size": Buffer.byteLength(text),
      "context_offload.offload.content": put?.attributes["context_offload.tokens"],
      "context_offload.operation.duration": 3,
    });
    expect(sums.get("context_offload.offload.content")).toBeGreaterThan(1_000);
    expect(sums.get("context_offload.offload.saved")).toBe(
      put?.attributes["context_offload.tokens_saved"],
    );
    expect(sums.get("context_offload.offload.saved")).toBeGreaterThan(500);
    // The store's own calls, each with its name.
    expect([...operations].sort()).toEqual(
      expect.arrayContaining(["listSession", "open", "put", "read"]),
    );
    expect(sums.get("context_offload.store.operation.duration")).toBeGreaterThanOrEqual(
      operations.size,
    );
    await meters.shutdown();
  });
});
