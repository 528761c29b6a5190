import { ignoreFailure } from "../core/lib/concurrency.js";
import type { ArtifactStore } from "../core/workspace/artifacts/artifact-store.js";
import type { StoreCall } from "../core/workspace/events.js";

const CALLS: ReadonlySet<PropertyKey> = new Set<keyof ArtifactStore>([
  ...(["put", "renew", "sessions", "listSession", "query", "open", "openDerived"] as const),
  ...(["find", "summarize", "remove", "removeOldest", "purge"] as const),
  ...(["addChild", "verify"] as const),
]);
const READS: ReadonlySet<PropertyKey> = new Set(["read"]);

/** The same store; `tell` learns how long each of its calls took, and each read of what it opened. */
export function timedStore(store: ArtifactStore, tell: (call: StoreCall) => void): ArtifactStore {
  return timed(store, CALLS, tell);
}

function timed<T extends object>(
  target: T,
  names: ReadonlySet<PropertyKey>,
  tell: (call: StoreCall) => unknown,
): T {
  return new Proxy(target, {
    get(object, name) {
      // With the object itself as receiver, since its private fields are not those of the proxy.
      const value: unknown = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      const call = value.bind(object) as (...args: unknown[]) => Promise<object>;
      if (!names.has(name)) return call;
      return async (...args: unknown[]) => {
        const start = performance.now();
        let failure: { error?: unknown } = {};
        try {
          const outcome = await call(...args);
          return name === "open" || name === "openDerived" ? timed(outcome, READS, tell) : outcome;
        } catch (error) {
          failure = { error };
          throw error;
        } finally {
          const duration_ms = performance.now() - start;
          ignoreFailure(() => tell({ operation: String(name), duration_ms, ...failure }));
        }
      };
    },
  });
}
