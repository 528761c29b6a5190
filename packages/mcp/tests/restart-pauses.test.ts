import { afterEach, expect, it, vi } from "vitest";
import { RestartPauses } from "../src/gateway/upstream.js";

const DAY = 86_400_000;

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([DAY, -DAY])("a clock that jumps by %i ms changes no pause before a restart", (ms) => {
  const pauses = new RestartPauses({ firstRestartMs: 60_000, lastRestartMs: 60_000 });
  pauses.begin();
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now + ms);
  expect(pauses.msLeft).toBeGreaterThan(0);
  expect(pauses.msLeft).toBeLessThanOrEqual(60_000);
});
