import type { Format, MediaRule, SlotText, ToolResult } from "./format.js";
import type { Survey } from "./survey.js";
import { chosenBy, type Policy, type Verdict, createConversation } from "./policy.js";
import { mapConcurrently } from "../lib/concurrency.js";

/** What will be done to a conversation, decided before anything is written. */
export interface OffloadPlan<Target> {
  /** Every tool result that was found, in order. */
  readonly results: readonly ToolResult[];
  /** Those that are references already, with what they refer to. They are not touched. */
  readonly references: ReadonlyMap<ToolResult, Target>;
  /** The others, which the policy judged, and its verdicts in the same order. */
  readonly candidates: readonly ToolResult[];
  readonly verdicts: readonly Verdict[];
  readonly chosen: readonly ToolResult[];
}

/**
 * Decides without writing.
 *
 * @param references - The results whose whole content is a reference that names their own id. Content
 * that merely contains the text of a reference is not one.
 */
export function planOffload<Target>(
  messageCount: number,
  survey: Survey,
  policy: Policy,
  references: ReadonlyMap<ToolResult, Target>,
): OffloadPlan<Target> {
  const { results } = survey;
  const candidates =
    references.size === 0 ? results : results.filter((result) => !references.has(result));
  const verdicts = policy.decide(candidates, createConversation(messageCount, survey));
  return { results, references, candidates, verdicts, chosen: chosenBy(verdicts, candidates) };
}

/** The text that replaces a result whose content was stored. */
export interface Stored {
  readonly reference: string;
}

/**
 * Stores the content of a result durably. Once it has resolved, a fresh process can read what was put.
 * Resolves to `undefined` to keep the result in the message.
 */
export type Put<S extends Stored> = (result: ToolResult) => Promise<S | undefined> | S | undefined;

/** How a plan is carried out. */
export interface OffloadWiring<Message, S extends Stored> {
  readonly format: Format<Message>;
  readonly media: MediaRule;
  readonly put: Put<S>;
  readonly concurrency: number;
  /** Copies a touched message; without it, the new message shares what did not change. */
  readonly copy?: (message: Message) => Message;
  /** Whether a message is still as it was when it was read; one that has changed keeps its content. */
  readonly isCurrent?: (message: Message, messageIndex: number) => boolean;
}

export interface OffloadOutcome<Message, S extends Stored> {
  /** The same array that was passed in, when nothing was offloaded. */
  readonly messages: readonly Message[];
  /** What was offloaded, in the order of the results. */
  readonly offloaded: ReadonlyMap<ToolResult, S>;
  /** Results that were stored, but whose message has changed meanwhile and was kept. */
  readonly outdated: readonly ToolResult[];
}

/** Moves the chosen tool results out of the messages. The input is never changed. */
export async function offload<Message, S extends Stored>(
  messages: readonly Message[],
  { chosen }: Pick<OffloadPlan<unknown>, "chosen">,
  wiring: OffloadWiring<Message, S>,
): Promise<OffloadOutcome<Message, S>> {
  const stored = await mapConcurrently(chosen, wiring.concurrency, wiring.put);
  const { format, copy, isCurrent } = wiring;
  const offloaded = new Map<ToolResult, S>();
  const outdated: ToolResult[] = [];
  const touched = new Map<number, SlotText[] | undefined>();
  for (const [at, result] of chosen.entries()) {
    const put = stored[at];
    if (!put) continue;
    const { messageIndex, slot } = result;
    if (!touched.has(messageIndex)) {
      // Asked once for each message, since the answer takes a pass over it.
      const isOutdated = isCurrent?.(messages[messageIndex] as Message, messageIndex) === false;
      touched.set(messageIndex, isOutdated ? undefined : []);
    }
    const texts = touched.get(messageIndex);
    texts?.push({ slot, text: put.reference });
    if (texts) offloaded.set(result, put);
    else outdated.push(result);
  }
  if (offloaded.size === 0) return { messages, offloaded, outdated };
  // References are put in only now that all content is stored.
  const next = messages.slice();
  for (const [index, texts] of touched) {
    if (!texts) continue;
    // Replaced before it is copied, so that offloaded content is not copied.
    const replaced = format.replace(messages[index] as Message, texts, wiring);
    next[index] = copy ? copy(replaced) : replaced;
  }
  return { messages: next, offloaded, outdated };
}
