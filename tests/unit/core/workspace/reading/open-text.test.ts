import { describe, expect, it } from "vitest";
import {
  memoryContent,
  type OpenContent,
} from "../../../../../src/core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../../../../src/core/workspace/artifacts/artifact.js";
import { MemoryArtifacts } from "../../../../../src/core/workspace/artifacts/memory-store.js";
import { openText } from "../../../../../src/core/workspace/reading/open-text.js";
import { checkHash } from "../../../../../src/testing/memory-store.js";
import { openMemoryWorkspace } from "../../../../support/memory-workspace.js";

const LONG = "a line of a long text\n".repeat(60_000);

/** Keeps what was derived, as a store with a disk does, and counts what is open. */
class KeepingStore extends MemoryArtifacts {
  readonly derived = new Map<string, Uint8Array>();
  readonly made: string[] = [];
  opened = 0;
  isDamaged = false;

  constructor() {
    super(checkHash);
  }

  override async open(record: ArtifactRecord) {
    const content = await super.open(record);
    const check = () =>
      this.isDamaged ? Promise.reject(new Error("damaged")) : Promise.resolve(undefined);
    return this.#counted({ ...content, check });
  }

  override async openDerived(
    _record: ArtifactRecord,
    name: string,
    make: () => AsyncIterable<Uint8Array>,
  ): Promise<OpenContent> {
    if (!this.derived.has(name)) {
      const pieces: Uint8Array[] = [];
      for await (const piece of make()) pieces.push(piece);
      this.derived.set(name, Buffer.concat(pieces));
      this.made.push(name);
    }
    return this.#counted(memoryContent(this.derived.get(name) ?? new Uint8Array()));
  }

  #counted<C extends OpenContent>(content: C): C {
    this.opened++;
    const close = async () => {
      this.opened--;
      await content.close();
    };
    return { ...content, close };
  }
}

async function storeOf(content: string) {
  const store = new KeepingStore();
  const { record } = await openMemoryWorkspace({ store }).put(
    { content },
    { sessionId: "default", toolCallId: "a" },
  );
  return { store, record };
}

const read = async (store: KeepingStore, record: ArtifactRecord, view: "readable" | "raw") => {
  const text = await openText(store, record, view, undefined);
  try {
    const { index } = await text.withIndex();
    return { index, size: text.source.size };
  } finally {
    await text.close();
  }
};

describe("the index of a text", () => {
  it("is kept if the text is long, and made once", async () => {
    const { store, record } = await storeOf(LONG);
    const first = await read(store, record, "raw");
    const second = await read(store, record, "raw");
    expect(store.made).toEqual(["index"]);
    expect(second.index).toEqual(first.index);
    expect(first.index.bytes).toBe(LONG.length);
  });

  it("is made each time if the text is short", async () => {
    const { store, record } = await storeOf("one\ntwo\n");
    await read(store, record, "raw");
    expect(store.made).toEqual([]);
  });

  it.each([
    ["damaged", (kept: Uint8Array) => kept.subarray(0, kept.length / 2)],
    ["of another text", () => Buffer.from("{}")],
  ])("is made anew if the one that was kept is %s", async (_, spoil) => {
    const { store, record } = await storeOf(LONG);
    const { index } = await read(store, record, "raw");
    store.derived.set("index", spoil(store.derived.get("index") ?? new Uint8Array()));
    expect((await read(store, record, "raw")).index).toEqual(index);
  });

  it("of damaged content is not kept", async () => {
    const { store, record } = await storeOf(LONG);
    store.isDamaged = true;
    await expect(read(store, record, "raw")).rejects.toThrow("damaged");
    expect(store.derived.size).toBe(0);
    expect(store.opened).toBe(0);
  });

  it("is another one for the readable view", async () => {
    const json = JSON.stringify(Array.from({ length: 60_000 }, (_, id) => ({ id, name: "pod" })));
    const { store, record } = await storeOf(json);
    const raw = await read(store, record, "raw");
    const readable = await read(store, record, "readable");
    expect(raw.index.lines).toBe(1);
    expect(readable.index.lines).toBeGreaterThan(60_000);
    expect(store.made).toContain("index");
    expect(store.made).toContain("view-index");
    expect(store.opened).toBe(0);
  });
});
