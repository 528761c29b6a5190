import { requireObject, rejectMisspelled, requireText } from "../core/arguments.js";
import { resolve } from "node:path";
import { DEFAULTS } from "../core/defaults.js";
import { offload, planOffload } from "../core/engine/offload.js";
import { NoToolResultError } from "../core/errors/argument-errors.js";
import { DIRECT_LAYOUT, assignNames } from "../core/files/file-layout.js";
import { createFileSink, findFiles, type FileWriter } from "../core/files/file-sink.js";
import { deepCopy } from "../core/lib/deep-copy.js";
import { portableName } from "../core/lib/text/portable-name.js";
import { everything } from "../core/policies/by-result.js";
import { anthropicFormat, type AnthropicMessageLike } from "../formats/anthropic.js";
import { NodeFileWriter } from "../infrastructure/files/file-writer.js";
import { sha256 } from "../infrastructure/hash.js";
import {
  rejectOtherFormats,
  surveyAnthropic,
  requireOutputDir,
  requireWriter,
  seemsForeign,
} from "./survey-anthropic.js";

/** Where to write a message's tool results. */
export interface DirectOffloadOptions {
  /** The name of the folder below `outputDir`; one per agent session. */
  readonly sessionId: string;
  /** The output folder; created if it is missing. A relative path is resolved against the working directory. */
  readonly outputDir: string;
}

/** What was done with one message. */
export interface DirectOffloadResult<M extends AnthropicMessageLike = AnthropicMessageLike> {
  /** A deep copy of the message with a reference in place of each tool result's content. */
  readonly message: M;
  /** Original length minus reference length, summed over the results that were offloaded. */
  readonly freedChars: number;
  /** The file of the first tool result. */
  readonly file: string;
  /** The files of all tool results of the message, in order. */
  readonly files: readonly string[];
}

/**
 * Writes every tool result of one message to `<outputDir>/<sessionId>/<tool_use_id>.md` and returns
 * a deep copy of the message with references instead. It offloads results of any size: decide
 * before you call whether one is large enough.
 *
 * @example
 * const { message, file } = await offloadToolResult(toolMessage, { sessionId: "s1", outputDir: ".offload" });
 */
export async function offloadToolResult<M extends AnthropicMessageLike>(
  message: M,
  options: DirectOffloadOptions,
): Promise<DirectOffloadResult<M>> {
  requireObject("options", options, "an object with sessionId and outputDir");
  rejectMisspelled(options, { sessionId: true, outputDir: true });
  const { sessionId, outputDir } = options;
  return offloadMessage(
    message,
    requireSessionId(sessionId),
    resolve(requireOutputDir(outputDir)),
    new NodeFileWriter(),
  );
}

/** `offloadToolResult` with your own writer, which gets `outputDir` unchanged. */
export async function offloadToolResultWithWriter<M extends AnthropicMessageLike>(
  message: M,
  sessionId: string,
  outputDir: string,
  writer: FileWriter,
): Promise<DirectOffloadResult<M>> {
  return offloadMessage(
    message,
    requireSessionId(sessionId),
    requireOutputDir(outputDir),
    requireWriter(writer),
  );
}

function requireSessionId(sessionId: unknown): string {
  return requireText("sessionId", sessionId, "the name of the session's folder");
}

async function offloadMessage<M extends AnthropicMessageLike>(
  message: M,
  sessionId: string,
  root: string,
  writer: FileWriter,
): Promise<DirectOffloadResult<M>> {
  const session = portableName(sessionId, sha256);
  const input = [asToolMessage(message)];
  const survey = surveyAnthropic(input, { countOther: false, nameOf: () => "message" });
  const references = await findFiles(survey.results, { outputDir: root, session }, sha256, writer);
  const plan = planOffload(1, survey, everything, references);
  const { messages, offloaded } = await offload(input, plan, {
    format: anthropicFormat,
    media: "offload",
    put: createFileSink({
      writer,
      root,
      folders: [session],
      names: assignNames(plan, DIRECT_LAYOUT, sha256),
      existing: "replace",
      hash: sha256,
      style: "direct",
    }),
    concurrency: DEFAULTS.writeConcurrency,
    copy: deepCopy,
  });

  const files: string[] = [];
  for (const result of plan.results) {
    const stored = offloaded.get(result) ?? references.get(result);
    if (stored) files.push(stored.path);
  }
  const [file] = files;
  if (file === undefined) throw new NoToolResultError(message.role);
  let freedChars = 0;
  for (const [{ chars }, { reference }] of offloaded) freedChars += chars - reference.length;
  const isTouched = offloaded.size > 0;
  return {
    message: isTouched ? { ...(messages[0] as M), role: message.role } : message,
    freedChars,
    file,
    files,
  };
}

/**
 * A plain string counts as a tool's output here, since the caller passes a tool's message, unless the
 * assistant or the system wrote it.
 */
function asToolMessage(message: AnthropicMessageLike): AnthropicMessageLike {
  const { role, content } = requireObject(
    "message",
    message,
    "a message object",
  ) as AnthropicMessageLike;
  if (seemsForeign([message])) rejectOtherFormats([message], false);
  const isOutput = typeof content === "string" && role !== "assistant" && role !== "system";
  return isOutput ? { ...message, role: "tool" } : message;
}
