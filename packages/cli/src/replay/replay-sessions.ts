import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimateTokens } from "context-offload";
import type * as engineModule from "../replay-engine.js";
import type { Outcome, SourceFigures } from "../replay-engine.js";
import type { Terminal } from "../terminal/terminal.js";
import type { SessionSource } from "./find-sessions.js";

export type ReplayEngine = typeof engineModule;

/** The systems that are compared: without this package, and with it. */
export const SYSTEMS = ["everything", "ours"] as const;
/** A shorter result is not worth a reference. */
const LARGE_CHARS = 1_000;

export interface SessionEvents {
  readonly onProgress: (path: string) => void;
  /** Called with what is missing on this computer to read a file. */
  readonly onUnreadable: (why: string) => void;
}

/** Sends recorded sessions again, with and without offloading; nothing of them is changed. */
export async function replaySource(
  { name, paths }: SessionSource,
  engine: ReplayEngine,
  { signal }: Pick<Terminal, "signal">,
  { onProgress, onUnreadable }: SessionEvents,
): Promise<SourceFigures> {
  const systems = [engine.everything, engine.ours({ name: "ours" })];
  const { readPrice, writePrice, systemTokens } = engine.DEFAULT_SETTINGS;
  const options = {
    ...{ countTokens: rememberCounts(estimateTokens), systemTokens },
    prices: { read: readPrice, write: writePrice },
    ...{ facts: { strict: false }, reader: "search" as const },
  };
  const outcomes: Record<string, Outcome> = {};
  let [unread, conversations, largeResults] = [0, 0, 0];
  for (const path of paths) {
    signal.throwIfAborted();
    onProgress(path);
    const read = await engine.readSession(path).catch((error: unknown) => {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (code === "UNREADABLE_HERE") onUnreadable(message);
      return undefined;
    });
    if (!read) unread++;
    for (const conversation of read ?? []) {
      conversations++;
      largeResults += conversation.items.filter(
        ({ role, text }) => role === "result" && text.length >= LARGE_CHARS,
      ).length;
      for (const system of systems) {
        signal.throwIfAborted();
        const folder = await mkdtemp(join(tmpdir(), "context-offload-replay-"));
        try {
          const outcome = await engine.replayConversation(conversation, system, folder, options);
          outcomes[system.name] = engine.addOutcomes(outcomes[system.name], outcome);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }
    }
  }
  return { name, files: paths.length, unread, refused: 0, conversations, largeResults, outcomes };
}

/** The same texts are sent again and again. */
function rememberCounts(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}
