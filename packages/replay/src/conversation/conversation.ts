/** A recorded conversation in a form of no vendor. */
export interface RecordedConversation {
  /** The folder that it is from. */
  readonly source: string;
  readonly name: string;
  readonly items: readonly Item[];
}

export type Item = UserItem | AssistantItem | ResultItem;

export interface UserItem {
  readonly role: "user";
  readonly text: string;
  readonly at?: number | undefined;
}

export interface AssistantItem {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly ReplayCall[];
  readonly at?: number | undefined;
  /** Whether the scripted reader made this call, rather than the recorded model. */
  readonly isReading?: boolean;
}

export interface ResultItem {
  readonly role: "result";
  readonly callId: string;
  readonly toolName: string;
  readonly text: string;
  readonly isError: boolean;
  /** When it was recorded, in milliseconds. */
  readonly at?: number | undefined;
  /** Of the answer of a reading tool, what it brought back. */
  readonly found?: string;
}

export interface ReplayCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What an item says; of a call, the values of its arguments. */
export function textOf(item: Item): string {
  if (item.role !== "assistant") return item.text;
  return [item.text, ...item.calls.flatMap(({ input }) => valuesOf(input))].join("\n");
}

function valuesOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(valuesOf);
}

/** Valid for every vendor: no empty items, and only results of calls that were made before. */
export function tidy(items: readonly Item[]): Item[] {
  const names = new Map<string, string>();
  return items.flatMap((item): Item[] => {
    if (item.role === "assistant") {
      for (const { id, name } of item.calls) names.set(id, name);
      return item.text.trim() === "" && item.calls.length === 0 ? [] : [item];
    }
    if (item.role === "user") return item.text.trim() === "" ? [] : [item];
    const toolName = names.get(item.callId);
    if (toolName !== undefined) return [{ ...item, toolName }];
    return [{ role: "user", text: item.text, at: item.at }];
  });
}
