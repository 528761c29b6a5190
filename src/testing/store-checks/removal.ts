import { artifactOf, equal, listIds, rejects, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "removal");

export const REMOVAL = [
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
