import { stat } from "node:fs/promises";
import { basename, resolve, sep } from "node:path";
import { estimateTokens, parseKnowledgeList, TOOL_NAMES } from "context-offload";
import type { Item } from "@context-offload/replay";
import { CommandError } from "../command-error.js";
import { findSessions } from "../replay/find-sessions.js";
import type { Terminal } from "../terminal/terminal.js";
import type { PageResult, PageSegment, PageStrip } from "./page-types.js";

/** A recorded conversation; the references in it are what the model saw. */
export interface Recording {
  readonly name: string;
  readonly items: readonly Item[];
  /** The reference of each result, as recorded, by its id. */
  readonly references: ReadonlyMap<string, string>;
}

/** Finds the recording of a session, and reads it again only when its file has changed. */
export class Recordings {
  readonly #terminal: Pick<Terminal, "env" | "cwd">;
  readonly #named: string | undefined;
  readonly #read = new Map<string, { readonly mark: string; readonly recording: Recording }>();
  #paths: Promise<readonly string[]> = Promise.resolve([]);
  #lookedAt = -Infinity;

  /** @param named The recording, if the caller knows it; otherwise it is looked for by the session's id. */
  constructor(terminal: Pick<Terminal, "env" | "cwd">, named: string | undefined) {
    this.#terminal = terminal;
    this.#named = named === undefined ? undefined : resolve(terminal.cwd, named);
  }

  /** Throws if the recording that was named cannot be read. */
  async requireNamed(): Promise<void> {
    if (this.#named === undefined || (await this.#readAt(this.#named))) return;
    throw new CommandError(
      `${this.#named}: is not a conversation that can be read; see context-offload replay`,
    );
  }

  async of(sessionId: string): Promise<Recording | undefined> {
    const path = await this.#pathOf(sessionId);
    return path === undefined ? undefined : this.#readAt(path);
  }

  /** Differs when the recording has changed. */
  async markOf(sessionId: string): Promise<string> {
    const path = await this.#pathOf(sessionId);
    return path === undefined ? "" : markOf(path);
  }

  /** Whether there is one that the caller named, without saying whose it is. */
  get isNamed(): boolean {
    return this.#named !== undefined;
  }

  async #pathOf(sessionId: string): Promise<string | undefined> {
    if (this.#named !== undefined) return this.#named;
    // A short name such as "mcp" says nothing about which recording it is.
    if (sessionId.length < MIN_ID_CHARS) return undefined;
    const find = async (): Promise<string | undefined> =>
      (await this.#paths).find((path) =>
        path
          .split(sep)
          .slice(-2)
          .some((part) => part.includes(sessionId)),
      );
    const known = await find();
    if (known !== undefined || performance.now() - this.#lookedAt < LOOK_AGAIN_MS) return known;
    // An agent may have begun to record since.
    this.#lookedAt = performance.now();
    this.#paths = findSessions(this.#terminal).then((found) => found.flatMap(({ paths }) => paths));
    return find();
  }

  async #readAt(path: string): Promise<Recording | undefined> {
    const mark = await markOf(path);
    const known = this.#read.get(path);
    if (known?.mark === mark) return known.recording;
    const { readSession } = await import("@context-offload/replay");
    const session = await readSession(path).catch(() => undefined);
    // A compaction starts a new conversation, which is the one that goes on.
    const last = session?.conversations.at(-1);
    if (!last) return undefined;
    const recording = {
      name: basename(path),
      items: last.items,
      references: referencesIn(last.items),
    };
    this.#read.set(path, { mark, recording });
    return recording;
  }
}

const MIN_ID_CHARS = 8;
const LOOK_AGAIN_MS = 5_000;

async function markOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found ? `${found.size} ${found.mtimeMs}` : "";
}

function referencesIn(items: readonly Item[]): Map<string, string> {
  const references = new Map<string, string>();
  for (const item of items) {
    if (item.role !== "result") continue;
    const [id, ...others] = parseKnowledgeList(item.text) ?? [];
    if (id !== undefined && others.length === 0) references.set(id, item.text);
  }
  return references;
}

const READING_TOOLS: ReadonlySet<string> = new Set(TOOL_NAMES);

/** Hosts put the server's name before that of a tool. */
function isReadingTool(name: string): boolean {
  return READING_TOOLS.has(name) || READING_TOOLS.has(name.split(/__|\/|\./).at(-1) ?? "");
}

/** A recorded conversation as a strip, each part with what it took and what it takes now. */
export function stripOf({ name, items }: Recording, results: readonly PageResult[]): PageStrip {
  const byId = new Map(results.map((result) => [result.artifactId, result]));
  const segments = items.map((item): PageSegment => {
    if (item.role !== "result") {
      const calls = item.role === "assistant" ? item.calls : [];
      const tokens = estimateTokens(
        [item.text, ...calls.map((call) => `${call.name} ${JSON.stringify(call.input)}`)].join(
          "\n",
        ),
      );
      const label = item.role === "user" ? "user" : "reply";
      return { kind: "message", label, whole: tokens, sent: tokens, artifactId: undefined };
    }
    const tokens = estimateTokens(item.text);
    const label = item.toolName;
    if (isReadingTool(label)) {
      return { kind: "read", label, whole: 0, sent: tokens, artifactId: undefined };
    }
    const [referred] = parseKnowledgeList(item.text) ?? [];
    const stored = byId.get(referred ?? item.callId);
    if (!stored)
      return { kind: "result", label, whole: tokens, sent: tokens, artifactId: undefined };
    const { artifactId } = stored;
    return referred === undefined
      ? { kind: "result", label, whole: tokens, sent: stored.referenceTokens ?? tokens, artifactId }
      : { kind: "result", label, whole: stored.tokens, sent: tokens, artifactId };
  });
  return { recording: name, segments };
}

/** Without a recording: the results that the ledger tells of, and what was read of each. */
export function stripOfResults(results: readonly PageResult[]): PageStrip {
  const inOrder = [...results].sort((one, other) => (one.at < other.at ? -1 : 1));
  const segments = inOrder.flatMap((result): PageSegment[] => {
    const { toolName, artifactId, tokens, referenceTokens, readTokens } = result;
    // What was sent of it is not known.
    if (referenceTokens === null) return [];
    const label = toolName ?? "(unknown)";
    const whole: PageSegment = {
      ...{ kind: "result", label, whole: tokens, sent: referenceTokens, artifactId },
    };
    if (readTokens === 0) return [whole];
    return [whole, { kind: "read", label, whole: 0, sent: readTokens, artifactId }];
  });
  return { recording: undefined, segments };
}
