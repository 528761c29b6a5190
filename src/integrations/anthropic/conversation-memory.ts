import { createHash } from "node:crypto";
import { keepLast } from "../../core/lib/keep-last.js";
import type { ApiBlock, ApiMessage } from "./messages-api.js";

/** What the API saw where the host saw one reply. */
export interface HiddenRounds {
  readonly messages: readonly ApiMessage[];
  /** Answers to reading calls that came along with calls to the host, whose answers they must accompany. */
  readonly pending: readonly ApiBlock[];
}

/** A conversation that the server holds. */
export interface Thread {
  readonly sessionId: string | undefined;
  /** The reply that the server's history ends with; the host may know it by the id of an earlier one. */
  readonly lastId: string;
  readonly pending: readonly ApiBlock[];
  /** The host has the reading tools, and answers their calls. */
  readonly hostReads: boolean;
}

/** More than are in use at one time. What is forgotten is missing from the model's history, which stays valid. */
const MAX_ENTRIES = 1_000;

/**
 * The rounds that the host does not know of. They are put back into later requests, so that the API gets
 * one growing history: the model remembers what it read, and the prompt cache keeps its prefix.
 */
export class ConversationMemory {
  readonly #rounds = new Map<string, HiddenRounds>();
  readonly #threads = new Map<string, Thread>();

  rememberRounds(
    sessionId: string,
    index: number,
    content: ApiMessage["content"],
    rounds: HiddenRounds,
  ): void {
    keepLast(this.#rounds, keyOf(sessionId, index, content), rounds, MAX_ENTRIES);
  }

  rememberThread(visibleId: string, thread: Thread): void {
    keepLast(this.#threads, visibleId, thread, MAX_ENTRIES);
  }

  thread(previousMessageId: string | undefined): Thread | undefined {
    return this.#threads.get(previousMessageId ?? "");
  }

  /** The host's messages with the hidden rounds in place; the same array if there are none. */
  expand(sessionId: string, messages: readonly ApiMessage[]): readonly ApiMessage[] {
    if (this.#rounds.size === 0) return messages;
    const found = messages.map((message, index) =>
      message.role === "assistant"
        ? this.#rounds.get(keyOf(sessionId, index, message.content))
        : undefined,
    );
    if (found.every((rounds) => rounds === undefined)) return messages;
    return messages.flatMap((message, index) => {
      const pending = found[index - 1]?.pending ?? [];
      return found[index]?.messages ?? [addAnswers(message, pending)];
    });
  }
}

/** Results must come first in a message. */
export function addAnswers(message: ApiMessage, answers: readonly ApiBlock[]): ApiMessage {
  if (answers.length === 0) return message;
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const others = blocks.findIndex(({ type }) => type !== "tool_result");
  const at = others < 0 ? blocks.length : others;
  return { ...message, content: [...blocks.slice(0, at), ...answers, ...blocks.slice(at)] };
}

/** By session and position, so that the same words said elsewhere are not taken for these. */
function keyOf(sessionId: string, index: number, content: ApiMessage["content"]): string {
  const parts =
    typeof content === "string"
      ? [content]
      : content.flatMap(({ type, text, id }) =>
          type === "text" ? [text] : id === undefined ? [] : [{ id }],
        );
  const hash = createHash("sha256").update(JSON.stringify([sessionId, index, ...parts]));
  return hash.digest("base64");
}
