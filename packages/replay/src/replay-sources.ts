import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { RecordedSession, Source } from "./conversation/read-session.js";
import { KNOWN_WORDS } from "./facts.js";
import { LIVE_READ_BACKS, type ReadBackBand, type ReaderKind, type ReaderName } from "./reader.js";
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
  /** How the live reader reads back what is hidden when it arrives. */
  readonly readBacks: readonly ReadBackBand[];
  /** What a reference shows counts for nothing. */
  readonly distrust: boolean;
  /** How many lines the reader asks for around a match. */
  readonly contextLines?: number | undefined;
  /** The reader makes its calls for several results in one request. */
  readonly together: boolean;
  /** Of a token from the prompt cache. */
  readonly readPrice: number;
  /** Of a token to it. */
  readonly writePrice: number;
  /** Of a token that the model writes. */
  readonly outputPrice: number;
  /** A pause after which the cache is cold. */
  readonly coldAfterMs?: number | undefined;
  /** Of the agent's own system prompt and tools. */
  readonly systemTokens: number;
}

export const DEFAULT_SETTINGS: Settings = {
  strict: false,
  known: false,
  reader: "search",
  readBacks: LIVE_READ_BACKS,
  distrust: false,
  contextLines: 2,
  together: false,
  readPrice: 0.1,
  writePrice: 1.25,
  outputPrice: 5,
  coldAfterMs: undefined,
  systemTokens: 8_000,
};

/** The options for replaying one conversation with this reader. */
export function replayOptions(
  settings: Settings,
  countTokens: (text: string) => number,
  readerName: ReaderName = "live",
): ReplayOptions {
  const { strict, known, reader, distrust, contextLines, together } = settings;
  const { outputPrice, systemTokens } = settings;
  const { readPrice: read, writePrice: write, coldAfterMs = Infinity } = settings;
  return {
    countTokens,
    prices: { read, write, coldAfterMs },
    outputPrice,
    systemTokens,
    facts: known ? { strict, known: KNOWN_WORDS } : { strict },
    reader,
    readBacks: readerName === "live" ? settings.readBacks : undefined,
    distrust,
    contextLines,
    together,
  };
}

/** Outcomes by the name of the system, with each of the two readers. */
export type Outcomes = Readonly<Record<ReaderName, Readonly<Record<string, Outcome>>>>;

/** What one conversation cost. */
export interface ConversationFigures {
  readonly name: string;
  /** Recorded replies. */
  readonly turns: number;
  readonly outcomes: Outcomes;
}

/** What the conversations of one recording, or of several, cost. */
export interface Figures {
  readonly files: number;
  /** Files that are not a conversation in a form that is known. */
  readonly unread: number;
  /** Files that `parseConversation` refuses, but that can be replayed. */
  readonly rejected: number;
  /** Results that are large enough to be offloaded. */
  readonly largeResults: number;
  readonly conversations: readonly ConversationFigures[];
}

export interface SourceFigures extends Figures {
  readonly name: string;
  /** Of all conversations together. */
  readonly outcomes: Outcomes;
}

/**
 * Replays all conversations of a recording under each system, with both readers.
 *
 * @param session - What `readSession` found; `undefined` counts as a file that could not be read.
 */
export async function replaySession(
  session: RecordedSession | undefined,
  systems: Readonly<Record<string, System>>,
  { settings, countTokens, signal }: SessionReplay,
): Promise<Figures> {
  const { conversations = [], isRejected = false } = session ?? {};
  const live = replayOptions(settings, countTokens, "live");
  const names = replayOptions(settings, countTokens, "names");
  const figures: ConversationFigures[] = [];
  for (const conversation of conversations) {
    const outcomes: Record<ReaderName, Record<string, Outcome>> = { live: {}, names: {} };
    for (const [name, system] of Object.entries(systems)) {
      signal?.throwIfAborted();
      const outcome = await replayConversation(conversation, system, live);
      outcomes.live[name] = outcome;
      // Where nothing was read back at arrival, both readers do the same.
      outcomes.names[name] =
        outcome.readsAtArrival === 0
          ? outcome
          : await replayConversation(conversation, system, names);
    }
    const turns = conversation.items.filter(({ role }) => role === "assistant").length;
    figures.push({ name: conversation.name, turns, outcomes });
  }
  const large = conversations.flatMap(({ items }) =>
    items.filter(({ role, text }) => role === "result" && text.length >= LARGE_CHARS),
  );
  return {
    files: 1,
    unread: session ? 0 : 1,
    rejected: isRejected ? 1 : 0,
    largeResults: large.length,
    conversations: figures,
  };
}

/** What it takes to replay a recording. */
export interface SessionReplay {
  readonly settings: Settings;
  readonly countTokens: (text: string) => number;
  readonly signal?: AbortSignal | undefined;
}

export function addFigures(name: string, files: readonly Figures[]): SourceFigures {
  const sumOf = (key: Exclude<keyof Figures, "conversations">) =>
    files.reduce((sum, file) => sum + file[key], 0);
  const conversations = files.flatMap((file) => file.conversations);
  return {
    name,
    files: sumOf("files"),
    unread: sumOf("unread"),
    rejected: sumOf("rejected"),
    largeResults: sumOf("largeResults"),
    conversations,
    outcomes: {
      live: addBySystem(conversations.map(({ outcomes }) => outcomes.live)),
      names: addBySystem(conversations.map(({ outcomes }) => outcomes.names)),
    },
  };
}

function addBySystem(
  outcomes: readonly Readonly<Record<string, Outcome>>[],
): Record<string, Outcome> {
  const systems = new Set(outcomes.flatMap((bySystem) => Object.keys(bySystem)));
  const sums = [...systems].map(
    (system) => [system, addOutcomes(...outcomes.map((bySystem) => bySystem[system]))] as const,
  );
  return Object.fromEntries(sums);
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
