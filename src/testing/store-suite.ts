import { BASICS } from "./store-checks/basics.js";
import { BY_INDEX } from "./store-checks/by-index.js";
import { CONCURRENCY } from "./store-checks/concurrency.js";
import { EXACTNESS } from "./store-checks/exactness.js";
import { FAULTS } from "./store-checks/faults.js";
import { ISOLATION } from "./store-checks/isolation.js";
import { LISTING } from "./store-checks/listing.js";
import { PAGING } from "./store-checks/paging.js";
import { RANGES } from "./store-checks/ranges.js";
import { REMOVAL } from "./store-checks/removal.js";
import { RENEWAL } from "./store-checks/renewal.js";
import type { StoreCheck, StoreFixture } from "./store-context.js";

const CHECKS = [
  ...BASICS,
  ...EXACTNESS,
  ...RANGES,
  ...LISTING,
  ...PAGING,
  ...CONCURRENCY,
  ...ISOLATION,
  ...REMOVAL,
  ...BY_INDEX,
  ...RENEWAL,
  ...FAULTS,
];

/**
 * The conformance suite for stores, built-in or your own, as checks for any test runner.
 *
 * @example
 * for (const { concern, name, run } of storeSuite({ open })) it(`${concern}: ${name}`, run);
 */
export function storeSuite(fixture: StoreFixture): readonly StoreCheck[] {
  return CHECKS.map((check) => check(fixture));
}

/** The functions of a test runner: of vitest, Jest, or `node:test`. */
export interface TestRunner {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly it: (name: string, run: () => Promise<void>) => unknown;
}

/**
 * Defines the suite as tests, a group for each concern.
 *
 * @example
 * import { describe, it } from "vitest";
 * defineStoreTests("MyStore", { open: (namespace) => new MyStore(namespace) }, { describe, it });
 */
export function defineStoreTests(
  name: string,
  fixture: StoreFixture,
  { describe, it }: TestRunner,
): void {
  const checks = storeSuite(fixture);
  describe(name, () => {
    for (const concern of new Set(checks.map((check) => check.concern))) {
      describe(concern, () => {
        for (const check of checks) if (check.concern === concern) it(check.name, check.run);
      });
    }
  });
}
