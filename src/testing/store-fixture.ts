import type { OpenStore } from "../core/workspace/artifacts/artifact-store.js";

/** A store to check. */
export interface StoreFixture {
  /**
   * Opens a namespace of the storage under test as a fresh process would: two stores that are opened
   * share the storage and nothing else. Every check uses new namespaces.
   */
  readonly open: OpenStore;
}
