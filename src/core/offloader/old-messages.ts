import { DEFAULTS } from "../defaults.js";
import type { Format, ToolDescription } from "../engine/format.js";
import type { WorkspaceCore } from "../workspace/workspace-core.js";
import { forgetReads, restoreReads } from "./forget-reads.js";
import type { HeldSession } from "./held-session.js";
import { LargeParts } from "./large-parts.js";
import type { OffloaderSettings, RestoreOptions, UnknownReference } from "./offloader-types.js";
import type { ReadingCalls } from "./reading-answer.js";
import type { PartKind, PartReport } from "./report.js";
import { restoreMessages } from "./restore-messages.js";
import type { SeenMessage } from "./seen-message.js";
import { findReadings, repliesBesideReading } from "./replies.js";
import type { TurnMemory } from "./turn-memory.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";

interface OldMessagesWiring extends OffloaderSettings {
  readonly core: WorkspaceCore;
  readonly countTokens: CountTokens;
  readonly readingCalls: ReadingCalls;
}

/** What is replaced only after some replies of the model, by request: answers of the reading tools, large parts. */
export function createOldMessages(wiring: OldMessagesWiring) {
  const { core, sessionId, readingCalls } = wiring;
  const largeParts = new LargeParts(wiring);
  const readsOf = (format: Format) => ({ format, readingCalls, hash: core.hash });

  return {
    /** Changes the output and what is remembered of it; reports the parts, if any were asked for. */
    async rewrite(
      output: unknown[],
      { turns, taken }: { turns: TurnMemory; taken: readonly SeenMessage[] },
      kinds: readonly PartKind[],
      session: HeldSession,
      signal: AbortSignal | undefined,
    ): Promise<readonly PartReport[] | undefined> {
      const wantsParts = kinds.some((kind) => kind !== "results");
      const { format } = turns;
      const replace = (changed: ReadonlyMap<number, unknown>): void => {
        for (const [index, message] of changed) {
          output[index] = message;
          turns.setOutput(index, message, taken);
        }
      };
      const rule = wiring.forgetReads ?? { afterTurns: DEFAULTS.forgetReadsTurns };
      const readings = rule === false ? [] : findReadings(taken);
      if (rule !== false && readings.length > 0) {
        const replies = repliesBesideReading(taken);
        replace(forgetReads(output, readsOf(format), rule, readings, replies, session));
      }
      if (!wantsParts) return undefined;
      const { modelMessages: replies = [] } = turns.survey(output.length, taken);
      const { changed, reports } = await largeParts.offload(output, format, kinds, replies, signal);
      replace(changed);
      return reports;
    },

    /** Puts back everything that was replaced, results included. */
    async restore(
      messages: readonly unknown[],
      format: Format,
      tools: readonly ToolDescription[],
      options: RestoreOptions,
    ): Promise<readonly unknown[]> {
      const { signal, onUnknown } = options;
      const tell = (error: string) => (unknown: UnknownReference) => {
        const { artifactId } = unknown;
        core.note("failure", "restore", { artifact_id: artifactId, session_id: sessionId, error });
        onUnknown?.(unknown);
      };
      const results = await restoreMessages(messages, format, core, sessionId, options);
      const session = await core.listSession(sessionId);
      const notHeld = tell("the session holds no such artifact; the reference was kept");
      const whole = await largeParts.restore(results, format, session, signal, notHeld);
      const changed = tell("what was read cannot be read again as it was; the line was kept");
      return restoreReads(whole, readsOf(format), tools, signal, changed);
    },
  };
}
