import { requireArray, requireObject, rejectMisspelled } from "../core/arguments.js";
import { resolve } from "node:path";
import { DEFAULTS } from "../core/defaults.js";
import { offload, planOffload } from "../core/engine/offload.js";
import { countSizes } from "../core/engine/survey.js";
import { HISTORY_LAYOUT, assignNames } from "../core/files/file-layout.js";
import { createFileSink, findFiles, type FileWriter } from "../core/files/file-sink.js";
import { deepCopy } from "../core/lib/deep-copy.js";
import { all } from "../core/policies/combine.js";
import { isShareReached, minChars, minRatio, readThreshold } from "../core/policies/by-size.js";
import { anthropicFormat, type AnthropicMessageLike } from "../formats/anthropic.js";
import { NodeFileWriter } from "../infrastructure/files/file-writer.js";
import { sha256 } from "../infrastructure/hash.js";
import {
  surveyAnthropic,
  requireOutputDir,
  requireWriter,
  seemsForeign,
} from "./survey-anthropic.js";

/** What is worth offloading. Options take precedence over environment variables. */
export interface HistoryThresholds {
  /** Minimum size of a result in characters. Default: `OFFLOAD_CHAR_THRESHOLD`, or 100. */
  readonly charThreshold?: number | undefined;
  /** Minimum share of the conversation to offload. Default: `OFFLOAD_RATIO_THRESHOLD`, or 0.2. */
  readonly ratioThreshold?: number | undefined;
}

/** Where to write a history's tool results, and what is worth offloading. */
export interface HistoryOffloadOptions extends HistoryThresholds {
  /** The output folder; created if it is missing. A relative path is resolved against the working directory. */
  readonly outputDir: string;
}

/** What was done with a conversation. */
export interface HistoryOffloadResult<M extends AnthropicMessageLike = AnthropicMessageLike> {
  /** A new array with deep copies of the changed messages; the same array if nothing was offloaded. */
  readonly messages: M[];
  readonly offloadedCount: number;
  /** The total length of all content that was offloaded. */
  readonly freedChars: number;
  /** The files, in the order of the results. */
  readonly files: string[];
}

interface Thresholds {
  readonly chars: number;
  readonly ratio: number;
}

/**
 * Writes the large tool results of a history to `<outputDir>/tool-result-<tool_use_id>.md` if they
 * make up enough of it, and returns the history with references instead.
 *
 * @example
 * const { messages, freedChars } = await offloadToolResults(history, { outputDir: ".offload" });
 */
export async function offloadToolResults<M extends AnthropicMessageLike>(
  messages: readonly M[],
  options: HistoryOffloadOptions,
): Promise<HistoryOffloadResult<M>> {
  requireObject("options", options, "an object with outputDir");
  rejectMisspelled(options, { outputDir: true, charThreshold: true, ratioThreshold: true });
  return offloadHistory(
    requireArray("messages", messages) as readonly M[],
    resolve(requireOutputDir(options.outputDir)),
    new NodeFileWriter(),
    resolveThresholds(options),
  );
}

/** `offloadToolResults` with your own writer, which gets `outputDir` unchanged. */
export async function offloadToolResultsWithWriter<M extends AnthropicMessageLike>(
  messages: readonly M[],
  outputDir: string,
  writer: FileWriter,
  options: HistoryThresholds = {},
): Promise<HistoryOffloadResult<M>> {
  requireObject("options", options, "an object with charThreshold or ratioThreshold, or omitted");
  rejectMisspelled(options, { charThreshold: true, ratioThreshold: true });
  return offloadHistory(
    requireArray("messages", messages) as readonly M[],
    requireOutputDir(outputDir),
    requireWriter(writer),
    resolveThresholds(options),
  );
}

async function offloadHistory<M extends AnthropicMessageLike>(
  input: readonly M[],
  root: string,
  writer: FileWriter,
  thresholds: Thresholds,
): Promise<HistoryOffloadResult<M>> {
  const sizes = countSizes(anthropicFormat, input, thresholds.chars, {
    media: "offload",
    countOther: true,
  });
  // Whether the others are messages at all is found out below.
  const isWorth = isShareReached(sizes.sizableChars, sizes.totalChars, thresholds.ratio);
  const skipped = { messages: input as M[], offloadedCount: 0, freedChars: 0, files: [] };
  if (sizes.isPlain && !isWorth && !seemsForeign(input)) return skipped;
  const survey = surveyAnthropic(input, {
    countOther: true,
    nameOf: (index) => `messages[${index}]`,
  });
  if (!isWorth) return skipped;
  const place = { outputDir: root };
  const references = await findFiles(survey.results, place, sha256, writer, thresholds.chars);
  const policy = all(minChars(thresholds.chars), minRatio(thresholds.ratio));
  const plan = planOffload(input.length, survey, policy, references);
  const { messages, offloaded } = await offload(input as readonly AnthropicMessageLike[], plan, {
    format: anthropicFormat,
    media: "offload",
    put: createFileSink({
      writer,
      root,
      folders: [],
      names: assignNames(plan, HISTORY_LAYOUT, sha256),
      existing: "keep",
      hash: sha256,
      style: "history",
      indent: 2,
    }),
    concurrency: DEFAULTS.writeConcurrency,
    copy: deepCopy,
  });
  let freedChars = 0;
  for (const { chars } of offloaded.keys()) freedChars += chars;
  return {
    messages: messages as M[],
    offloadedCount: offloaded.size,
    freedChars,
    files: [...offloaded.values()].map(({ path }) => path),
  };
}

function resolveThresholds({ charThreshold, ratioThreshold }: HistoryThresholds): Thresholds {
  const environment = process.env;
  return {
    chars: readThreshold({
      option: "charThreshold",
      given: charThreshold,
      variable: "OFFLOAD_CHAR_THRESHOLD",
      environment,
      fallback: DEFAULTS.charThreshold,
    }),
    ratio: readThreshold({
      option: "ratioThreshold",
      given: ratioThreshold,
      variable: "OFFLOAD_RATIO_THRESHOLD",
      environment,
      fallback: DEFAULTS.ratioThreshold,
    }),
  };
}
