import { createOffloader, createWorkspace, type Workspace } from "context-offload";
import type { Format, FormatName } from "context-offload/formats";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A call of the tool `fetch_log`. */
export interface ScriptedCall {
  readonly id: string;
  readonly input: { readonly day: number };
}

/** What the model does in one request: it calls the tool, or says something. */
export type ScriptedMove = string | readonly ScriptedCall[];

/** What is passed to a drop-in. */
export interface ConformanceOptions {
  readonly workspace: Workspace;
  readonly sessionId: string;
}

/** How the suite drives a framework. */
export interface ConversationSettings {
  /** Of the drop-in; without them the framework runs as if there were none. */
  readonly offload: ConformanceOptions | undefined;
  /** What `save` returned in an earlier process; `undefined` for a new conversation. */
  readonly saved: unknown;
  /** The scripted model: takes the messages of a request, without the system prompt, as plain JSON in the adapter's format. */
  readonly reply: (messages: readonly object[]) => ScriptedMove;
  /** The tool. */
  readonly fetchLog: (day: number) => string;
}

/** A conversation in a framework, with the framework's own memory. */
export interface ConformanceConversation {
  ask(question: string): Promise<unknown>;
  /** What the framework remembers, for another process to continue with. */
  save(): unknown;
  /** The same as JSON. Default: what `save` returns. */
  remembered?(): unknown;
}

/** A drop-in that sees each request. */
export interface RequestDropIn {
  readonly format: FormatName | Format;
  /** What the memory has of a giant. */
  readonly giantInMemory: "original" | "reference";
  start(settings: ConversationSettings): ConformanceConversation | Promise<ConformanceConversation>;
}

const TURNS = 30;
const GIANT_DAY = 11;
const SESSION = "chat-1";

/** A log of 1,000 to 3,000 tokens, and one of more than ten thousand. */
function makeLog(day: number): string {
  const lines = day === GIANT_DAY ? 900 : 55 + ((day * 37) % 100);
  return Array.from({ length: lines }, (_, at) => {
    const request = (day * 7_919 + at * 104_729) % 99_991;
    return `day ${day} line ${at}: request ${request} took ${(request * 31) % 877} ms and was served`;
  }).join("\n");
}

/** Thirty turns: most have one call, some two in a row, some two at once. */
const MOVES: readonly ScriptedMove[] = Array.from({ length: TURNS }).flatMap(
  (_, turn): ScriptedMove[] => {
    const call = (day: number): ScriptedCall => ({ id: `call-${day}`, input: { day } });
    const said = `That was turn ${turn}.`;
    if (turn % 7 === 3) return [[call(turn)], [call(turn + 100)], said];
    if (turn % 7 === 5) return [[call(turn), call(turn + 100)], said];
    return [[call(turn)], said];
  },
);

interface Run {
  /** The messages of each request, as JSON. */
  readonly requests: readonly (readonly string[])[];
  /** What the framework remembers in the end. */
  readonly memory: string;
}

interface RunSettings {
  readonly isOffloaded: boolean;
  /** After so many turns a new process continues with what was saved. */
  readonly turnsPerProcess?: number;
}

async function play(
  dropIn: RequestDropIn,
  root: string,
  { isOffloaded, turnsPerProcess = TURNS }: RunSettings,
): Promise<Run> {
  const requests: string[][] = [];
  const reply = (messages: readonly object[]): ScriptedMove => {
    const move = MOVES[requests.length] ?? "There is nothing left to say.";
    requests.push(messages.map((message) => JSON.stringify(message)));
    return move;
  };
  let saved: unknown;
  let memory = "";
  for (let turn = 0; turn < TURNS; turn += turnsPerProcess) {
    const workspace = createWorkspace({ root });
    const offload = isOffloaded ? { workspace, sessionId: SESSION } : undefined;
    const conversation = await dropIn.start({ offload, saved, reply, fetchLog: makeLog });
    for (let at = turn; at < Math.min(TURNS, turn + turnsPerProcess); at++) {
      await conversation.ask(`What happened on day ${at}?`);
    }
    saved = await conversation.save();
    memory = JSON.stringify((await conversation.remembered?.()) ?? saved);
  }
  expect(requests).toHaveLength(MOVES.length);
  return { requests, memory };
}

/**
 * What every drop-in with a place for the request keeps to, over thirty turns with the framework's own
 * memory: it sends what an offloader of its own would make of the framework's requests.
 */
export function testRequestDropIn(name: string, dropIn: RequestDropIn): void {
  describe(`${name}, thirty turns`, () => {
    const { format } = dropIn;
    let folder: string;
    let plain: Run;
    let offloaded: Run;
    const openFolder = (name: string) => {
      const workspace = createWorkspace({ root: join(folder, name) });
      return createOffloader({ workspace, sessionId: SESSION, format });
    };
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "context-offload-"));
      plain = await play(dropIn, join(folder, "plain"), { isOffloaded: false });
      offloaded = await play(dropIn, join(folder, "offloaded"), { isOffloaded: true });
    }, 120_000);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it("steps come where an offloader over the same requests puts them", async () => {
      const offloader = openFolder("bare");
      for (const [at, messages] of plain.requests.entries()) {
        const { messages: expected } = await offloader.offload(messages.map(parse));
        expectSame(offloaded.requests[at], stringify(expected), `request ${at}`);
      }
    });

    it("a giant goes when it arrives, other results in a few steps; in between, requests only grow", () => {
      const { requests } = offloaded;
      const isSame = (run: Run, at: number, index: number) =>
        run.requests[at]?.[index] === run.requests[at - 1]?.[index];
      // What a framework changes itself, such as VoltAgent the steps of a turn, is not counted.
      const steps = requests.filter((_, at) =>
        requests[at - 1]?.some(
          (_, index) => isSame(plain, at, index) && !isSame(offloaded, at, index),
        ),
      );
      expect(steps.length).toBeGreaterThan(1);
      expect(steps.length).toBeLessThan(TURNS / 3);
      const giant = inJson(makeLog(GIANT_DAY));
      expect(requests.flat().filter((message) => message.includes(giant))).toEqual([]);
      // Whatever has just arrived is sent whole.
      for (const day of [0, 8, 15, 29]) {
        const fresh = inJson(makeLog(day));
        expect(requests.some((messages) => messages.at(-1)?.includes(fresh))).toBe(true);
      }
    });

    it("a process that continues with what was saved sends the same bytes", async () => {
      const settings = { isOffloaded: true, turnsPerProcess: 4 };
      const resumed = await play(dropIn, join(folder, "resumed"), settings);
      for (const [at, messages] of resumed.requests.entries()) {
        expectSame(messages, offloaded.requests[at], `request ${at}`);
      }
    });

    it(`the memory keeps originals, and of a giant the ${dropIn.giantInMemory}`, () => {
      const isKept = (day: number) => offloaded.memory.includes(inJson(makeLog(day)));
      const days = Array.from({ length: TURNS }, (_, day) => day);
      expect(days.filter((day) => !isKept(day))).toEqual(
        dropIn.giantInMemory === "reference" ? [GIANT_DAY] : [],
      );
    });

    it("restore gives the original conversation", async () => {
      const restored = await openFolder("offloaded").restore(
        (offloaded.requests.at(-1) ?? []).map(parse),
      );
      expectSame(stringify(restored), plain.requests.at(-1), "the last request");
    });
  });
}

/** Without the hundreds of lines that a difference of whole requests would have. */
function expectSame(
  messages: readonly string[] = [],
  expected: readonly string[] = [],
  where: string,
): void {
  const at = expected.findIndex((message, index) => message !== messages[index]);
  const brief = (message?: string) => message?.slice(0, 500);
  if (at >= 0) expect(brief(messages[at]), `${where}, message ${at}`).toBe(brief(expected[at]));
  expect(at < 0 ? messages.length : at, where).toBe(expected.length);
}

function stringify(messages: readonly object[]): string[] {
  return messages.map((message) => JSON.stringify(message));
}

/** A text as it stands in JSON, inside a longer string too. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function parse(message: string): object {
  return JSON.parse(message) as object;
}
