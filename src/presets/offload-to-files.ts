import { resolve } from "node:path";
import { InvalidArgumentError } from "../core/errors/invalid-argument-error.js";
import type { FileWriter } from "../core/files/file-writer.js";
import { requireArray, requireObject, requireText } from "../core/arguments.js";
import type { MessageLike } from "../formats/anthropic-types.js";
import { NodeFileWriter } from "../infrastructure/file-writer.js";
import { sha256 } from "../infrastructure/hash.js";
import { offloadDirect, type DirectOffloadResult } from "./direct.js";
import { offloadHistory, type HistoryOffloadResult, type HistoryThresholds } from "./history.js";

/** Where a message's results go. */
export interface DirectOffloadOptions {
  /** Names the folder below `outputDir`; one per agent session. */
  readonly sessionId: string;
  /** Made when it is missing. A relative one counts from the working directory. */
  readonly outputDir: string;
}

/** Where a history's results go, and what counts as worth leaving. */
export interface HistoryOffloadOptions extends HistoryThresholds {
  /** Made when it is missing. A relative one counts from the working directory. */
  readonly outputDir: string;
}

/**
 * Writes every tool result of one message to `<outputDir>/<sessionId>/<tool_use_id>.md` and returns
 * a deep copy of the message with references in their place. Whether a result is long enough is
 * yours to judge before you call.
 *
 * @example
 * const { message, file } = await offloadToolResult(toolMessage, { sessionId: "s1", outputDir: ".offload" });
 */
export async function offloadToolResult<M extends MessageLike>(
  message: M,
  options: DirectOffloadOptions,
): Promise<DirectOffloadResult<M>> {
  requireObject("options", options, "an object with sessionId and outputDir");
  return offloadToolResultWithWriter(
    message,
    options.sessionId,
    resolve(requireOutputDir(options.outputDir)),
    new NodeFileWriter(),
  );
}

/** `offloadToolResult` with a writer of your own; `outputDir` reaches it as you give it. */
export async function offloadToolResultWithWriter<M extends MessageLike>(
  message: M,
  sessionId: string,
  outputDir: string,
  writer: FileWriter,
): Promise<DirectOffloadResult<M>> {
  return offloadDirect(message, {
    sessionId: requireText("sessionId", sessionId, "it names the session's folder"),
    outputDir: requireOutputDir(outputDir),
    writer: requireWriter(writer),
    hash: sha256,
  });
}

/**
 * Writes the long tool results of a history to `<outputDir>/tool-result-<tool_use_id>.md`, provided
 * that enough of the history can leave, and returns the history with references in their place.
 *
 * @example
 * const { messages, freedChars } = await offloadToolResults(history, { outputDir: ".offload" });
 */
export async function offloadToolResults<M extends MessageLike>(
  messages: readonly M[],
  options: HistoryOffloadOptions,
): Promise<HistoryOffloadResult<M>> {
  requireObject("options", options, "an object with outputDir");
  const { outputDir, ...thresholds } = options;
  return offloadToolResultsWithWriter(
    messages,
    resolve(requireOutputDir(outputDir)),
    new NodeFileWriter(),
    thresholds,
  );
}

/** `offloadToolResults` with a writer of your own; `outputDir` reaches it as you give it. */
export async function offloadToolResultsWithWriter<M extends MessageLike>(
  messages: readonly M[],
  outputDir: string,
  writer: FileWriter,
  options: HistoryThresholds = {},
): Promise<HistoryOffloadResult<M>> {
  requireArray("messages", messages);
  requireObject("options", options, "an object with charThreshold or ratioThreshold, or nothing");
  return offloadHistory(messages, {
    charThreshold: options.charThreshold,
    ratioThreshold: options.ratioThreshold,
    outputDir: requireOutputDir(outputDir),
    writer: requireWriter(writer),
    hash: sha256,
    environment: process.env,
  });
}

function requireOutputDir(outputDir: unknown): string {
  return requireText("outputDir", outputDir, "the folder that takes the files");
}

function requireWriter(writer: unknown): FileWriter {
  const candidate = requireObject("writer", writer, "an object with a writeFile method");
  if ("writeFile" in candidate && typeof candidate.writeFile === "function") {
    return candidate as FileWriter;
  }
  throw new InvalidArgumentError("writer", writer, "an object with a writeFile method");
}
