import { type OptionNames, requireOptions, requireText } from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import { mapConcurrently } from "../lib/concurrency.js";
import { isRenewal, type ArtifactRecord } from "./artifacts/artifact.js";
import { detailsOf } from "./artifacts/describe-record.js";
import {
  findExpired,
  removeIfThere,
  type PruneOptions,
  requireRetention,
  RETENTION_NAMES,
  RetentionRuns,
} from "./artifacts/retention.js";
import type { EventReporter } from "./events.js";
import type { Ledger } from "./ledger/ledger.js";
import type { WorkspaceCore } from "./workspace-core.js";
import type { Workspace } from "./workspace-types.js";
import type { WorkspaceWiring } from "./workspace-wiring.js";

const PRUNE_NAMES: OptionNames<PruneOptions> = {
  ...RETENTION_NAMES,
  sessionId: true,
  dryRun: true,
  signal: true,
};

/** The verbs that look after what is stored: what there is, and what goes. */
export function createMaintenance(
  { store, retention, clock, defer }: WorkspaceWiring,
  events: EventReporter,
  ledger: Ledger | undefined,
): {
  readonly verbs: Pick<Workspace, "sessions" | "removeSession" | "prune">;
  /** Something was stored; absent if everything is kept. */
  readonly touch: (() => void) | undefined;
  readonly renew: WorkspaceCore["renew"];
} {
  const remove = (verb: string, record: ArtifactRecord): Promise<void> =>
    events.observe(
      verb,
      detailsOf(record),
      () => removeIfThere(store, record),
      () => ({ event: "remove" }),
    );
  const runs =
    retention && defer
      ? new RetentionRuns(
          () => findExpired(store, retention, clock),
          (record) => remove("retention", record),
          defer,
          clock,
        )
      : undefined;
  // What became too old while no process was there.
  runs?.touch();

  return {
    touch: runs?.touch.bind(runs),

    async renew({ artifacts }, artifactIds) {
      const createdAt = new Date(clock.now()).toISOString();
      const old = [...new Set(artifactIds)].flatMap((id) => {
        const record = artifacts.get(id);
        return record && isRenewal(record, createdAt) ? [record] : [];
      });
      await mapConcurrently(old, DEFAULTS.writeConcurrency, (record) =>
        // Nothing is lost yet: what cannot be renewed now is renewed by the next call.
        store.renew(record, createdAt).catch(() => undefined),
      );
    },

    verbs: {
      async sessions(options) {
        const { signal } = requireOptions(options);
        const found = [];
        for (const sessionId of await store.sessions()) {
          signal?.throwIfAborted();
          const records = [...(await store.listSession(sessionId)).artifacts.values()];
          if (records.length === 0) continue;
          const bytes = records.reduce((sum, { size }) => sum + size.bytes, 0);
          const times = records.map(({ createdAt }) => createdAt).sort();
          const lastWrittenAt = times.at(-1) ?? "";
          found.push({ sessionId, artifacts: records.length, bytes, lastWrittenAt });
        }
        return found;
      },

      async removeSession(sessionId, options) {
        const { signal } = requireOptions(options);
        requireText("sessionId", sessionId, "the session to remove");
        const { artifacts } = await store.listSession(sessionId);
        // A copy, since the listing may change with each removal.
        const records = [...artifacts.values()];
        for (const record of records) {
          signal?.throwIfAborted();
          await remove("removeSession", record);
        }
        await ledger?.remove(sessionId);
        return { artifacts: records.length };
      },

      async prune(given) {
        const options = requireOptions(given);
        const limits: PruneOptions = hasLimits(options) ? options : { ...retention, ...options };
        requireRetention("prune", limits, PRUNE_NAMES);
        const expired = await findExpired(store, limits, clock);
        if (options.dryRun !== true) {
          for (const record of expired) {
            options.signal?.throwIfAborted();
            await remove("prune", record);
          }
        }
        const bytes = expired.reduce((sum, { size }) => sum + size.bytes, 0);
        return { removed: expired, bytes };
      },
    },
  };
}

function hasLimits(options: object): boolean {
  return ["maxAgeMs", "maxBytes", "maxArtifacts", "perSession"].some(
    (name) => (options as Record<string, unknown>)[name] !== undefined,
  );
}
