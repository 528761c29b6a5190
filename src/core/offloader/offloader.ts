import { requireArray, requireContent, requireOptions, hostCallback } from "../arguments.js";
import { countContentChars, type Content, type Format, type ToolResult } from "../engine/format.js";
import { DEFAULTS } from "../defaults.js";
import { offload, planOffload, type OffloadPlan, type Put } from "../engine/offload.js";
import type { Policy } from "../engine/policy.js";
import { messageOf } from "../errors/context-offload-error.js";
import { isPlainJson } from "../lib/json/plain-json.js";
import { once } from "../lib/concurrency.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { guardPolicy, KEEP_RESULTS } from "../policies/combine.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import { coreOf } from "../workspace/workspace-core.js";
import type { Workspace } from "../workspace/workspace-types.js";
import { LargeParts } from "./large-parts.js";
import type { Offloader, OffloaderSettings, PickFormat } from "./offloader-types.js";
import { createReadingCalls, findReadingAnswers, forgetReads } from "./reads.js";
import {
  addReports,
  reportResults,
  requireKinds,
  type KeptReason,
  type OffloadedResult,
  type PartKind,
  type PartReport,
  type ResultReport,
} from "./report.js";
import { requireCallbacks, restoreMessages } from "./restore.js";
import { ResultStorage, type HintsFor } from "./result-storage.js";
import { EMPTY_SESSION, findReferenced, wasOffloaded, type SessionIndex } from "./session-index.js";
import {
  countAddedTokens,
  createToolCalls,
  toolsOfSession,
  withReadingTools,
} from "./tool-calls.js";
import {
  aboutCall,
  ContentMemory,
  findReadings,
  firstOfReplies,
  LocatedResult,
  repliesBesideReading,
  TurnMemory,
  type SeenMessage,
} from "./turn-memory.js";

export interface OffloaderWiring extends OffloaderSettings {
  readonly workspace: Workspace;
  /** The format that the host named; `undefined` to detect it. */
  readonly format: Format | undefined;
  readonly formats: readonly Format[];
  readonly pickFormat: PickFormat;
  readonly policy: Policy;
  readonly countTokens: CountTokens;
}

const RESULTS: readonly PartKind[] = ["results"];

const OUTDATED: KeptReason = {
  outcome: "kept",
  reason: "its message has changed meanwhile, or cannot be read again",
};

export function wireOffloader(wiring: OffloaderWiring): Offloader {
  const { workspace, sessionId, countTokens, readingTools = DEFAULTS.readingTools } = wiring;
  const core = withReadingTools(coreOf(workspace), readingTools);
  const policy = guardPolicy(wiring.policy);
  const shouldOffload = hostCallback("shouldOffload", wiring.shouldOffload);
  const readingCalls = createReadingCalls(core.toolNames);
  const contents = new ContentMemory(core.hash, countTokens);
  const media = wiring.media ?? "keep";
  const storing = { ...wiring, core };
  const onUnreadable =
    wiring.onError === "keep"
      ? (messageIndex: number, error: unknown) => {
          core.note("failure", "offload", {
            session_id: sessionId,
            error: `message ${messageIndex} cannot be read and is kept: ${messageOf(error)}`,
          });
        }
      : undefined;
  const largeParts = new LargeParts(storing);
  const countAdded = once(() => countAddedTokens(workspace, sessionId, readingTools, countTokens));
  let memory: TurnMemory | undefined;

  const openMemory = (format: Format): TurnMemory =>
    new TurnMemory({
      ...{ format, contents, readingCalls, onUnreadable },
      read: { media, countOther: policy.needsTotalChars },
      isFinal: policy.perResult,
    });

  /** Reads what is new in the history. The memory keeps its format as long as new messages agree. */
  const begin = (history: readonly unknown[], session: SessionIndex) => {
    let known = memory?.countKnown(history, session) ?? 0;
    let turns = memory?.format.mismatch(history.slice(known)) === undefined ? memory : undefined;
    if (!turns) {
      const format = wiring.pickFormat(history, wiring.format, "by shape");
      turns = memory?.format === format ? memory : openMemory(format);
      if (turns !== memory) known = 0;
    }
    let taken = turns.take(history, known);
    // The format is picked again with this question; that throws, or finds another one.
    if (turns.looksMisread(turns !== memory)) {
      const format = wiring.pickFormat(history, wiring.format, "by reading");
      if (format !== turns.format) {
        turns = openMemory(format);
        known = 0;
        taken = turns.take(history, known);
      }
    }
    memory = turns;
    return { turns, taken, known };
  };

  /** What a session holds. A store that cannot be read fails at the put, with its own reason. */
  const listSession = (id: string): Promise<SessionListing> =>
    core.listSession(id).catch(() => EMPTY_SESSION);

  /** Finds out what is known of results, and opens where they are stored. */
  const openStorage = async (
    results: readonly LocatedResult[],
    session: SessionListing,
    signal: AbortSignal | undefined,
    hintsFor: HintsFor,
  ) => {
    const answers = await findReadingAnswers(results, session, listSession, core.readChars);
    const references = new Map<ToolResult, ArtifactRecord>();
    for (const result of results) {
      const record = findReferenced(session, result.soleText, result.id);
      if (record) references.set(result, record);
      const { content } = result;
      result.isPlain ??= typeof content === "string" || isPlainJson(content);
      result.isReadingAnswer = answers.has(result);
      const { id: toolCallId, toolName } = result;
      result.offloadFlag = shouldOffload?.({ toolCallId, toolName });
      if (!policy.perResult) {
        result.offloadedBefore =
          result.isPlain && wasOffloaded(session, result.id, result.known.hash);
      }
    }
    return { references, storage: new ResultStorage(storing, session, signal, hintsFor) };
  };

  /** What is new in a history, and all that is needed to decide about it. */
  const lookAt = async (history: readonly unknown[], signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    // The host may change its own array while results are being stored.
    const input = history.slice();
    const session = await listSession(sessionId);
    const { turns, taken, known } = begin(input, session);
    // Before anything is waited for, since another call may take another history then.
    const earlier = turns.decided(known);
    const survey = turns.survey(earlier.count, taken);
    const hintsFor = turns.hintsFor.bind(turns);
    const opened = await openStorage(survey.results, session, signal, hintsFor);
    return { input, session, turns, taken, earlier, survey, ...opened };
  };

  /** Decides about results without touching their messages; `put` says what becomes of each that is chosen. */
  const decide = async (
    plan: OffloadPlan<ArtifactRecord>,
    { kept }: ResultStorage,
    put: Put<OffloadedResult>,
  ): Promise<ResultReport[]> => {
    const offloaded = new Map<ToolResult, OffloadedResult>();
    for (const result of plan.chosen) {
      const stored = await put(result);
      if (stored) offloaded.set(result, stored);
    }
    return reportResults(plan, offloaded, kept);
  };

  /**
   * Replaces what goes only after some replies of the model: answers of the reading tools, and by
   * request large parts, which it reports.
   */
  const replaceOld = async (
    output: unknown[],
    turns: TurnMemory,
    taken: readonly SeenMessage[],
    kinds: readonly PartKind[],
    session: SessionIndex,
    signal: AbortSignal | undefined,
  ): Promise<readonly PartReport[] | undefined> => {
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
      const reads = { format, readingCalls, hash: core.hash };
      const replies = repliesBesideReading(taken);
      replace(forgetReads(output, reads, rule, readings, replies, session));
    }
    if (kinds.every((kind) => kind === "results")) return undefined;
    const replies = firstOfReplies(taken);
    const { changed, reports } = await largeParts.offload(output, format, kinds, replies, signal);
    replace(changed);
    return reports;
  };

  return {
    workspace,
    sessionId,
    readingTools,

    async offload(history, options) {
      const { parts, signal } = requireOptions(options);
      requireArray("history", history);
      const kinds = parts ?? wiring.parts ?? RESULTS;
      if (kinds !== RESULTS) requireKinds(kinds);
      const looked = await lookAt(history, signal);
      const { input, session, turns, taken, earlier, survey, storage, references } = looked;
      const rule = kinds.includes("results") ? policy : KEEP_RESULTS;
      const plan = planOffload(input.length, survey, rule, references);
      const { messages, offloaded, outdated } = await offload(input, plan, {
        ...{ format: turns.format, media, put: storage.put },
        concurrency: DEFAULTS.writeConcurrency,
        isCurrent: (_, index) => taken[index]?.isCurrent ?? false,
      });
      for (const result of outdated) storage.kept.set(result, OUTDATED);
      const results = reportResults(plan, offloaded, storage.kept);
      const { count: from, output, totals } = earlier;
      for (let index = from; index < messages.length; index++) output.push(messages[index]);
      turns.finish(from, output, results, taken);
      const failed = results.find(({ outcome }) => outcome === "failed");
      const others = await replaceOld(output, turns, taken, kinds, session, signal);
      // The next call must try again what could not be stored.
      if (failed) turns.forgetFrom(failed.messageIndex);
      const isSame = output.every((message, index) => message === history[index]);
      return {
        messages: (isSame && output.length === history.length ? history : output) as never,
        report: {
          ...{ results, totals: addReports(totals, results) },
          ...(others ? { parts: others } : {}),
        },
      };
    },

    async estimate(history, options) {
      const { signal } = requireOptions(options);
      requireArray("history", history);
      const { input, earlier, survey, storage, references } = await lookAt(history, signal);
      const plan = planOffload(input.length, survey, policy, references);
      const results = await decide(plan, storage, (result) => storage.preview(result));
      const totals = addReports(earlier.totals, results);
      const addedTokens = countAdded();
      return { results, totals, addedTokens, netTokensSaved: totals.tokensSaved - addedTokens };
    },

    async result(content, options) {
      requireContent("content", content);
      const { toolCallId, toolName, input, isError = false, signal } = requireOptions(options);
      signal?.throwIfAborted();
      const found = describeArrived(content, toolCallId || undefined, isError);
      const reading = readingCalls.guess(toolName, input);
      const about = aboutCall(input);
      const results = [new LocatedResult(found, 0, toolName, contents, reading, about)];
      const session = await listSession(sessionId);
      const opened = await openStorage(results, session, signal, () => ({ about }));
      const plan = planOffload(1, { results, otherChars: 0 }, policy, opened.references);
      const { storage } = opened;
      const [report] = (await decide(plan, storage, storage.put)) as [ResultReport];
      const text = report.outcome === "offloaded" ? report.reference : undefined;
      return { content: text ?? content, report };
    },

    async restore(messages, options) {
      requireArray("messages", messages);
      const callbacks = requireCallbacks(options);
      const fits = memory?.format.mismatch(messages) === undefined;
      const format =
        memory && fits ? memory.format : wiring.pickFormat(messages, wiring.format, "by reading");
      const tools = toolsOfSession(workspace, sessionId, readingTools).answered;
      const restoring = { core, sessionId, format, readingCalls, tools };
      return (await restoreMessages(messages, restoring, callbacks)) as never;
    },

    ...createToolCalls(workspace, { ...wiring, readingTools }, () => memory?.format),
    systemPrompt: () => workspace.systemPrompt({ readingTools }),
  };
}

function describeArrived(content: Content, id: string | undefined, isError: boolean) {
  const soleText = typeof content === "string" ? content : undefined;
  return { slot: 0, id, content, soleText, chars: countContentChars(content), isError };
}
