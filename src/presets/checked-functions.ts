import { requireArray, requireString } from "../core/arguments.js";
import type { Format } from "../core/engine/format.js";
import * as secrets from "../core/lib/secrets.js";
import * as tokens from "../core/lib/tokens/estimate-tokens.js";
import * as references from "../core/workspace/reference/knowledge-list.js";
import * as conversations from "../formats/parse-conversation.js";
import type { ParsedConversation } from "../formats/parse-conversation.js";
import * as lines from "../formats/shared/message-lines.js";
import type { MessageLines } from "../formats/shared/message-lines.js";
import { requireFormat } from "./require-format.js";

// The general library knows no errors with a code, and its own callers pass what is right: what a host
// passes is checked here.

/**
 * Estimates how many tokens a language model reads in `text`, without a vocabulary.
 *
 * Designed to be within 25 % of OpenAI's `o200k_base` on prose, code, logs, JSON, tables, base64 and
 * the major scripts. Deterministic. Texts over 4,608 characters are sampled, so the time does not
 * grow with their length.
 *
 * @param text any string, well-formed or not
 * @returns a whole number: 0 for the empty string, at least 1 for any other
 *
 * @example
 * ```ts
 * estimateTokens("The quick brown fox jumps over the lazy dog."); // 11
 * estimateTokens(""); // 0
 * ```
 */
export function estimateTokens(text: string): number {
  return tokens.estimateTokens(requireString("text", text));
}

/**
 * Replaces secrets of the common kinds by a mark that names the kind: keys of clouds and services,
 * tokens, private keys, passwords in connection strings.
 *
 * @example
 * const workspace = createWorkspace({ root: ".offload", redact: redactSecrets });
 */
export function redactSecrets(text: string): string {
  return secrets.redactSecrets(requireString("text", text));
}

/** The artifact ids in a text that is a `<knowledge_list>` and nothing else; `undefined` for any other text. */
export function parseKnowledgeList(text: string): readonly string[] | undefined {
  return references.parseKnowledgeList(requireString("text", text));
}

/**
 * The format for files with a message of another format in each line. As in every file of lines,
 * results are replaced within the text of their line, and restored byte for byte.
 */
export function messageLines<const F extends Format>(inner: F): MessageLines<F> {
  return lines.messageLines(requireFormat("inner", inner));
}

/**
 * Finds the messages in the text of a JSON or JSONL file, or in a value, and detects their format.
 *
 * @example
 * const { messages, stringify } = parseConversation(await readFile("session.jsonl", "utf8"));
 * const offloaded = await offloader.offload(messages);
 * await writeFile("session.jsonl", stringify(offloaded.messages));
 * @throws {UnknownFormatError} if it is not a conversation in a known format; the message says why.
 */
export function parseConversation(textOrValue: unknown): ParsedConversation {
  const parsed = conversations.parseConversation(textOrValue);
  return {
    ...parsed,
    stringify: (messages) => parsed.stringify(requireArray("messages", messages)),
  };
}
