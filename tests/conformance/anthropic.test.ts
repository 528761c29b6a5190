import { describe, it } from "vitest";
import { anthropicDialect } from "../../src/formats/anthropic-dialect.js";
import { formatSuite } from "../../src/testing/index.js";
import { buildAnthropic } from "./anthropic-conversation.js";

describe("the Anthropic dialect", () => {
  const checks = formatSuite({ dialect: anthropicDialect, build: buildAnthropic });
  for (const { name, run } of checks) it(name, run);
});
