import { SHOWN_HASH_DIGITS } from "../../core/workspace/artifacts/artifact.js";
import { artifactOf, equal, listIds, rejects, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "removal");

export const REMOVAL = [
  check("a tombstone is left, with what a reference shows and an end", async ({ store, open }) => {
    const record = await store.put(artifactOf("secret", { id: "call_1" }));
    const shown = await store.put({
      ...artifactOf("other", { id: "call_2" }),
      shownHash: () => "0123abcd",
    });
    await store.remove(record);
    await store.remove(shown);
    const { removed } = await open().listSession("s1");
    const expected = { call_1: record.hash.slice(0, SHOWN_HASH_DIGITS), call_2: "0123abcd" };
    for (const [id, shownHash] of Object.entries(expected)) {
      const { until = "", ...rest } = removed.get(id) ?? {};
      equal(rest, { artifactId: id, shownHash }, "the tombstone");
      const days = (Date.parse(until) - Date.now()) / 86_400_000;
      equal(days > 89 && days < 91, true, `whether it ends in about 90 days (${until})`);
    }
  }),

  check("a purged session leaves nothing, and the others are kept", async ({ store, open }) => {
    const removed = await store.put(artifactOf("x", { id: "call_1" }));
    await store.put(artifactOf("y", { id: "call_2" }));
    const other = await store.put(artifactOf("z", { id: "call_1", sessionId: "s2" }));
    await store.addChild("s2", "s1");
    equal([...(await store.listSession("s2")).children], ["s1"], "the links before");
    await store.remove(removed);
    equal(await store.purge("s1"), { artifacts: 1 }, "what was purged");
    for (const reader of [store, open()]) {
      const { artifacts, removed: gone, children } = await reader.listSession("s1");
      equal([artifacts.size, gone.size, children.size], [0, 0, 0], "what is left of it");
      equal(await reader.sessions(), ["s2"], "the sessions");
      equal((await reader.listSession("s2")).children.size, 0, "the links to it");
      equal(await textOf(reader, other), "z", "the content of the other one");
    }
    const again = await store.put(artifactOf("new", { id: "call_1" }));
    equal(await textOf(open(), again), "new", "what is put after that");
  }),

  check("a purged namespace leaves nothing", async ({ store, open, namespace }) => {
    const other = open(`${namespace}-other`);
    const kept = await other.put(artifactOf("kept", { id: "call_1" }));
    for (const sessionId of ["s1", "s2"]) await store.put(artifactOf("x", { id: "a", sessionId }));
    equal(await store.purge(), { artifacts: 2 }, "what was purged");
    equal(await open().sessions(), [], "the sessions");
    equal(await listIds(open(), {}, 10), [], "the artifacts");
    const { artifacts, orphaned } = await open().verify({});
    equal([artifacts, orphaned], [0, []], "what verify() finds");
    equal(await textOf(other, kept), "kept", "what another namespace holds");
  }),

  check("what was removed is gone, for fresh processes too", async ({ store, open }) => {
    const before = open();
    const record = await store.put(artifactOf("secret", { id: "call_1" }));
    equal((await before.listSession("s1")).artifacts.size, 1, "artifacts before");
    await store.remove(record);
    for (const [name, reader] of Object.entries({ itself: store, before, fresh: open() })) {
      const { artifacts, removed } = await reader.listSession("s1");
      equal([...artifacts.keys()], [], `what the store lists (${name})`);
      equal([...removed.keys()], ["call_1"], `what it lists as removed (${name})`);
      equal(await listIds(reader, {}, 10), [], `all artifacts (${name})`);
      const opening = reader.open(record).then((content) => content.read(0, 6));
      await rejects(opening, "ARTIFACT_GONE", `opening it (${name})`);
    }
    equal((await store.verify({})).artifacts, 0, "artifacts that verify() counts");
  }),

  check("the others are kept", async ({ store }) => {
    const records = [];
    for (const id of ["a", "b", "c"]) records.push(await store.put(artifactOf(id, { id })));
    const [a, b, c] = records;
    if (!a || !b || !c) throw new Error("three artifacts were put");
    await store.remove(b);
    equal([...(await store.listSession("s1")).artifacts.keys()], ["a", "c"], "what is listed");
    equal([await textOf(store, a), await textOf(store, c)], ["a", "c"], "their content");
  }),

  check("removing twice does no harm", async ({ store, open }) => {
    const record = await store.put(artifactOf("x", { id: "call_1" }));
    await store.remove(record);
    await open().remove(record);
    equal(
      [...(await store.listSession("s1")).removed.keys()],
      ["call_1"],
      "what is listed as removed",
    );
  }),

  check("it can be put again under its id", async ({ store, open }) => {
    const record = await store.put(artifactOf("x", { id: "call_1" }));
    await store.remove(record);
    for (const content of ["x", "y"]) {
      const again = await open().put(artifactOf(content, { id: "call_1" }));
      equal(again.artifactId, "call_1", "the id");
      equal(await textOf(open(), again), content, "the content");
      const { artifacts, removed } = await open().listSession("s1");
      equal([[...artifacts.keys()], [...removed.keys()]], [["call_1"], []], "the listing");
      await store.remove(again);
    }
  }),

  check("data derived from it is made again for what comes next", async ({ store }) => {
    const derive = async (content: string) => {
      const record = await store.put(artifactOf(content, { id: "call_1" }));
      const derived = await store.openDerived(record, "view", async function* () {
        yield await Promise.resolve(new TextEncoder().encode(`made of ${content}`));
      });
      const text = new TextDecoder().decode(await derived.read(0, derived.size));
      await derived.close();
      await store.remove(record);
      return text;
    };
    equal(await derive("first"), "made of first", "the first one");
    equal(await derive("second"), "made of second", "the second one");
  }),
];
