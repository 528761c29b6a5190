import type { Format, MediaRule, ToolResult } from "./format.js";
import type { Survey } from "./survey.js";
import { chosenBy, type Policy, type Verdict, createConversation } from "./policy.js";
import { mapConcurrently } from "../lib/concurrency.js";

/**
 * Stores content durably. Once `put` has resolved, a fresh process can read what was put. Resolves
 * to `undefined` to keep the result in the message.
 */
export interface Sink<Stored> {
  put(result: ToolResult): Promise<Stored | undefined>;
  /** What it holds of this result already, as far as it can tell at once. */
  recall?(result: ToolResult): Stored | undefined;
}

/** Writes the text that replaces a result's content, and recognizes it. */
export interface Reference<Stored> {
  render(stored: Stored): string;
  /**
   * What the result's content refers to, when the whole content is a reference that names the
   * result's own id; `undefined` for content that merely contains the text of a reference.
   */
  resolve(result: ToolResult): Stored | undefined;
}

/** What will be done to a conversation, decided before anything is written. */
export interface OffloadPlan<Stored> {
  /** Every tool result that was found, in order. */
  readonly results: readonly ToolResult[];
  /** Those that are references already, with what they refer to. They are not touched. */
  readonly references: ReadonlyMap<ToolResult, Stored>;
  /** The others, which the policy judged, and its verdicts in the same order. */
  readonly candidates: readonly ToolResult[];
  readonly verdicts: readonly Verdict[];
  readonly chosen: readonly ToolResult[];
}

/** The parts of an offload; a preset is a choice of them. */
export interface OffloadWiring<Message, Stored> {
  readonly format: Format<Message>;
  readonly media: MediaRule;
  readonly policy: Policy;
  readonly reference: Reference<Stored>;
  /** Opens the sink for what is about to be offloaded; not called when nothing was chosen. */
  readonly openSink: (plan: OffloadPlan<Stored>) => Sink<Stored>;
  readonly concurrency: number;
  /** Copies a touched message; without it, the new message shares what did not change. */
  readonly copy?: (message: Message) => Message;
  /** Whether a message is still as it was when it was read; one that has changed keeps its content. */
  readonly isCurrent?: (message: Message, messageIndex: number) => boolean;
}

/** A result that was offloaded: where it went, and the text in its place. */
export interface OffloadedResult<Stored> {
  readonly result: ToolResult;
  readonly stored: Stored;
  readonly text: string;
}

export interface OffloadOutcome<Message, Stored> {
  /** The same array that was passed in, when nothing was offloaded. */
  readonly messages: readonly Message[];
  readonly plan: OffloadPlan<Stored>;
  readonly offloaded: readonly OffloadedResult<Stored>[];
  /** Results that were stored, but whose message has changed meanwhile and was kept. */
  readonly outdated: readonly ToolResult[];
}

/** Moves the tool results that the policy chooses out of the messages. The input is never changed. */
export async function offload<Message, Stored>(
  messages: readonly Message[],
  survey: Survey,
  wiring: OffloadWiring<Message, Stored>,
): Promise<OffloadOutcome<Message, Stored>> {
  const plan = planOffload(messages.length, survey, wiring);
  if (plan.chosen.length === 0) return { messages, plan, offloaded: [], outdated: [] };

  const stored = await storeResults(plan.chosen, wiring.openSink(plan), wiring);
  const isOutdated = findOutdated(messages, wiring);
  const offloaded = stored.filter(({ result }) => !isOutdated(result.messageIndex));
  const outdated = stored.flatMap(({ result }) =>
    isOutdated(result.messageIndex) ? [result] : [],
  );
  if (offloaded.length === 0) return { messages, plan, offloaded, outdated };
  // References are put in only now that all content is stored.
  return { messages: replaceContents(messages, offloaded, wiring), plan, offloaded, outdated };
}

/** Stores the results; returns those that were, in their order. */
async function storeResults<Stored>(
  results: readonly ToolResult[],
  sink: Sink<Stored>,
  { reference, concurrency }: Pick<OffloadWiring<never, Stored>, "reference" | "concurrency">,
): Promise<OffloadedResult<Stored>[]> {
  const recalled = new Map<ToolResult, Stored>();
  for (const result of results) {
    const stored = sink.recall?.(result);
    if (stored !== undefined) recalled.set(result, stored);
  }
  const others = results.filter((result) => !recalled.has(result));
  await mapConcurrently(others, concurrency, async (result) => {
    const stored = await sink.put(result);
    if (stored !== undefined) recalled.set(result, stored);
  });
  return results.flatMap((result) => {
    const stored = recalled.get(result);
    return stored === undefined ? [] : [{ result, stored, text: reference.render(stored) }];
  });
}

/** Decides without writing. */
export function planOffload<Stored>(
  messageCount: number,
  survey: Survey,
  { policy, reference }: Pick<OffloadWiring<never, Stored>, "policy" | "reference">,
): OffloadPlan<Stored> {
  const { results } = survey;
  const references = new Map<ToolResult, Stored>();
  for (const result of results) {
    const stored = reference.resolve(result);
    if (stored !== undefined) references.set(result, stored);
  }
  const candidates =
    references.size === 0 ? results : results.filter((result) => !references.has(result));
  const verdicts = policy.decide(candidates, createConversation(messageCount, survey));
  return { results, references, candidates, verdicts, chosen: chosenBy(verdicts, candidates) };
}

/** Asks once for each message, since the answer takes a pass over it. */
function findOutdated<Message>(
  messages: readonly Message[],
  { isCurrent }: Pick<OffloadWiring<Message, never>, "isCurrent">,
): (messageIndex: number) => boolean {
  const known = new Map<number, boolean>();
  return (index) => {
    if (!isCurrent) return false;
    const isOutdated = known.get(index) ?? !isCurrent(messages[index] as Message, index);
    known.set(index, isOutdated);
    return isOutdated;
  };
}

function replaceContents<Message, Stored>(
  messages: readonly Message[],
  offloaded: readonly OffloadedResult<Stored>[],
  wiring: OffloadWiring<Message, Stored>,
): readonly Message[] {
  const { format, copy } = wiring;
  const touched = new Map<number, { slot: number; text: string }[]>();
  for (const { result, text } of offloaded) {
    const texts = touched.get(result.messageIndex) ?? [];
    touched.set(result.messageIndex, texts);
    texts.push({ slot: result.slot, text });
  }
  const next = messages.slice();
  for (const [index, texts] of touched) {
    const message = messages[index] as Message;
    // Replaced before it is copied, so that offloaded content is not copied.
    const replaced = format.replace(message, texts, wiring);
    next[index] = copy ? copy(replaced) : replaced;
  }
  return next;
}
