import type { Item, ResultItem } from "../conversation/conversation.js";
import type { PartSteps, ReaderKind, ReadSteps } from "../reader.js";

/** A way to send a conversation: everything, with large results offloaded, cleared, pruned. */
export interface System {
  readonly name: string;
  start(start: SessionStart): Promise<SystemSession>;
}

export interface SessionStart {
  /** An empty folder of its own. */
  readonly folder: string;
  readonly reader: ReaderKind;
  /** How many lines around a match the reader asks for; `undefined`: what the tool gives. */
  readonly contextLines?: number | undefined;
  /** The future, for the oracle. */
  readonly usedLater: ReadonlyMap<ResultItem, ReadonlySet<string>>;
}

/** A system at work on one conversation. */
export interface SystemSession {
  /** What it adds to each request: tools and prompt. */
  readonly overhead: string;
  /** The history as it is sent. */
  present(history: readonly Item[]): Promise<Item[]> | Item[];
  /** Fetches facts of a result, which was sent in this form. */
  read?(result: ResultItem, sent: string | undefined, facts: readonly string[]): ReadSteps;
  /** Reads this part of a result, from its start. */
  readPart?(result: ResultItem, sent: string | undefined, part: number): PartSteps;
  close?(): Promise<void>;
}

/** Results with another text, the same object each time, so that it is described only once. */
export function createReplacer(): (item: ResultItem, text: string) => ResultItem {
  const replaced = new WeakMap<ResultItem, Map<string, ResultItem>>();
  return (item, text) => {
    if (text === item.text) return item;
    const forms = replaced.get(item) ?? new Map<string, ResultItem>();
    replaced.set(item, forms);
    // An answer of a reading tool that was replaced shows no more what it had brought back.
    const found = item.found === undefined ? {} : { found: "" };
    const form = forms.get(text) ?? { ...item, text, ...found };
    forms.set(text, form);
    return form;
  };
}

/** Presents a history whose results are changed once, when they arrive. */
export function presentOnArrival(
  arrive: (result: ResultItem) => Promise<string>,
): (history: readonly Item[]) => Promise<Item[]> {
  const arrived = new WeakMap<Item, Item>();
  const replace = createReplacer();
  return async (history) => {
    const sent: Item[] = [];
    for (const item of history) {
      if (item.role === "result" && item.found === undefined && !arrived.has(item)) {
        arrived.set(item, replace(item, await arrive(item)));
      }
      sent.push(arrived.get(item) ?? item);
    }
    return sent;
  };
}

/** Makes something of each object once. */
export function once<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}
