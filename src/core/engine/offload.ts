import { createConversation } from "./conversation.js";
import type { MessageFormat, Replacement } from "./message-format.js";
import { chosenBy, type Policy, type Verdict } from "./policy.js";
import type { Reference } from "./reference.js";
import type { Sink } from "./sink.js";
import type { ToolResult } from "./tool-result.js";
import { mapConcurrently } from "../lib/map-concurrently.js";

/** What will happen to a conversation, before anything is written. */
export interface OffloadPlan<Stored> {
  /** Every tool result of the conversation, in order. */
  readonly results: readonly ToolResult[];
  /** Those that are references already, with what they refer to. They are left alone. */
  readonly references: ReadonlyMap<ToolResult, Stored>;
  /** The others, which the policy was asked about, and its verdicts in the same order. */
  readonly candidates: readonly ToolResult[];
  readonly verdicts: readonly Verdict[];
  readonly leaving: readonly ToolResult[];
}

/** The parts that make an offload; a preset is a choice of them. */
export interface OffloadWiring<Message, Stored> {
  readonly format: MessageFormat<Message>;
  readonly policy: Policy;
  readonly reference: Reference<Stored>;
  /** Opens the sink for what is about to leave; not called when nothing does. */
  readonly openSink: (plan: OffloadPlan<Stored>) => Sink<Stored>;
  readonly concurrency: number;
  /** Copies a touched message; without it, the new message shares what did not change. */
  readonly copy?: (message: Message) => Message;
}

/** A result that left: where it went, and the text in its place. */
export interface Departure<Stored> {
  readonly result: ToolResult;
  readonly stored: Stored;
  readonly text: string;
}

export interface OffloadOutcome<Message, Stored> {
  /** The very array that came in, when nothing left. */
  readonly messages: readonly Message[];
  readonly plan: OffloadPlan<Stored>;
  readonly departures: readonly Departure<Stored>[];
}

/** Moves the tool results that the policy chooses out of the messages. The input is never changed. */
export async function offload<Message, Stored>(
  messages: readonly Message[],
  wiring: OffloadWiring<Message, Stored>,
): Promise<OffloadOutcome<Message, Stored>> {
  const plan = planOffload(messages, wiring);
  if (plan.leaving.length === 0) return { messages, plan, departures: [] };

  const sink = wiring.openSink(plan);
  const outcomes = await mapConcurrently(plan.leaving, wiring.concurrency, async (result) => {
    const stored = await sink.put(result);
    return stored === undefined ? [] : [{ result, stored, text: wiring.reference.render(stored) }];
  });
  const departures = outcomes.flat();
  if (departures.length === 0) return { messages, plan, departures };
  // Only now, with every content safe, do references appear.
  return { messages: replaceContents(messages, departures, wiring), plan, departures };
}

/** Decides without writing. */
export function planOffload<Message, Stored>(
  messages: readonly Message[],
  { format, policy, reference }: OffloadWiring<Message, Stored>,
): OffloadPlan<Stored> {
  const survey = format.survey(messages, { countOther: policy.needsTotalChars });
  const { results } = survey;
  const references = new Map<ToolResult, Stored>();
  for (const result of results) {
    const stored = reference.resolve(result);
    if (stored !== undefined) references.set(result, stored);
  }
  const candidates =
    references.size === 0 ? results : results.filter((result) => !references.has(result));
  const verdicts = policy.decide(candidates, createConversation(messages.length, survey));
  const leaving = chosenBy(verdicts, candidates);
  return { results, references, candidates, verdicts, leaving };
}

function replaceContents<Message, Stored>(
  messages: readonly Message[],
  departures: readonly Departure<Stored>[],
  { format, copy }: OffloadWiring<Message, Stored>,
): readonly Message[] {
  const touched = new Map<number, Replacement[]>();
  for (const departure of departures) {
    const { messageIndex } = departure.result;
    const replacements = touched.get(messageIndex);
    if (replacements) replacements.push(departure);
    else touched.set(messageIndex, [departure]);
  }
  const next = messages.slice();
  for (const [index, replacements] of touched) {
    // Replaced first and copied then, so that what left is not copied along.
    const replaced = format.replace(messages[index] as Message, replacements);
    next[index] = copy ? copy(replaced) : replaced;
  }
  return next;
}
