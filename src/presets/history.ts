import { DEFAULTS } from "../core/defaults.js";
import { deepCopy } from "../core/lib/deep-copy.js";
import { allotNames } from "../core/files/allot-names.js";
import { HISTORY_LAYOUT } from "../core/files/file-layout.js";
import { createFileReference } from "../core/files/file-reference.js";
import { createFileSink } from "../core/files/file-sink.js";
import type { FileWriter } from "../core/files/file-writer.js";
import type { Hash } from "../core/engine/hash.js";
import { offload } from "../core/engine/offload.js";
import { all } from "../core/policies/all.js";
import { minChars } from "../core/policies/min-chars.js";
import { minRatio } from "../core/policies/min-ratio.js";
import { readThreshold, type Environment } from "../core/policies/threshold.js";
import { createAnthropicFormat } from "../formats/anthropic-files.js";
import type { MessageLike } from "../formats/anthropic-types.js";

/** What became of a conversation. */
export interface HistoryOffloadResult<M extends MessageLike = MessageLike> {
  /** A new list; touched messages are deep copies, the others the same objects. The very input when nothing left. */
  readonly messages: M[];
  readonly offloadedCount: number;
  /** The original lengths of all contents that left, added up. */
  readonly freedChars: number;
  /** The files of the contents that left, in their order. */
  readonly files: string[];
}

/** What counts as worth leaving. An option wins over the environment, the environment over the default. */
export interface HistoryThresholds {
  /** The least characters of a result that may leave. `OFFLOAD_CHAR_THRESHOLD`, else 100. */
  readonly charThreshold?: number | undefined;
  /** The least share of all characters that must be able to leave. `OFFLOAD_RATIO_THRESHOLD`, else 0.2. */
  readonly ratioThreshold?: number | undefined;
}

export interface HistoryWiring extends HistoryThresholds {
  readonly outputDir: string;
  readonly writer: FileWriter;
  readonly hash: Hash;
  readonly environment: Environment;
}

/** Seeds 002 and 003: a whole history, when enough of it can leave, into one folder. */
export async function offloadHistory<M extends MessageLike>(
  input: readonly M[],
  { outputDir, writer, hash, environment, ...thresholds }: HistoryWiring,
): Promise<HistoryOffloadResult<M>> {
  const charThreshold = readThreshold({
    option: "charThreshold",
    given: thresholds.charThreshold,
    variable: "OFFLOAD_CHAR_THRESHOLD",
    environment,
    fallback: DEFAULTS.charThreshold,
  });
  const ratioThreshold = readThreshold({
    option: "ratioThreshold",
    given: thresholds.ratioThreshold,
    variable: "OFFLOAD_RATIO_THRESHOLD",
    environment,
    fallback: DEFAULTS.ratioThreshold,
  });
  const { messages, departures } = await offload(input, {
    format: createAnthropicFormat<M>({
      nameOf: (index) => `messages[${index}]`,
      plainTextIsResult: false,
    }),
    policy: all(minChars(charThreshold), minRatio(ratioThreshold)),
    reference: createFileReference("history", outputDir, hash),
    openSink: (plan) =>
      createFileSink({
        writer,
        root: outputDir,
        folders: [],
        names: allotNames(plan, HISTORY_LAYOUT, hash),
        existing: "keep",
        hash,
        indent: 2,
      }),
    concurrency: DEFAULTS.writeConcurrency,
    copy: deepCopy,
  });
  let freedChars = 0;
  for (const { result } of departures) freedChars += result.chars;
  return {
    // A pass that is skipped gives back the very array that it was given.
    messages: messages as M[],
    offloadedCount: departures.length,
    freedChars,
    files: departures.map(({ stored }) => stored.path),
  };
}
