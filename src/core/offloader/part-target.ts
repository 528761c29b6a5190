import type { MessagePart } from "../engine/format.js";
import type { ArtifactRecord } from "../workspace/artifacts/artifact.js";
import { parseKnowledgeList } from "../workspace/reference/knowledge-list.js";
import { findStrings, parseInputReference, type InputReference } from "./input-reference.js";

/** What hosts call the kinds of parts, and what their artifacts are called. */
export const KINDS = { userMessage: "userMessages", toolInput: "toolInputs" } as const;
export const CONTEXT_TYPES = { userMessage: "user_message", toolInput: "tool_input" } as const;

/** What a part refers to, if it is a reference. */
export function targetOf({ kind, value }: MessagePart): InputReference | undefined {
  if (kind === "toolInput") {
    const input = typeof value === "string" ? parseObject(value) : value;
    for (const { text } of findStrings(input)) {
      const target = text.startsWith("[Stored:") ? parseInputReference(text) : undefined;
      if (target) return target;
    }
    return undefined;
  }
  if (typeof value !== "string") return undefined;
  const [artifactId, ...others] = parseKnowledgeList(value) ?? [];
  const hash = /^<knowledge_list>\n<knowledge id="[^"]*" hash="([0-9a-f]{8})"/.exec(value)?.[1];
  return artifactId === undefined || others.length > 0 || hash === undefined
    ? undefined
    : { artifactId, hash };
}

/** Anything can look like a reference; the session must hold that part, of that call. */
export function isOf(
  record: ArtifactRecord | undefined,
  { kind, id }: MessagePart,
  hash: string,
): record is ArtifactRecord {
  if (record?.metadata.context_type !== CONTEXT_TYPES[kind]) return false;
  return record.hash.startsWith(hash) && (kind === "userMessage" || record.metadata.biz_id === id);
}

export function parseObject(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
