import { asRecord, isRecord, parseJson, type JsonRecord } from "./json.js";

/**
 * The conversations of a recording, each as messages of its format. A recording holds more than what
 * was sent: a compaction starts a new conversation, subagents have their own, and what the user took
 * back was never sent again.
 */
export function splitRecording(format: string, messages: readonly unknown[]): unknown[][] {
  const split = SPLITS[format];
  if (!split) return [[...messages]];
  return split(messages.flatMap(lineOf));
}

/** A line of a file, and the object in it. */
interface RecordedLine {
  readonly text: string;
  readonly value: JsonRecord;
}

function lineOf(message: unknown): RecordedLine[] {
  const value = typeof message === "string" ? parseJson(message) : undefined;
  return isRecord(value) ? [{ text: message as string, value }] : [];
}

const SPLITS: Readonly<Record<string, (lines: readonly RecordedLine[]) => unknown[][]>> = {
  "claude-code-jsonl": splitClaudeCode,
  "codex-jsonl": splitCodex,
  "pi-jsonl": splitPi,
  "gemini-cli-jsonl": (lines) => [undoRewinds(lines)],
};

function splitClaudeCode(lines: readonly RecordedLine[]): unknown[][] {
  const isMain = ({ value }: RecordedLine) =>
    value["type"] === "user" && value["isSidechain"] !== true;
  const isSubagent = !lines.some(isMain);
  const conversations: unknown[][] = [[]];
  for (const { text, value } of lines) {
    const { type, subtype, isCompactSummary, isSidechain, message } = value;
    const isStarted = (conversations.at(-1)?.length ?? 0) > 0;
    if (subtype === "compact_boundary" || (isCompactSummary === true && isStarted)) {
      conversations.push([]);
    }
    if ((type !== "user" && type !== "assistant") || (isSidechain === true && !isSubagent))
      continue;
    // Written by the program itself, such as the message about an error.
    if (asRecord(message)["model"] !== "<synthetic>") conversations.at(-1)?.push(text);
  }
  return conversations;
}

/** A compaction brings its own history. */
function splitCodex(lines: readonly RecordedLine[]): unknown[][] {
  const conversations: unknown[][] = [[]];
  for (const { text, value } of lines) {
    const { type, payload, timestamp } = value;
    if (type === "compacted") {
      const { replacement_history, message } = asRecord(payload);
      const summary = [{ type: "message", role: "user", content: message }];
      const history = Array.isArray(replacement_history) ? replacement_history : summary;
      conversations.push(
        history.map((item: unknown) =>
          JSON.stringify({ type: "response_item", timestamp, payload: item }),
        ),
      );
    }
    if (type === "response_item") conversations.at(-1)?.push(text);
  }
  return conversations;
}

function splitPi(lines: readonly RecordedLine[]): unknown[][] {
  const conversations: unknown[][] = [[]];
  for (const { text, value } of lines) {
    const { type, summary, timestamp } = value;
    if (type === "compaction") {
      const message = { role: "user", content: String(summary) };
      conversations.push([JSON.stringify({ type: "message", timestamp, message })]);
    }
    if (type === "message") conversations.at(-1)?.push(text);
  }
  return conversations;
}

/** Gemini CLI writes a message that changed again, and names what the user took back. */
function undoRewinds(lines: readonly RecordedLine[]): unknown[] {
  const messages = new Map<string, string>();
  for (const { text, value } of lines) {
    const { id, type, $rewindTo: first, $set: changes } = value;
    if (typeof first === "string") {
      const ids = [...messages.keys()];
      for (const gone of ids.slice(ids.indexOf(first))) messages.delete(gone);
    }
    const { messages: replaced } = asRecord(changes);
    if (Array.isArray(replaced)) {
      messages.clear();
      for (const each of replaced) messages.set(String(asRecord(each)["id"]), JSON.stringify(each));
    }
    if (typeof id === "string" && typeof type === "string") messages.set(id, text);
  }
  return [...messages.values()];
}
