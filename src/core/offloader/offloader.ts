import { requireArray, requireContent, requireOptions, hostCallback } from "../arguments.js";
import { countContentChars, type Content, type Format, type ToolResult } from "../engine/format.js";
import { DEFAULTS } from "../defaults.js";
import { offload, planOffload, type OffloadPlan, type Put } from "../engine/offload.js";
import type { Policy, Step, Verdict } from "../engine/policy.js";
import type { Survey } from "../engine/survey.js";
import { messageOf } from "../errors/context-offload-error.js";
import { ReadFailedError } from "../errors/storage-errors.js";
import { mapConcurrently, once } from "../lib/concurrency.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import { guardPolicy, partsOnly } from "../policies/combine.js";
import { freshAndStale } from "../policies/fresh-and-stale.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import type { SessionListing } from "../workspace/artifacts/artifact-store.js";
import {
  eventOf,
  flowOf,
  type CarriedRead,
  type CarriedResult,
} from "../workspace/ledger/ledger.js";
import { coreOf } from "../workspace/workspace-core.js";
import type { Workspace } from "../workspace/workspace-types.js";
import {
  isMomentOf,
  momentAt,
  momentIn,
  offloadedAfter,
  type ResultPlaces,
} from "./offload-moment.js";
import { LargeParts, LocatedPart, type ReplacedPart } from "./large-parts.js";
import type { Offloader, OffloaderSettings, PickFormat } from "./offloader-types.js";
import { createReadingCalls, findReadingAnswers } from "./reads.js";
import {
  addReports,
  reportResults,
  reportSteps,
  requireKinds,
  verdictsOf,
  type KeptReason,
  type OffloadedResult,
  type PartKind,
  type ResultReport,
} from "./report.js";
import { requireCallbacks, restoreMessages } from "./restore.js";
import { findOffloaded, ResultStorage } from "./result-storage.js";
import { EMPTY_SESSION, findReferenced, type SessionIndex } from "./session-index.js";
import { countAddedTokens, createToolCalls, withReadingTools } from "./tool-calls.js";
import {
  aboutCall,
  ContentMemory,
  finishMessages,
  goesOnFromReading,
  LocatedResult,
  NONE,
  placesOf,
  type SeenMessage,
  TurnMemory,
} from "./turn-memory.js";
import { pickWithStoredIds } from "./stored-ids.js";

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

/** A result that was kept although it has so many characters is worth a note. */
const LARGE_CHARS = DEFAULTS.giantTokens * DEFAULTS.charsPerToken;

/** For answers of the reading tools and large parts, where the host's policy does not let things grow old. */
const AGING = freshAndStale();

/** Shorter content has never been worth a reference. */
const MIN_STORED_CHARS = 100;

const OUTDATED: KeptReason = {
  outcome: "kept",
  reason: "its message has changed meanwhile, or cannot be read again",
};

const NO_STEP: KeptReason = {
  outcome: "kept",
  reason: "its step was not made, since another result of it could not be stored",
};

export function wireOffloader(wiring: OffloaderWiring): Offloader {
  const { workspace, sessionId, countTokens, readingTools = DEFAULTS.readingTools } = wiring;
  const core = withReadingTools(coreOf(workspace), readingTools);
  const policy = guardPolicy(wiring.policy, AGING);
  const keepResults = guardPolicy(partsOnly(wiring.policy.ages ? wiring.policy : AGING), AGING);
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
  const pickFormat = pickWithStoredIds(wiring.pickFormat, core.storedId);
  let memory: TurnMemory | undefined;

  const openMemory = (format: Format): TurnMemory =>
    new TurnMemory({
      ...{ format, contents, readingCalls, onUnreadable },
      read: { media, countOther: true },
    });

  /** Reads what is new in the history. The memory keeps its format as long as new messages agree. */
  const begin = (history: readonly unknown[], session: SessionIndex) => {
    let known = memory?.countKnown(history, session) ?? 0;
    let turns = memory?.format.mismatch(history.slice(known)) === undefined ? memory : undefined;
    if (!turns) {
      const format = pickFormat(history, wiring.format, "by shape");
      turns = memory?.format === format ? memory : openMemory(format);
      if (turns !== memory) known = 0;
    }
    let taken = turns.take(history, known);
    // The format is picked again with this question; that throws, or finds another one.
    if (turns.looksMisread(turns !== memory)) {
      const format = pickFormat(history, wiring.format, "by reading");
      if (format !== turns.format) {
        turns = openMemory(format);
        known = 0;
        taken = turns.take(history, known);
      }
    }
    memory = turns;
    return { turns, taken };
  };

  /** What a session holds. A store that cannot be read fails at the put, with its own reason. */
  const listSession = (id: string): Promise<SessionListing> =>
    core.listSession(id).catch(() => EMPTY_SESSION);

  /** Renews what is handed out; `false` if some of it was removed since the session was listed. */
  const keeperOf = (session: SessionListing) => {
    // The listing itself may change with each removal.
    const removedBefore = new Set(session.removed.keys());
    return async (artifactIds: Iterable<string>): Promise<boolean> => {
      const ids = [...artifactIds];
      if (!(await core.renew(session, ids))) return false;
      const { artifacts, removed } = session;
      return ids.every((id) => artifacts.has(id) || !removed.has(id) || removedBefore.has(id));
    };
  };

  /** Finds out what is known of results, and opens where they are stored. */
  const openStorage = async (
    results: readonly LocatedResult[],
    session: SessionListing,
    places: ResultPlaces,
    placeOf: (result: LocatedResult) => number,
    signal: AbortSignal | undefined,
  ) => {
    const answers = await findReadingAnswers(results, session, listSession, core.readChars);
    const references = new Map<ToolResult, ArtifactRecord>();
    for (const result of results) {
      const { id: toolCallId, toolName } = result;
      result.isReadingAnswer = answers.has(result);
      result.offloadFlag = shouldOffload?.({ toolCallId, toolName });
      const referenced = findReferenced(session, result)?.record;
      result.record = referenced;
      result.twinPlace?.group.recount();
      if (referenced) references.set(result, referenced);
    }
    // Only now is it known what each of them is, by which moments are found.
    for (const result of results) {
      const { chars, record: referenced } = result;
      const isAging = !policy.perResult || result.isReadingAnswer;
      const isStorable = isAging && result.isPlain && chars >= MIN_STORED_CHARS;
      const record =
        referenced ??
        (isStorable
          ? findOffloaded(session, result, core.hash, (found) => {
              const moment = momentIn(found);
              return !moment || isMomentOf(moment, places, placeOf(result));
            })
          : undefined);
      result.stored = record;
    }
    for (const result of results) recall(result, result.stored, places, placeOf(result));
    return { references, storage: new ResultStorage(storing, session, signal) };
  };

  /** What is new in a history, and all that is needed to decide about it. */
  const lookAt = async (
    history: readonly unknown[],
    kinds: readonly PartKind[],
    signal: AbortSignal | undefined,
  ) => {
    signal?.throwIfAborted();
    // The host may change its own array while results are being stored.
    const input = history.slice();
    const session = await listSession(sessionId);
    const keep = keeperOf(session);
    const { turns, taken } = begin(input, session);
    // Before anything is waited for, since another call may take another history then.
    const survey = turns.survey(taken);
    const { from, modelMessages } = survey;
    const { places, indices } = placesOf(taken, from, modelMessages);
    const placeOf = (result: ToolResult): number => {
      const place = indices.get(result as LocatedResult);
      if (place !== undefined) return place;
      const next = places.messages.findIndex((index) => index >= result.messageIndex);
      return next === -1 ? places.messages.length : next;
    };
    const { format } = turns;
    const parts = kinds.every((kind) => kind === "results")
      ? []
      : largeParts.locate(input, from, format, kinds, modelMessages, session);
    const open = parts.filter(({ messageIndex }) => taken[messageIndex]?.isFinal !== true);
    for (const part of open) recall(part, part.record, places, placeOf(part));
    const opened = await openStorage(survey.results, session, places, placeOf, signal);
    for (const part of open) {
      if (part.isReference && part.record) opened.references.set(part, part.record);
    }
    const all = open.length === 0 ? survey : withParts(survey, open);
    const { totals } = survey;
    return { input, keep, turns, taken, survey: all, totals, places, placeOf, ...opened };
  };

  const noteStep = ({
    turn,
    results,
    freedTokens,
    rewrittenTokens,
  }: Omit<Step, "before">): void => {
    core.note("step", "offload", {
      ...{ session_id: sessionId, turn, results },
      tokens_saved: freedTokens,
      tokens_rewritten: rewrittenTokens,
    });
  };

  const notedLarge = new Set<string>();

  /** What this request carries because of us: its messages are those that are known now. */
  const noteRequest = (taken: readonly SeenMessage[]): void => {
    const results: CarriedResult[] = [];
    const reads: CarriedRead[] = [];
    for (const { reports, parts, readingCallTokens } of taken) {
      results.push(...parts);
      if (readingCallTokens > 0) {
        const sent = { tokens: readingCallTokens, sentTokens: readingCallTokens };
        reads.push({ artifactId: undefined, ...sent });
      }
      for (const report of reports) {
        const { outcome, read, artifactId, toolName, tokens = 0, referenceTokens = 0 } = report;
        const isGone = outcome === "offloaded" || outcome === "reference";
        if (read) reads.push({ ...read, sentTokens: isGone ? referenceTokens : read.tokens });
        else if (isGone)
          results.push({ artifactId: artifactId ?? "", toolName, tokens, referenceTokens });
        else if (report.chars >= LARGE_CHARS) {
          const key = `${report.messageIndex} ${report.toolCallId ?? ""} ${report.chars}`;
          if (notedLarge.has(key)) continue;
          notedLarge.add(key);
          core.ledger?.keptLarge(sessionId, report.reason);
        }
      }
    }
    const isForReading = goesOnFromReading(taken);
    const request = { results, reads, fixed: countAdded(), isForReading };
    const flow = core.ledger?.request(sessionId, request) ?? flowOf(request);
    core.note("request", "offload", { session_id: sessionId, ...eventOf(flow) });
  };

  /** A result on its own: which requests will carry it is not known. */
  const noteArrival = (report: ResultReport): void => {
    const { outcome, artifactId, toolName, tokens = 0, referenceTokens = 0 } = report;
    if (outcome === "offloaded" && artifactId !== undefined && !report.read) {
      const arrived = { artifactId, toolName, tokens, referenceTokens };
      const flow = core.ledger?.arrival(sessionId, arrived, countAdded());
      if (flow) {
        const known = {
          session_id: sessionId,
          artifact_id: artifactId,
          tool_name: toolName ?? null,
        };
        core.note("arrival", "offload", { ...known, ...eventOf(flow) });
      }
    } else if (outcome === "kept" && report.chars >= LARGE_CHARS) {
      core.ledger?.keptLarge(sessionId, report.reason);
    }
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

  /** Notes of everything that goes after it was sent whole, when that is: its record will say so. */
  const noteMoments = (
    { chosen }: OffloadPlan<ArtifactRecord>,
    verdicts: ReadonlyMap<ToolResult, Verdict>,
    {
      input,
      places,
      placeOf,
    }: Pick<Awaited<ReturnType<typeof lookAt>>, "input" | "places" | "placeOf">,
  ): void => {
    for (const result of chosen) {
      const going = result as LocatedResult | LocatedPart;
      const { step, state, isFinal = false } = verdicts.get(result) ?? {};
      going.moment = undefined;
      // A policy that says neither may decide otherwise next time; what it decides now must last.
      if (result.offloadedBefore || (!step && isFinal)) continue;
      const facts = { as: state, weight: going.tokens };
      going.moment = momentAt(places, placeOf(result), step?.before ?? input.length, facts);
    }
  };

  /**
   * Stores what goes in steps before any of it is replaced: a step is made whole or not at all, and is
   * tried again next time.
   */
  const storeSteps = async (
    chosen: readonly ToolResult[],
    verdicts: ReadonlyMap<ToolResult, Verdict>,
    storage: ResultStorage,
    storePart: (part: LocatedPart) => Promise<ReplacedPart | undefined>,
  ): Promise<readonly ToolResult[]> => {
    const going = chosen.filter(
      (result) => result.part !== undefined || verdicts.get(result)?.step !== undefined,
    );
    if (going.length === 0) return chosen;
    await mapConcurrently<ToolResult, unknown>(going, DEFAULTS.writeConcurrency, (result) =>
      result instanceof LocatedPart ? storePart(result) : storage.put(result),
    );
    const isFailed = (result: ToolResult) => storage.kept.get(result)?.outcome === "failed";
    const failed = new Set(going.filter(isFailed).map((result) => verdicts.get(result)?.step));
    if (failed.size === 0) return chosen;
    return chosen.filter((result) => {
      const step = verdicts.get(result)?.step;
      if (!step || !failed.has(step) || result.offloadedBefore) return true;
      if (!isFailed(result)) storage.kept.set(result, NO_STEP);
      return false;
    });
  };

  /** `undefined` if something that is handed out was removed meanwhile. */
  const offloadOnce = async (
    history: readonly unknown[],
    kinds: readonly PartKind[],
    isArrival: boolean,
    signal: AbortSignal | undefined,
  ) => {
    const looked = await lookAt(history, kinds, signal);
    const { input, turns, taken, survey, storage, references } = looked;
    const { format } = turns;
    const rule = kinds.includes("results") ? policy : keepResults;
    const plan = planOffload(input.length, survey, rule, references);
    const verdicts = verdictsOf(plan);
    noteMoments(plan, verdicts, looked);

    const replaced = new Map<LocatedPart, ReplacedPart>();
    const storePart = async (part: LocatedPart): Promise<ReplacedPart | undefined> => {
      try {
        const raw = format.parts?.raw?.(input[part.messageIndex], part.found);
        const stored = await largeParts.store(part, raw, signal);
        if (stored) replaced.set(part, stored);
        return stored;
      } catch (error) {
        return storage.fail(part, error);
      }
    };
    const chosen = await storeSteps(plan.chosen, verdicts, storage, storePart);
    const { messages, offloaded, outdated } = await offload(
      input,
      { chosen: chosen.filter(({ part }) => part === undefined) },
      {
        ...{ format, media, put: storage.put },
        concurrency: DEFAULTS.writeConcurrency,
        isCurrent: (_, index) => taken[index]?.isCurrent ?? false,
      },
    );
    for (const result of outdated) storage.kept.set(result, OUTDATED);
    for (const result of plan.chosen) {
      // Without those that were stored, it might not go by itself.
      const isDue = verdicts.get(result)?.step !== undefined && storage.kept.has(result);
      if (result instanceof LocatedResult) result.due = isDue ? verdicts.get(result) : undefined;
    }

    const output = messages.map((message, index) => {
      const seen = taken[index];
      return seen?.isFinal === true ? seen.output : message;
    });
    const goingParts = chosen.flatMap((part) => {
      const put = part instanceof LocatedPart ? replaced.get(part) : undefined;
      return put && part instanceof LocatedPart ? [{ part, ...put }] : [];
    });
    for (const { part, value } of goingParts) {
      const { messageIndex, found } = part;
      output[messageIndex] = format.parts?.put(output[messageIndex], found.path, value);
    }
    for (const seen of taken) if (!seen.isFinal) seen.parts = NONE;
    for (const item of plan.results) {
      const seen = taken[item.messageIndex];
      if (!(item instanceof LocatedPart) || !seen) continue;
      const carried = carriedPart(item, replaced.get(item));
      if (carried) seen.parts = [...seen.parts, carried];
    }
    const results = reportResults(plan, offloaded, storage.kept);
    const open = plan.candidates.filter(
      (result) => verdicts.get(result)?.isFinal !== true || storage.kept.get(result) !== undefined,
    );
    const isOpen = new Set(open.map(({ messageIndex }) => messageIndex));
    const withParts = new Set(goingParts.map(({ part }) => part.messageIndex));
    finishMessages(taken, output, results, isOpen, withParts, heldParts(references, goingParts));
    if (!(await looked.keep(handedOut(taken, references)))) return undefined;
    // What could not be done is decided about again.
    const isUndone = (kept: KeptReason) =>
      kept.outcome === "failed" || kept === NO_STEP || kept === OUTDATED;
    if (![...storage.kept.values()].some(isUndone)) {
      turns.noteDecided(survey.modelMessages?.length ?? 0);
    }

    const steps = reportSteps(plan, survey.modelMessages?.length ?? 0, (result) => {
      return offloaded.has(result) || (result instanceof LocatedPart && replaced.has(result));
    });
    if (steps.step) noteStep(steps.step);
    if (isArrival) results.forEach(noteArrival);
    else noteRequest(taken);
    const isSame = output.every((message, index) => message === history[index]);
    return {
      messages: isSame && output.length === history.length ? history : output,
      report: {
        ...{ results, totals: addReports(looked.totals, results), ...steps },
        ...(kinds.every((kind) => kind === "results")
          ? {}
          : { parts: goingParts.map(({ report }) => report) }),
      },
    };
  };

  return {
    workspace,
    sessionId,
    readingTools,

    async offload(history, options) {
      const { parts, isArrival = false, signal } = requireOptions(options);
      requireArray("history", history);
      const kinds = parts ?? wiring.parts ?? RESULTS;
      if (kinds !== RESULTS) requireKinds(kinds);
      const once = () => offloadOnce(history, kinds, isArrival, signal);
      return (await whileRemoved(once)) as never;
    },

    async estimate(history, options) {
      const { signal } = requireOptions(options);
      requireArray("history", history);
      const looked = await lookAt(history, RESULTS, signal);
      const { input, survey, storage, references, totals } = looked;
      const plan = planOffload(input.length, survey, policy, references);
      // A result that goes in a step has a reference without a digest.
      noteMoments(plan, verdictsOf(plan), looked);
      const results = await decide(plan, storage, (result) => storage.preview(result));
      const sums = addReports(totals, results);
      const addedTokens = countAdded();
      const replies = survey.modelMessages ?? [];
      const next = planOffload(
        input.length + 1,
        Object.create(survey, {
          modelMessages: { value: [...replies, input.length] },
          workingReplies: { value: [...(survey.workingReplies ?? []), input.length] },
        }) as Survey,
        policy,
        references,
      );
      const now = new Set(plan.chosen);
      const later = next.chosen.filter((result) => !now.has(result));
      return {
        ...{ results, totals: sums, ...reportSteps(plan, replies.length, () => true), addedTokens },
        nextStep: {
          results: later.length,
          tokens: later.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
        },
        netTokensSaved: sums.tokensSaved - addedTokens,
      };
    },

    async result(content, options) {
      requireContent("content", content);
      const { toolCallId, toolName, input, isError = false, signal } = requireOptions(options);
      signal?.throwIfAborted();
      const found = describeArrived(content, toolCallId || undefined, isError);
      const reading = readingCalls.guess(toolName, input);
      const about = aboutCall(input);
      const result = new LocatedResult(found, 0, toolName, contents, reading, about);
      const places: ResultPlaces = { messages: [0], replies: [], hashAt: () => result.hash };
      const report = await whileRemoved(async () => {
        const session = await listSession(sessionId);
        const keep = keeperOf(session);
        const opened = await openStorage([result], session, places, () => 0, signal);
        const { references, storage } = opened;
        const plan = planOffload(1, { results: [result], otherChars: 0 }, policy, references);
        const [made] = (await decide(plan, storage, storage.put)) as [ResultReport];
        const ids = made.artifactId === undefined ? [] : [made.artifactId];
        return (await keep(ids)) ? made : undefined;
      });
      noteArrival(report);
      const text = report.outcome === "offloaded" ? report.reference : undefined;
      return { content: text ?? content, report };
    },

    async restore(messages, options) {
      requireArray("messages", messages);
      const callbacks = requireCallbacks(options);
      const fits = memory?.format.mismatch(messages) === undefined;
      const format =
        memory && fits ? memory.format : pickFormat(messages, wiring.format, "by reading");
      const restoring = { core, sessionId, format };
      return (await restoreMessages(messages, restoring, callbacks)) as never;
    },

    ...createToolCalls(workspace, { ...wiring, readingTools }, () => memory?.format),
    systemPrompt: () => workspace.systemPrompt({ readingTools }),
  };
}

/** More than removals at the same time explain: the store does not hold what it lists. */
const MAX_ATTEMPTS = 5;

/**
 * Does the work again if what it was about to hand out was removed while it was under way, by a
 * retention of another process say. What is stored anew is too young to be removed.
 */
async function whileRemoved<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const done = await work();
    if (done !== undefined) return done;
    if (attempt < MAX_ATTEMPTS) continue;
    const cause = new Error("it is removed again and again while it is handed out");
    throw new ReadFailedError("what was stored before", cause);
  }
}

/** The records of the references in place of parts, by message. */
function heldParts(
  references: ReadonlyMap<ToolResult, ArtifactRecord>,
  going: readonly ({ readonly part: LocatedPart } & ReplacedPart)[],
): ReadonlyMap<number, readonly ArtifactRecord[]> {
  const held = new Map<number, readonly ArtifactRecord[]>();
  const add = ({ messageIndex }: ToolResult, record: ArtifactRecord) =>
    held.set(messageIndex, [...(held.get(messageIndex) ?? []), record]);
  for (const { part, record } of going) add(part, record);
  for (const [part, record] of references) if (part instanceof LocatedPart) add(part, record);
  return held;
}

/** The artifacts that messages refer to, those of earlier calls included. */
function* handedOut(
  messages: readonly SeenMessage[],
  references: ReadonlyMap<ToolResult, ArtifactRecord>,
): Generator<string> {
  for (const { heldIds } of messages) yield* heldIds;
  for (const { artifactId } of references.values()) yield artifactId;
}

/** What a part takes that this call, or an earlier one, offloaded. */
function carriedPart(
  { isReference, record, tokens, part }: LocatedPart,
  replaced: ReplacedPart | undefined,
): CarriedResult | undefined {
  if (replaced) {
    const { artifactId, tokensSaved } = replaced.report;
    return { artifactId, toolName: part, tokens, referenceTokens: tokens - tokensSaved };
  }
  if (!isReference || !record) return undefined;
  const { artifactId, size } = record;
  return { artifactId, toolName: part, tokens: size.tokens, referenceTokens: tokens };
}

/** What a record says of a result, or of a part, that is or was a reference. */
function recall(
  item: LocatedResult | LocatedPart,
  record: ArtifactRecord | undefined,
  places: ResultPlaces,
  place: number,
): void {
  const moment = record && momentIn(record);
  const after = record && offloadedAfter(moment, places, place);
  const isReference = item instanceof LocatedPart ? item.isReference : item.record !== undefined;
  if (item instanceof LocatedResult) item.isReference = isReference;
  item.weight = moment?.weight ?? record?.size.tokens;
  item.offloadedAs = moment?.as;
  // A reference whose moment is not part of the history counts as one since it arrived.
  item.offloadedAfter = isReference ? (after ?? 0) : after;
  item.offloadedBefore = !isReference && after !== undefined;
}

/** The results and the large parts of a conversation, in the order of their messages. */
function withParts(survey: Survey, parts: readonly LocatedPart[]): Survey {
  const results = [...survey.results, ...parts].sort(
    (one, other) => one.messageIndex - other.messageIndex,
  );
  const sentChars = new Map<number, number>();
  for (const { messageIndex, sentChars: chars } of parts) {
    sentChars.set(messageIndex, (sentChars.get(messageIndex) ?? 0) + chars);
  }
  // What a part takes counts as its own, not as what is around it.
  const messageOtherChars = (index: number) =>
    (survey.messageOtherChars?.(index) ?? 0) - (sentChars.get(index) ?? 0);
  return Object.create(survey, {
    results: { value: results },
    messageOtherChars: { value: messageOtherChars },
  }) as Survey;
}

function describeArrived(content: Content, id: string | undefined, isError: boolean) {
  const soleText = typeof content === "string" ? content : undefined;
  return { slot: 0, id, content, soleText, chars: countContentChars(content), isError };
}
