import { DEFAULTS } from "../defaults.js";
import type { Format } from "../engine/format.js";
import type { Hash } from "../engine/hash.js";
import { offload, planOffload, type OffloadWiring } from "../engine/offload.js";
import { requireVerdicts } from "../policies/require-policy.js";
import type { Policy, Verdict } from "../engine/policy.js";
import type { Reference } from "../engine/reference.js";
import { requireArray } from "../arguments.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ToolResult } from "../engine/tool-result.js";
import { isKnowledgeListFor, parseKnowledgeList } from "../workspace/reference/knowledge-list.js";
import { TOOL_NAMES } from "../workspace/reading/reading.js";
import { DepartureMemory } from "./departure-memory.js";
import { FormatReader, type SurveyFormat, type PlacedResult } from "./survey-format.js";
import type { Offloader, OffloaderSettings } from "./offloader-types.js";
import { pickFormat } from "./pick-format.js";
import { continueFrom, NO_PROGRESS, recordProgress, type Progress } from "./progress.js";
import { addTotals, reportResults } from "./report.js";
import { findOffloadedBefore, ResultStorage } from "./result-storage.js";
import type { StoredResult } from "./stored-result.js";
import { restoreMessages } from "./restore-messages.js";
import { createToolCalls } from "./tool-calls.js";

export interface OffloaderWiring extends OffloaderSettings {
  readonly dialects: readonly Format[];
  readonly policy: Policy;
  readonly countTokens: CountTokens;
  readonly hash: Hash;
}

export function wireOffloader(wiring: OffloaderWiring): Offloader {
  const { workspace, countTokens } = wiring;
  const policy = guardReading(wiring);
  const memory = new DepartureMemory(wiring.hash);
  let reader: FormatReader | undefined;
  let progress = NO_PROGRESS;

  /** The reader for these messages, of which as many were read before as `seen` says. */
  const readerFor = (messages: readonly unknown[], seen: number): FormatReader => {
    // A history keeps its dialect, as far as its new messages agree: the first few may fit several.
    if (reader && reader.dialect.mismatch(messages.slice(seen)) === undefined) return reader;
    const dialect = pickFormat(wiring.dialects, wiring.format ?? "auto", messages);
    if (dialect === reader?.dialect) return reader;
    return (reader = new FormatReader(
      dialect,
      { media: wiring.media ?? "keep" },
      wiring.shouldOffload,
    ));
  };

  /** Where to begin: behind what an earlier call did, unless the dialect or the policy forbids it. */
  const begin = (messages: readonly unknown[]): { start: Progress; current: FormatReader } => {
    const start = continueFrom(progress, messages);
    const before = reader;
    const current = readerFor(messages, start.input.length);
    return { start: policy.perResult && current === before ? start : NO_PROGRESS, current };
  };

  /** The parts of the engine for the messages that come after `start`. */
  const prepare = async (
    current: FormatReader,
    start: Progress,
    signal: AbortSignal | undefined,
  ): Promise<{
    parts: OffloadWiring<unknown, StoredResult>;
    storage: ResultStorage;
    format: SurveyFormat;
  }> => {
    const storage = new ResultStorage(wiring, memory, signal);
    const format = current.formatFrom({
      messageIndex: start.input.length,
      callNames: start.callNames,
      offloadedBefore: policy.perResult ? () => false : await findOffloadedBefore(wiring),
    });
    const concurrency = DEFAULTS.writeConcurrency;
    const parts = { format, policy, reference, openSink: () => storage, concurrency };
    return { parts, storage, format };
  };

  return {
    async offload(history, options = {}) {
      requireArray("history", history);
      options.signal?.throwIfAborted();
      const { start, current } = begin(history);
      const { parts, storage, format } = await prepare(current, start, options.signal);
      const { messages, plan, departures } = await offload(history, parts);
      const output = start.overlay(messages, history);
      const stored = new Map(departures.map((departure) => [departure.result, departure.stored]));
      const results = reportResults(plan, stored, storage.refusals);
      const totals = addTotals(start.totals, results, countTokens);
      // What could not be stored is tried again, so that the next call must look at it.
      progress =
        totals.failed > 0
          ? NO_PROGRESS
          : recordProgress(start, history, output, totals, format.callNames);
      return { messages: output as never, report: { results, totals } };
    },

    async estimate(history, options = {}) {
      requireArray("history", history);
      options.signal?.throwIfAborted();
      const { start, current } = begin(history);
      const { parts, storage } = await prepare(current, start, options.signal);
      const plan = planOffload(history, parts);
      const stored = new Map<PlacedResult, StoredResult>();
      for (const result of plan.leaving) {
        const preview = storage.preview(result);
        if (preview) stored.set(result as PlacedResult, preview);
      }
      const results = reportResults(plan, stored, storage.refusals);
      return { results, totals: addTotals(start.totals, results, countTokens) };
    },

    async restore(messages, options = {}) {
      requireArray("messages", messages);
      const restored = await restoreMessages(
        messages,
        readerFor(messages, 0),
        wiring,
        options.signal,
      );
      return restored as never;
    },

    ...createToolCalls(workspace, wiring, () => reader?.dialect),
  };
}

const reference: Reference<StoredResult> = {
  render: (stored) => stored.reference,
  resolve(result) {
    const { found, id } = result as PlacedResult;
    const text = found.soleText;
    if (text === undefined || !isKnowledgeListFor(text, id)) return undefined;
    return { reference: text, tokens: 0, artifactId: parseKnowledgeList(text)?.[0] };
  },
};

/** Whatever the policy: what left stays away, answers of the reading tools and what has no text stay. */
function guardReading({ policy, workspace, toolAliases = [] }: OffloaderWiring): Policy {
  const { toolNames } = workspace.notice;
  const ours = new Set([...TOOL_NAMES.map((tool) => toolNames[tool] || tool), ...toolAliases]);
  const settledOf = ({ toolName, chars, offloadedBefore }: ToolResult): Verdict | undefined => {
    // What the model has seen as a reference does not come back: that would rewrite what was sent.
    if (offloadedBefore) return { offload: true, reason: "it left before" };
    if (chars === 0) return { offload: false, reason: "it has no text" };
    if (toolName === undefined || !ours.has(toolName)) return undefined;
    return { offload: false, reason: "it is the answer of a reading tool" };
  };
  return {
    ...policy,
    decide(candidates, conversation) {
      const settled = candidates.map(settledOf);
      const asked = candidates.filter((_, index) => !settled[index]);
      const verdicts = requireVerdicts(policy, policy.decide(asked, conversation), asked.length);
      let at = 0;
      return settled.map((verdict) => verdict ?? (verdicts[at++] as Verdict));
    },
  };
}
