import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { RecordedSession, Source } from "./conversation/read-session.js";
import { KNOWN_WORDS } from "./facts.js";
import type { ReaderKind } from "./reader.js";
import { addOutcomes, replayConversation, type Outcome, type ReplayOptions } from "./replay.js";
import type { System } from "./systems/system.js";

/** Below this many characters no system would offload a result. */
const LARGE_CHARS = 1_000;

/** What is assumed. Plain data, so that it can be written down beside the figures. */
export interface Settings {
  /** Lines that are repeated word by word are facts, too. */
  readonly strict: boolean;
  /** Names that every model knows are not facts. */
  readonly known: boolean;
  readonly reader: ReaderKind;
  /** How many lines the reader asks for around a match. */
  readonly contextLines?: number | undefined;
  /** The reader makes its calls for several results in one request. */
  readonly together: boolean;
  /** Of a token from the prompt cache. */
  readonly readPrice: number;
  /** Of a token to it. */
  readonly writePrice: number;
  /** A pause after which the cache is cold. */
  readonly coldAfterMs?: number | undefined;
  /** Of the agent's own system prompt and tools. */
  readonly systemTokens: number;
}

export const DEFAULT_SETTINGS: Settings = {
  strict: false,
  known: false,
  reader: "search",
  contextLines: undefined,
  together: false,
  readPrice: 0.1,
  writePrice: 1.25,
  coldAfterMs: undefined,
  systemTokens: 8_000,
};

/** The options for replaying one conversation. */
export function replayOptions(
  settings: Settings,
  countTokens: (text: string) => number,
): ReplayOptions {
  const { strict, known, reader, contextLines, together, systemTokens } = settings;
  const { readPrice: read, writePrice: write, coldAfterMs = Infinity } = settings;
  return {
    countTokens,
    prices: { read, write, coldAfterMs },
    systemTokens,
    facts: known ? { strict, known: KNOWN_WORDS } : { strict },
    reader,
    contextLines,
    together,
  };
}

/** What the conversations of one recording, or of several, cost. */
export interface Figures {
  readonly files: number;
  /** Files that are not a conversation in a form that is known. */
  readonly unread: number;
  /** Files that `parseConversation` refuses, but that can be replayed. */
  readonly rejected: number;
  readonly conversations: number;
  /** Results that are large enough to be offloaded. */
  readonly largeResults: number;
  /** By the name of the system. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

export interface SourceFigures extends Figures {
  readonly name: string;
}

/**
 * Replays all conversations of a recording under each system.
 *
 * @param session - What `readSession` found; `undefined` counts as a file that could not be read.
 */
export async function replaySession(
  session: RecordedSession | undefined,
  systems: Readonly<Record<string, System>>,
  options: ReplayOptions,
  signal?: AbortSignal,
): Promise<Figures> {
  const { conversations = [], isRejected = false } = session ?? {};
  const outcomes: Record<string, Outcome> = {};
  for (const conversation of conversations) {
    for (const [name, system] of Object.entries(systems)) {
      signal?.throwIfAborted();
      const outcome = await replayConversation(conversation, system, options);
      outcomes[name] = addOutcomes(outcomes[name], outcome);
    }
  }
  const large = conversations.flatMap(({ items }) =>
    items.filter(({ role, text }) => role === "result" && text.length >= LARGE_CHARS),
  );
  return {
    files: 1,
    unread: session ? 0 : 1,
    rejected: isRejected ? 1 : 0,
    conversations: conversations.length,
    largeResults: large.length,
    outcomes,
  };
}

export function addFigures(name: string, files: readonly Figures[]): SourceFigures {
  const sumOf = (key: Exclude<keyof Figures, "outcomes">) =>
    files.reduce((sum, file) => sum + file[key], 0);
  const systems = new Set(files.flatMap(({ outcomes }) => Object.keys(outcomes)));
  const outcomes = [...systems].map(
    (system) => [system, addOutcomes(...files.map((file) => file.outcomes[system]))] as const,
  );
  return {
    name,
    files: sumOf("files"),
    unread: sumOf("unread"),
    rejected: sumOf("rejected"),
    conversations: sumOf("conversations"),
    largeResults: sumOf("largeResults"),
    outcomes: Object.fromEntries(outcomes),
  };
}

/** What a thread is started with. */
export interface ThreadData {
  readonly systems: readonly string[];
  readonly settings: Settings;
  /** Where the peers and the tokenizer are installed. */
  readonly peers: string;
}

export interface SourcesRun extends ThreadData {
  /** How many threads. */
  readonly jobs: number;
  readonly onProgress?: (done: number, of: number) => void;
}

/**
 * Replays all files, on several threads, and adds them up by source. What comes out depends on neither
 * the number of threads nor their order.
 */
export async function replaySources(
  sources: readonly Source[],
  { jobs, onProgress, systems, settings, peers }: SourcesRun,
): Promise<SourceFigures[]> {
  const files = sources.flatMap((source) => source.files);
  const sizes = new Map<string, number>();
  for (const path of files) sizes.set(path, (await stat(path)).size);
  // The largest first, so that no thread is left with one of them at the end.
  const queue = [...files].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  const figures = new Map<string, Figures>();
  const workerData: ThreadData = { systems, settings, peers };
  const threads = Array.from({ length: Math.min(jobs, files.length) }, async () => {
    const worker = new Worker(new URL("worker.js", import.meta.url), { workerData });
    try {
      for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
        figures.set(path, await ask(worker, path));
        onProgress?.(figures.size, files.length);
      }
    } finally {
      await worker.terminate();
    }
  });
  await Promise.all(threads);
  return sources.map(({ name, files: own }) =>
    addFigures(
      name,
      own.flatMap((path) => figures.get(path) ?? []),
    ),
  );
}

/** What a thread says of a file. */
export type ThreadAnswer = { readonly figures: Figures } | { readonly error: string };

function ask(worker: Worker, path: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (answer: ThreadAnswer) => {
      worker.removeListener("error", reject);
      if ("figures" in answer) resolve(answer.figures);
      else reject(new Error(`${path}: ${answer.error}`));
    });
    worker.postMessage(path);
  });
}
