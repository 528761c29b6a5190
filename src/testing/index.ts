/**
 * Conformance suites for your own store or format, and a workspace in memory.
 *
 * @module testing
 */
export type { Hash } from "../core/engine/format.js";
export type { Check } from "./checks.js";
export type { FormatFixture, SampleCall, SampleResult, SampleTurn } from "./format-fixture.js";
export { formatSuite } from "./format-suite.js";
export { createMemoryWorkspace, MemoryStore, type MemoryWorkspaceOptions } from "./memory-store.js";
export type { StoreCheck, StoreConcern, StoreFixture } from "./store-context.js";
export { defineStoreTests, storeSuite, type TestRunner } from "./store-suite.js";
