import { queryArtifacts } from "../../core/workspace/artifacts/list-artifacts.js";
import type { ArtifactStore } from "../../core/workspace/artifacts/artifact-store.js";
import { artifactOf, equal, listIds, idsOf, listAll, storeCheck } from "../store-context.js";

const check = storeCheck.bind(undefined, "paging");
const SESSIONS = ["s1", "s2", "s3"];
const EACH = 9;

async function fill(store: ArtifactStore): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < EACH; index++) {
    for (const sessionId of SESSIONS) {
      const id = `${sessionId}-${index.toString()}`;
      const metadata = { tool_name: index % 3 === 0 ? "third" : "other" };
      await store.put(artifactOf(id, { id, sessionId, metadata }));
      ids.push(id);
    }
  }
  return ids;
}

export const PAGING = [
  check("pages of any size together list everything once", async ({ store, open }) => {
    const ids = (await fill(store)).sort();
    for (const limit of [1, 4, 9, 10, 27, 28, 1_000]) {
      const listed = await listIds(open(), {}, limit);
      const what = `pages of ${limit.toString()}`;
      equal([...listed].sort(), ids, what);
      const ofFirst = await listIds(store, { sessionId: "s1" }, limit);
      equal(ofFirst, ids.slice(0, EACH), `${what} of one session`);
      const third = await listIds(store, { filter: { tool_name: "third" } }, limit);
      equal(
        [...third].sort(),
        ids.filter((id) => /[036]$/.test(id)),
        `${what} with a filter`,
      );
    }
  }),

  check("a session's artifacts come together and in order", async ({ store }) => {
    await fill(store);
    const listed = await listAll(store, {}, 5);
    const sessions = [...new Set(listed.map(({ record }) => record.sessionId))];
    for (const sessionId of SESSIONS) {
      const own = listed.filter(({ record }) => record.sessionId === sessionId);
      const inOrder = Array.from(
        { length: EACH },
        (_, index) => `${sessionId}-${index.toString()}`,
      );
      equal(idsOf(own), inOrder, `the order in ${sessionId}`);
    }
    const grouped = sessions.flatMap((session) =>
      listed.filter(({ record }) => record.sessionId === session),
    );
    equal(idsOf(listed), idsOf(grouped), "the order of sessions");
  }),

  check("lists the newest first", async ({ store }) => {
    const times = [3, 1, 4, 1, 5, 9, 2, 6];
    for (const [index, time] of times.entries()) {
      const [id, sessionId] = [
        `${time.toString()}-${index.toString()}`,
        `s${(index % 3).toString()}`,
      ];
      await store.put(artifactOf(id, { id, sessionId, createdAt: `2026-01-0${time.toString()}` }));
    }
    for (const limit of [1, 3, 100]) {
      const what = `the newest first, in pages of ${limit.toString()}`;
      const ids = await listIds(store, { newestFirst: true }, limit);
      equal(new Set(ids).size, times.length, `${what}: different artifacts`);
      const wanted = [...times].sort((a, b) => b - a);
      equal(
        ids.map((id) => Number(id[0])),
        wanted,
        what,
      );
      equal(
        await listIds(store, { newestFirst: true, sessionId: "s0" }, limit),
        ["3-0", "2-6", "1-3"],
        `${what}, of a session`,
      );
    }
    const { leftOut } = await queryArtifacts(store, {
      newestFirst: true,
      limit: 3,
      countRest: true,
    });
    equal(leftOut, times.length - 3, "left out of the newest");
  }),

  check("continues in the right place after removals and puts", async ({ store }) => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    for (const id of ids) await store.put(artifactOf(id, { id }));
    const query = { sessionId: "s1" };
    const { artifacts } = await queryArtifacts(store, { ...query, limit: 3 });
    equal(idsOf(artifacts), ["a", "b", "c"], "the first page");
    const records = (await store.listSession("s1")).artifacts;
    for (const id of ["a", "c"]) {
      const record = records.get(id);
      if (record) await store.remove(record);
    }
    await store.put(artifactOf("g", { id: "g" }));
    const after = artifacts.at(-1)?.cursor;
    const rest = await listIds(store, { ...query, after }, 2);
    const missed = ["d", "e", "f", "g"].filter((id) => !rest.includes(id));
    equal(missed, [], "artifacts that no page lists");
    equal(await listIds(store, query, 4), ["b", "d", "e", "f", "g"], "listed from the start");
  }),

  check("counts what comes after a page", async ({ store }) => {
    await fill(store);
    const all = await queryArtifacts(store, { limit: 5, countRest: true });
    equal(all.leftOut, 22, "left out of all sessions");
    const one = await queryArtifacts(store, { sessionId: "s2", limit: 5, countRest: true });
    equal(one.leftOut, 4, "left out of a session");
    const after = one.artifacts[1]?.cursor;
    const next = await queryArtifacts(store, { sessionId: "s2", after, limit: 5, countRest: true });
    equal(next.leftOut, 2, "left out after a cursor");
    const filter = { tool_name: "third" };
    const some = await queryArtifacts(store, { filter, limit: 2, countRest: true });
    equal(some.leftOut, 7, "left out with a filter");
  }),

  check(
    "leaves out one kind of context, in every order and in what it counts",
    async ({ store }) => {
      for (const [at, id] of ["a", "b", "c", "d", "e"].entries()) {
        const context = at % 2 === 0 ? "tool_result" : "reading_answer";
        await store.put(artifactOf(id, { id, metadata: { context_type: context } }));
      }
      const exceptContext = "reading_answer";
      equal(await listIds(store, { exceptContext }, 2), ["a", "c", "e"], "listed");
      const newest = { sessionId: "s1", exceptContext, newestFirst: true };
      equal((await listIds(store, newest, 2)).sort(), ["a", "c", "e"], "listed, newest first");
      const page = await queryArtifacts(store, { exceptContext, limit: 1, countRest: true });
      equal(page.leftOut, 2, "left out of the page");
      equal(await listIds(store, { exceptContext: "none" }, 4), ["a", "b", "c", "d", "e"], "all");
    },
  ),

  check("rejects a cursor that it did not make", async ({ store }) => {
    await fill(store);
    for (const after of ["", "nonsense", "[1]", "{}"]) {
      const outcome = await queryArtifacts(store, { after, limit: 1 }).catch(
        (error: unknown) => error,
      );
      equal((outcome as { code?: unknown }).code, "INVALID_ARGUMENT", `the cursor ${after}`);
    }
  }),
];
