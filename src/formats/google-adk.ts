import type { Format } from "../core/engine/format.js";
import { nonEmptyText } from "../core/lib/json/plain-json.js";
import { geminiFormat } from "./gemini.js";
import { asList, asRecord, isRecord, type JsonRecord } from "./shared/json-record.js";
import { describeParts, type PartPlace } from "./shared/message-parts.js";
import { firstMismatch } from "./shared/visitors.js";

/** The fields of a part in Python's spelling. */
const SNAKE_CASE: ReadonlyMap<string, string> = new Map([
  ["function_call", "functionCall"],
  ["function_response", "functionResponse"],
  ["thought_signature", "thoughtSignature"],
  ["inline_data", "inlineData"],
  ["file_data", "fileData"],
  ["video_metadata", "videoMetadata"],
  ["executable_code", "executableCode"],
  ["code_execution_result", "codeExecutionResult"],
]);

/** Google ADK events, in camel case or in Python's snake case: each may hold a Gemini content. */
export const googleAdkFormat = {
  ...geminiFormat,
  name: "google-adk" as const,

  mismatch: (events) =>
    firstMismatch(events, (event) => {
      const { author, content } = event;
      if (typeof author !== "string") return "has no author";
      if (content === undefined || content === null) return undefined;
      return geminiFormat.mismatch([contentOf(event)])?.replace(/^message 0 /, "");
    }),

  read(event, visitor, options) {
    geminiFormat.read(contentOf(event), visitor, options);
  },

  replace: (event, texts, options) =>
    withContent(event, geminiFormat.replace(contentOf(event), texts, options)),

  restore: (event, originals) =>
    withContent(event, geminiFormat.restore(contentOf(event), originals)),

  parts: describeParts(({ content }) => {
    const { role, parts } = asRecord(content);
    return asList(parts).flatMap((item, slot): PartPlace[] => {
      const part = asRecord(item);
      const path = ["content", "parts", slot];
      if (role === "user" && typeof part["text"] === "string") {
        return [{ kind: "userMessage", path: [...path, "text"] }];
      }
      const key = isRecord(part["function_call"]) ? "function_call" : "functionCall";
      const call = part[key];
      if (!isRecord(call)) return [];
      return [{ kind: "toolInput", path: [...path, key, "args"], id: nonEmptyText(call["id"]) }];
    });
  }),
} satisfies Format;

/** The content as Gemini's API has it: Python writes fields that are not set as null. */
function contentOf(event: unknown): JsonRecord {
  const content = asRecord(asRecord(event)["content"]);
  const { parts, role } = content;
  if (parts === undefined || parts === null) return { parts: [] };
  const named = asList(parts).map((part) => (isRecord(part) ? withApiNames(part) : part));
  return { ...(typeof role === "string" ? { role } : {}), parts: named };
}

function withApiNames(part: JsonRecord): JsonRecord {
  const fields = Object.entries(part).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([key, value]) => [SNAKE_CASE.get(key) ?? key, value]));
}

/** The event with the responses of this content, each under the name that it had. */
function withContent(event: unknown, { parts }: JsonRecord): JsonRecord {
  const record = asRecord(event);
  const content = asRecord(record["content"]);
  const changed = asList(content["parts"]).map((before, index) => {
    const { functionResponse } = asRecord(asList(parts)[index]);
    const part = asRecord(before);
    const key = isRecord(part["function_response"]) ? "function_response" : "functionResponse";
    const isSame = functionResponse === undefined || functionResponse === part[key];
    return isSame ? before : { ...part, [key]: functionResponse };
  });
  return { ...record, content: { ...content, parts: changed } };
}
