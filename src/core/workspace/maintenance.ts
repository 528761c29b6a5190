import {
  type OptionNames,
  rejectMisspelled,
  requireCount,
  requireOptions,
  requireText,
} from "../arguments.js";
import { DEFAULTS } from "../defaults.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";
import { mapConcurrently } from "../lib/concurrency.js";
import { isRenewal, type ArtifactRecord } from "./artifacts/artifact.js";
import type { SessionSummary } from "./artifacts/artifact-store.js";
import { detailsOf } from "./artifacts/describe-record.js";
import { summarizeSessions } from "./artifacts/list-artifacts.js";
import {
  expireSlices,
  findExpired,
  removeIfThere,
  type PruneOptions,
  type RemoveSlice,
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

/** How many sessions are summarized, or artifacts removed, at once. */
const AT_ONCE = 500;

/** The verbs that look after what is stored: what there is, and what goes. */
export function createMaintenance(
  { store, retention, clock, defer }: WorkspaceWiring,
  events: EventReporter,
  ledger: Ledger | undefined,
): {
  readonly verbs: Pick<Workspace, "sessions" | "removeSession" | "purge" | "prune">;
  /** Something was stored; absent if everything is kept. */
  readonly touch: (() => void) | undefined;
  readonly renew: WorkspaceCore["renew"];
  /** Nothing is removed any more unless it is asked for. */
  readonly end: () => Promise<void>;
} {
  const remove = (verb: string, record: ArtifactRecord): Promise<void> =>
    events.observe(
      verb,
      detailsOf(record),
      () => removeIfThere(store, record),
      () => ({ event: "remove" }),
    );

  /** What is removed in one go is told artifact by artifact, too. */
  const told = (verb: string, removeSlice: RemoveSlice): RemoveSlice => {
    if (!store.removeOldest) return removeSlice;
    return async () => {
      const slice = await events.observeFailure(verb, {}, removeSlice);
      for (const record of slice.removed) events.note("remove", verb, detailsOf(record));
      return slice;
    };
  };

  const expire = (verb: string, limits: PruneOptions): RemoveSlice =>
    told(
      verb,
      expireSlices(store, limits, clock, (record) => remove(verb, record), verb === "retention"),
    );

  const runs =
    retention && defer
      ? new RetentionRuns(() => expire("retention", retention), defer, clock)
      : undefined;
  // What became too old while no process was there.
  runs?.touch();

  return {
    touch: runs?.touch.bind(runs),
    end: async () => runs?.end(),

    async renew({ artifacts }, artifactIds) {
      const createdAt = new Date(clock.now()).toISOString();
      const old = [...new Set(artifactIds)].flatMap((id) => {
        const record = artifacts.get(id);
        return record && isRenewal(record, createdAt) ? [record] : [];
      });
      const areThere = await mapConcurrently(old, DEFAULTS.writeConcurrency, (record) =>
        store.renew(record, createdAt).then(
          (renewed) => renewed !== undefined,
          // Nothing is lost yet: what cannot be renewed now is renewed by the next call.
          () => true,
        ),
      );
      return areThere.every(Boolean);
    },

    verbs: {
      async sessions(options) {
        const { signal, limit, after } = requireOptions(options);
        const most = limit === undefined ? Infinity : requireCount("limit", limit, undefined);
        const found: SessionSummary[] = [];
        for (let from = after; ; from = found.at(-1)?.sessionId) {
          signal?.throwIfAborted();
          const size = Math.min(AT_ONCE, most - found.length);
          const page = await summarizeSessions(store, { after: from, limit: size });
          found.push(...page);
          if (page.length < size || found.length >= most) return found;
        }
      },

      async removeSession(sessionId, options) {
        const { signal } = requireOptions(options);
        requireText("sessionId", sessionId, "the session to remove");
        let artifacts = 0;
        if (store.removeOldest) {
          const removeOldest = store.removeOldest.bind(store);
          const removeSlice = told("removeSession", async () => {
            const removed = await removeOldest({ sessionId, limit: AT_ONCE });
            return { removed, isLast: removed.length < AT_ONCE };
          });
          for (;;) {
            signal?.throwIfAborted();
            const { removed, isLast } = await removeSlice();
            artifacts += removed.length;
            if (isLast) break;
          }
          await ledger?.purge(sessionId);
          return { artifacts };
        }
        // A copy, since the listing may change with each removal.
        for (const record of [...(await store.listSession(sessionId)).artifacts.values()]) {
          signal?.throwIfAborted();
          await remove("removeSession", record);
          artifacts++;
        }
        await ledger?.purge(sessionId);
        return { artifacts };
      },

      async purge(given) {
        const { signal, sessionId, wholeNamespace }: Partial<Parameters<Workspace["purge"]>[0]> =
          requireOptions(given);
        rejectMisspelled({ ...given }, { signal: true, sessionId: true, wholeNamespace: true });
        if ((sessionId === undefined) === (wholeNamespace !== true)) {
          const expected = "either { sessionId } or { wholeNamespace: true }";
          throw new InvalidArgumentError("purge", given, expected);
        }
        if (sessionId !== undefined) requireText("sessionId", sessionId, "the session to purge");
        signal?.throwIfAborted();
        return events.observe(
          "purge",
          { session_id: sessionId ?? null },
          async () => {
            await ledger?.purge(sessionId);
            return store.purge(sessionId);
          },
          () => ({ event: "remove" }),
        );
      },

      async prune(given) {
        const options = requireOptions(given);
        const limits: PruneOptions = hasLimits(options) ? options : { ...retention, ...options };
        requireRetention("prune", limits, PRUNE_NAMES);
        const removed: ArtifactRecord[] = [];
        if (options.dryRun === true) removed.push(...(await findExpired(store, limits, clock)));
        else {
          const removeSlice = expire("prune", limits);
          for (let isLast = false; !isLast;) {
            options.signal?.throwIfAborted();
            const slice = await removeSlice();
            removed.push(...slice.removed);
            ({ isLast } = slice);
          }
        }
        const bytes = removed.reduce((sum, { size }) => sum + size.bytes, 0);
        return { removed, bytes };
      },
    },
  };
}

function hasLimits(options: object): boolean {
  return ["maxAgeMs", "maxBytes", "maxArtifacts", "perSession"].some(
    (name) => (options as Record<string, unknown>)[name] !== undefined,
  );
}
