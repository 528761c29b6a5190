import { estimateTokens } from "context-offload";
import type { Figures, SourceFigures } from "@context-offload/replay";
import type { Terminal } from "../terminal/terminal.js";
import type { SessionSource } from "./find-sessions.js";

/** The systems that are compared: without this package, and with it. */
export const SYSTEMS = ["everything", "ours"] as const;

export interface SessionEvents {
  readonly onProgress: (path: string) => void;
  /** Called with what is missing on this computer to read a file. */
  readonly onUnreadable: (why: string) => void;
}

/** Sends recorded sessions again, with and without offloading; nothing of them is changed. */
export async function replaySessions(
  { name, paths }: SessionSource,
  { signal }: Pick<Terminal, "signal">,
  { onProgress, onUnreadable }: SessionEvents,
): Promise<SourceFigures> {
  // Loaded here: no other command needs it.
  const replay = await import("@context-offload/replay");
  const systems = { everything: replay.everything, ours: replay.ours({ name: "ours" }) };
  const countTokens = replay.rememberCounts(estimateTokens);
  const options = { settings: replay.DEFAULT_SETTINGS, countTokens, signal };
  const figures: Figures[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    onProgress(path);
    const session = await replay.readSession(path).catch((error: unknown) => {
      if (error instanceof replay.UnreadableHereError) onUnreadable(error.message);
      return undefined;
    });
    figures.push(await replay.replaySession(session, systems, options));
  }
  return replay.addFigures(name, figures);
}
