import { DEFAULTS } from "../core/defaults.js";
import { deepCopy } from "../core/lib/deep-copy.js";
import { NoToolResultError } from "../core/errors/no-tool-result-error.js";
import { allotNames } from "../core/files/allot-names.js";
import { DIRECT_LAYOUT } from "../core/files/file-layout.js";
import { createFileReference } from "../core/files/file-reference.js";
import { createFileSink } from "../core/files/file-sink.js";
import type { FileWriter } from "../core/files/file-writer.js";
import { portableName } from "../core/files/portable-name.js";
import type { Hash } from "../core/engine/hash.js";
import { offload } from "../core/engine/offload.js";
import { everything } from "../core/policies/everything.js";
import { createAnthropicFormat } from "../formats/anthropic-files.js";
import type { MessageLike } from "../formats/anthropic-types.js";

/** What became of one message. */
export interface DirectOffloadResult<M extends MessageLike = MessageLike> {
  /** A deep copy of the message with a reference in place of each tool result's content. */
  readonly message: M;
  /** Original length minus reference length, added up over the results that left. */
  readonly freedChars: number;
  /** The file of the first tool result. */
  readonly file: string;
  /** The files of all tool results of the message, in their order. */
  readonly files: readonly string[];
}

export interface DirectWiring {
  readonly sessionId: string;
  readonly outputDir: string;
  readonly writer: FileWriter;
  readonly hash: Hash;
}

/** Seeds 000 and 001: one message, everything in it leaves, a file per call in the session's folder. */
export async function offloadDirect<M extends MessageLike>(
  message: M,
  { sessionId, outputDir, writer, hash }: DirectWiring,
): Promise<DirectOffloadResult<M>> {
  const reference = createFileReference("direct", outputDir, hash);
  const { messages, plan, departures } = await offload([message], {
    format: createAnthropicFormat<M>({ nameOf: () => "message", plainTextIsResult: true }),
    policy: everything,
    reference,
    openSink: (plan) =>
      createFileSink({
        writer,
        root: outputDir,
        folders: [portableName(sessionId, hash)],
        names: allotNames(plan, DIRECT_LAYOUT, hash),
        existing: "replace",
        hash,
      }),
    concurrency: DEFAULTS.writeConcurrency,
    copy: deepCopy,
  });

  const written = new Map(departures.map(({ result, stored }) => [result, stored]));
  const files: string[] = [];
  for (const result of plan.results) {
    const stored = written.get(result) ?? plan.references.get(result);
    if (stored) files.push(stored.path);
  }
  const [file] = files;
  if (file === undefined) throw new NoToolResultError(message.role);
  let freedChars = 0;
  for (const { result, text } of departures) freedChars += result.chars - text.length;
  return { message: messages[0] ?? message, freedChars, file, files };
}
