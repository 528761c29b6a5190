// The agent's own tool in the examples: it answers with a log of 200 kB, one line of which matters.

import { randomBytes } from "node:crypto";

export const QUESTION = "Which request to checkout-api failed, and why?";

const STRING = /** @type {const} */ ("string");

export const LOG_TOOL = {
  name: "fetch_log",
  description: "Fetches the log of a service.",
  schema: {
    type: /** @type {const} */ ("object"),
    properties: { service: { type: STRING, description: "The name of the service." } },
    required: ["service"],
    additionalProperties: false,
  },
};

/** A random log, so that the failed request can only be found by reading it. */
export function makeLog({ lines = 1_880, failedAt = 1_234 } = {}) {
  const requestId = `req_${randomBytes(6).toString("hex")}`;
  const start = Date.parse("2026-03-04T14:00:00Z");
  const entries = Array.from({ length: lines }, (_, index) => {
    const time = new Date(start + index * 500).toISOString();
    const id = `req_${randomBytes(6).toString("hex")}`;
    if (index !== failedAt) {
      return `${time} INFO  checkout-api POST /v1/orders request_id=${id} status=201 took=${index % 97}ms`;
    }
    return `${time} ERROR checkout-api POST /v1/orders request_id=${requestId} payment-proxy timed out`;
  });
  return { log: `${entries.join("\n")}\n`, requestId };
}
