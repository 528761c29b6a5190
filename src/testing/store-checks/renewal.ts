import { findExpired } from "../../core/workspace/artifacts/retention.js";
import { artifactOf, equal, listIds, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "renewal");

const LONG_AGO = "2026-01-02T03:04:05.678Z";
const NOW = "2026-07-08T09:10:11.121Z";
const RACES = 12;

export const RENEWAL = [
  check("putting the same content again renews it", async ({ store, open }) => {
    const first = await store.put(artifactOf("same", { id: "call_1", createdAt: LONG_AGO }));
    await store.put(artifactOf("other", { id: "call_2", createdAt: LONG_AGO }));
    const again = await open().put(artifactOf("same", { id: "call_1", createdAt: NOW }));
    equal(again, { ...first, createdAt: NOW }, "the record of the second put");
    for (const [who, one] of [["this store", store] as const, ["a fresh one", open()] as const]) {
      const { artifacts } = await one.listSession("s1");
      equal(artifacts.get("call_1"), again, `the record that ${who} lists`);
      equal([...artifacts.keys()], ["call_2", "call_1"], `the order in which ${who} lists`);
      equal(await listIds(one, {}, 1), ["call_2", "call_1"], `the pages of ${who}`);
    }
    equal(await textOf(store, again), "same", "the content");
  }),

  check("an earlier time changes nothing", async ({ store, open }) => {
    const first = await store.put(artifactOf("same", { id: "call_1", createdAt: NOW }));
    const again = await store.put(artifactOf("same", { id: "call_1", createdAt: LONG_AGO }));
    equal(again, first, "the record of the second put");
    equal(await store.renew(first, LONG_AGO), first, "what renew() returned");
    equal((await open().listSession("s1")).artifacts.get("call_1"), first, "the listing");
  }),

  check("what is handed out again can be renewed without its content", async ({ store, open }) => {
    const first = await store.put(artifactOf("content", { id: "call_1", createdAt: LONG_AGO }));
    const renewed = await open().renew(first, NOW);
    equal(renewed, { ...first, createdAt: NOW }, "what renew() returned");
    equal((await store.listSession("s1")).artifacts.get("call_1"), renewed, "the listing");
    if (renewed) await store.remove(renewed);
    equal(await open().renew(first, NOW), undefined, "what renew() returned of a removed artifact");
    equal((await open().listSession("s1")).artifacts.size, 0, "artifacts");
  }),

  check("retention finds nothing that was put again", async ({ store, open }) => {
    for (const id of ["call_1", "call_2", "call_3"]) {
      await store.put(artifactOf(`content of ${id}`, { id, createdAt: LONG_AGO }));
    }
    await open().put(artifactOf("content of call_2", { id: "call_2", createdAt: NOW }));
    const clock = { now: () => Date.parse(NOW) + 60_000 };
    for (const limits of [{ maxAgeMs: 1_000 }, { maxArtifacts: 0 }, { maxBytes: 0 }]) {
      const expired = await findExpired(store, limits, clock);
      const ids = expired.map(({ artifactId }) => artifactId).sort();
      equal(ids, ["call_1", "call_3"], `what is removed with ${JSON.stringify(limits)}`);
    }
  }),

  check("what was renewed since it was listed is not removed", async ({ store, open }) => {
    const first = await store.put(artifactOf("content", { id: "call_1", createdAt: LONG_AGO }));
    const renewed = await open().put(artifactOf("content", { id: "call_1", createdAt: NOW }));
    // Found by retention before it was put again.
    await store.remove(first);
    equal((await store.listSession("s1")).artifacts.get("call_1"), renewed, "the listing");
    equal(await textOf(open(), renewed), "content", "the content");
    await store.remove(renewed);
    equal((await open().listSession("s1")).artifacts.size, 0, "artifacts after its removal");
  }),

  check("a put that was acknowledged outlives a removal at the same moment", async (context) => {
    const { store, open } = context;
    const other = open();
    for (let race = 0; race < RACES; race++) {
      const id = `call_${race.toString()}`;
      const old = await store.put(artifactOf(`content of ${id}`, { id, createdAt: LONG_AGO }));
      const putting = () => other.put(artifactOf(`content of ${id}`, { id, createdAt: NOW }));
      const removing = () => store.remove(old);
      const removed = race % 2 === 0 ? undefined : removing();
      const stored = putting();
      await Promise.all([stored, removed ?? removing()]);
      const { artifactId } = await stored;
      const listed = (await open().listSession("s1")).artifacts.get(artifactId);
      equal(listed, await stored, `the record of ${artifactId}`);
      if (listed) equal(await textOf(open(), listed), `content of ${id}`, "the content");
    }
  }),
];
