import { describe, expect, it } from "vitest";
import type { Format } from "../../../../src/core/engine/format.js";
import {
  offload,
  type OffloadWiring,
  planOffload,
  type Stored,
} from "../../../../src/core/engine/offload.js";
import type { ToolResult } from "../../../../src/core/engine/format.js";
import { minChars } from "../../../../src/core/policies/by-size.js";
import { surveyMessages } from "../../../../src/core/engine/survey.js";

/** A format made up for this test: the engine must need nothing of Anthropic's. */
interface Note {
  readonly kind: "said" | "returned";
  readonly id?: string;
  readonly body: string;
  readonly extra?: object;
}

const noteFormat: Format<Note> = {
  name: "notes",
  mismatch: () => undefined,
  read({ kind, id, body }, visitor) {
    if (kind === "said") visitor.other(body.length);
    else {
      const rest = { soleText: body, chars: body.length, isError: false };
      visitor.result({ slot: 0, id, content: body, ...rest });
    }
  },
  replace: (note, [replacement]) => ({ ...note, body: replacement?.text ?? note.body }),
  restore: (note) => note,
  describeTools: () => [],
  readCall: () => undefined,
  answerCall: () => undefined,
};

const survey = (messages: readonly Note[]) =>
  surveyMessages(noteFormat, messages, { media: "keep", countOther: false });

const plan = (messages: readonly Note[], threshold = 5) => {
  const found = survey(messages);
  const references = new Map<ToolResult, string>();
  for (const result of found.results) {
    const { content, id = "" } = result;
    if (content === `@${id}`) references.set(result, id);
  }
  return planOffload(messages.length, found, minChars(threshold), references);
};

function wire(changes: Partial<OffloadWiring<Note, Stored>> = {}) {
  const kept = new Map<string, unknown>();
  const wiring: OffloadWiring<Note, Stored> = {
    format: noteFormat,
    media: "keep",
    put: async ({ id = "", content }) => {
      await Promise.resolve();
      kept.set(id, content);
      return { reference: `@${id}` };
    },
    concurrency: 2,
    ...changes,
  };
  return { wiring, kept };
}

const notes: readonly Note[] = Object.freeze([
  Object.freeze({ kind: "said", body: "a long question about everything" } as const),
  Object.freeze({ kind: "returned", id: "one", body: "a long answer", extra: {} } as const),
  Object.freeze({ kind: "returned", id: "two", body: "ok" } as const),
  Object.freeze({ kind: "returned", id: "long-id", body: "@long-id" } as const),
  Object.freeze({ kind: "returned", id: "x", body: "look at @x, it is great" } as const),
]);

describe("the engine", () => {
  it("locates, decides, keeps, refers and replaces, in any format", async () => {
    const { wiring, kept } = wire();
    const { messages, offloaded } = await offload(notes, plan(notes), wiring);
    expect(messages.map(({ body }) => body)).toEqual([
      "a long question about everything",
      "@one",
      "ok",
      "@long-id",
      "@x",
    ]);
    expect([...kept]).toEqual([
      ["one", "a long answer"],
      ["x", "look at @x, it is great"],
    ]);
    expect([...offloaded.values()]).toEqual([{ reference: "@one" }, { reference: "@x" }]);
  });

  it("shares what it did not change, in the message and around it", async () => {
    const { messages } = await offload(notes, plan(notes), wire().wiring);
    expect(messages).not.toBe(notes);
    expect(messages[0]).toBe(notes[0]);
    expect(messages[1]).not.toBe(notes[1]);
    expect(messages[1]?.extra).toBe(notes[1]?.extra);
    expect(messages[3]).toBe(notes[3]);
  });

  it("returns the same array when nothing is offloaded, and puts nothing", async () => {
    const { wiring, kept } = wire();
    const { messages, offloaded } = await offload(notes, plan(notes, 1_000), wiring);
    expect(messages).toBe(notes);
    expect(offloaded.size + kept.size).toBe(0);
  });

  it("changes nothing the second time", async () => {
    const { wiring, kept } = wire();
    const once = await offload(notes, plan(notes), wiring);
    kept.clear();
    const twice = await offload(once.messages, plan(once.messages), wiring);
    expect(twice.messages).toBe(once.messages);
    expect(kept.size).toBe(0);
  });

  it("says of every result what happens to it and why, before anything is written", () => {
    const planned = plan(notes);
    expect(planned.results.map(({ id }) => id)).toEqual(["one", "two", "long-id", "x"]);
    expect([...planned.references.values()]).toEqual(["long-id"]);
    expect(planned.candidates.map(({ id }) => id)).toEqual(["one", "two", "x"]);
    expect(planned.verdicts.map(({ reason }) => reason)).toEqual([
      "minChars(5): large enough",
      "minChars(5): too small",
      "minChars(5): large enough",
    ]);
    expect(planned.chosen.map(({ id }) => id)).toEqual(["one", "x"]);
  });

  it("lets no reference appear before every content is kept", async () => {
    const replaced: string[] = [];
    const { wiring } = wire({
      format: {
        ...noteFormat,
        replace(note, texts, options) {
          replaced.push(note.id ?? "");
          return noteFormat.replace(note, texts, options);
        },
      },
      put: ({ id = "" }) =>
        id === "x"
          ? Promise.reject(new Error("disk on fire"))
          : Promise.resolve({ reference: `@${id}` }),
    });
    const before = structuredClone(notes);
    await expect(offload(notes, plan(notes), wiring)).rejects.toThrow("disk on fire");
    expect(notes).toEqual(before);
    expect(replaced).toEqual([]);
  });

  it("replaces before it copies, so that what was offloaded is not copied along", async () => {
    const copied: string[] = [];
    const { wiring } = wire({
      copy: (note) => {
        copied.push(note.body);
        return { ...note };
      },
    });
    await offload(notes, plan(notes), wiring);
    expect(copied).toEqual(["@one", "@x"]);
  });
});
