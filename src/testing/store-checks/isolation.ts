import { artifactOf, equal, listIds, rejects, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "isolation");

export const ISOLATION = [
  check("namespaces do not see each other", async ({ store, open, namespace }) => {
    const other = open(`${namespace}-other`);
    await store.put(artifactOf("mine", { id: "call_1" }));
    await store.addChild("s1", "s2");
    const { artifacts, children } = await other.listSession("s1");
    equal([artifacts.size, children.size], [0, 0], "what another namespace lists of the session");
    equal(await other.sessions(), [], "the sessions of another namespace");
    equal(await listIds(other, {}, 10), [], "what another namespace lists");
    equal(await listIds(other, { artifactIds: ["call_1"] }, 10), [], "by id");
    equal((await other.verify({})).artifacts, 0, "artifacts that another namespace verifies");
  }),

  check(
    "the same ids hold different content in two namespaces",
    async ({ store, open, namespace }) => {
      const other = open(`${namespace}-other`);
      const mine = await store.put(artifactOf("mine", { id: "call_1" }));
      const theirs = await other.put(artifactOf("theirs", { id: "call_1" }));
      equal([mine.artifactId, theirs.artifactId], ["call_1", "call_1"], "the ids");
      equal(await textOf(store, mine), "mine", "the content of one");
      equal(await textOf(other, theirs), "theirs", "the content of the other");
    },
  ),

  check("a record of another namespace opens nothing", async ({ store, open, namespace }) => {
    const other = open(`${namespace}-other`);
    const mine = await store.put(artifactOf("mine", { id: "call_1" }));
    const opening = other.open(mine).then((content) => content.read(0, 4));
    await rejects(opening, "ARTIFACT_GONE", "opening it");
  }),

  check("removing in one namespace keeps the other", async ({ store, open, namespace }) => {
    const other = open(`${namespace}-other`);
    const mine = await store.put(artifactOf("the same", { id: "call_1" }));
    const theirs = await other.put(artifactOf("the same", { id: "call_1" }));
    await other.remove(theirs);
    equal(await textOf(store, mine), "the same", "the content");
    equal((await store.listSession("s1")).artifacts.size, 1, "artifacts");
  }),

  check("names of namespaces are not taken apart", async ({ open, namespace }) => {
    const names = [
      `${namespace}/a`,
      `${namespace}%`,
      `${namespace}_`,
      `${namespace}\0`,
      `${namespace} A`,
      `${namespace} a`,
    ];
    for (const name of names) await open(name).put(artifactOf(name, { id: "call_1" }));
    for (const name of names) {
      const fresh = open(name);
      const records = [...(await fresh.listSession("s1")).artifacts.values()];
      const texts = await Promise.all(records.map((record) => textOf(fresh, record)));
      equal(texts, [name], `what ${JSON.stringify(name)} holds`);
    }
  }),

  check("sessions do not see each other", async ({ store }) => {
    await store.put(artifactOf("one", { id: "call_1", sessionId: "s1" }));
    const second = await store.put(artifactOf("two", { id: "call_1", sessionId: "s2" }));
    equal(second.artifactId, "call_1", "an id that another session uses");
    equal(await listIds(store, { sessionId: "s2" }, 10), ["call_1"], "the second session");
    const first = (await store.listSession("s1")).artifacts.get("call_1");
    equal(first && (await textOf(store, first)), "one", "the content in the first session");
  }),
];
