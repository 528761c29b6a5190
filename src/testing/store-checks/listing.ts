import type { SearchFilter } from "../../core/workspace/artifacts/artifact-store.js";
import {
  artifactOf,
  equal,
  listIds,
  idsOf,
  listAll,
  storeCheck,
  textOf,
} from "../store-context.js";

const check = storeCheck.bind(undefined, "listing and filters");

/** Ids come from models and vendors: each of these is another one. */
const HOSTILE_IDS = [
  "plain",
  "Plain",
  "PLAIN",
  "with space",
  " with space ",
  "../up",
  "/root",
  "a/b",
  "a\\b",
  "con",
  ".",
  "..",
  "__proto__",
  "constructor",
  "'; DROP TABLE x; --",
  "100%",
  "100_",
  `"quoted"`,
  "tab\tand\nline",
  "nul\0inside",
  "nul",
  "é",
  "e\u0301",
  "🙂",
  "lone\ud800",
  "lone\ud801",
  "x".repeat(1_500),
];

const FILTERED: readonly (readonly [SearchFilter, readonly string[]])[] = [
  [{}, ["a", "b", "c", "d"]],
  [{ tool_name: "grep" }, ["a", "b"]],
  [{ tool_name: "grep", task_id: "t1" }, ["a"]],
  [{ task_id: "t1" }, ["a", "c"]],
  [{ task_id: null }, ["d"]],
  [{ tool_name: "GREP" }, []],
  [{ exit: 0 }, ["a"]],
  [{ exit: 1.5 }, ["b"]],
  [{ exit: "0" }, ["c"]],
  [{ exit: false }, ["d"]],
  [{ unknown: "x" }, []],
  [{ tool_name: 'it\'s 100% "odd"\0\ud800' }, ["d"]],
  [{ "odd key\"'.$": "v" }, ["c"]],
  [{ tool_name: undefined, task_id: "t1" }, ["a", "c"]],
];

export const LISTING = [
  check("lists a session in the order of storing", async ({ store, open }) => {
    const ids = ["z", "a", "m", "b", "10", "9"];
    for (const id of ids) await store.put(artifactOf(`content of ${id}`, { id }));
    equal([...(await store.listSession("s1")).artifacts.keys()], ids, "the ids");
    equal([...(await open().listSession("s1")).artifacts.keys()], ids, "in a fresh process");
  }),

  check("lists sessions, and nothing for one that does not exist", async ({ store }) => {
    equal(await store.sessions(), [], "sessions before anything was stored");
    const { artifacts, removed, children } = await store.listSession("never");
    equal([artifacts.size, removed.size, children.size], [0, 0, 0], "an unknown session");
    for (const sessionId of ["s2", "s1", "s3"]) {
      await store.put(artifactOf("x", { id: "call_1", sessionId }));
    }
    equal([...(await store.sessions())].sort(), ["s1", "s2", "s3"], "the sessions");
    equal(await store.sessions(), await store.sessions(), "a stable order");
  }),

  check("keeps odd ids apart", async ({ store, open }) => {
    for (const id of HOSTILE_IDS) await store.put(artifactOf(`artifact ${id}`, { id }));
    const listing = await open().listSession("s1");
    equal([...listing.artifacts.keys()], HOSTILE_IDS, "the ids");
    for (const [id, record] of listing.artifacts) {
      equal(await textOf(store, record), `artifact ${id}`, `the content of ${JSON.stringify(id)}`);
    }
  }),

  check("keeps odd sessions apart", async ({ store, open }) => {
    for (const sessionId of HOSTILE_IDS) {
      await store.put(artifactOf(`session ${sessionId}`, { id: "call_1", sessionId }));
    }
    const fresh = open();
    equal([...(await fresh.sessions())].sort(), [...HOSTILE_IDS].sort(), "the sessions");
    for (const sessionId of HOSTILE_IDS) {
      const records = [...(await fresh.listSession(sessionId)).artifacts.values()];
      const texts = await Promise.all(records.map((record) => textOf(fresh, record)));
      equal(texts, [`session ${sessionId}`], `what ${JSON.stringify(sessionId)} holds`);
    }
  }),

  check("filters by metadata", async ({ store }) => {
    const grep = { tool_name: "grep" };
    const all: Readonly<Record<string, object>> = {
      a: { ...grep, task_id: "t1", exit: 0 },
      b: { ...grep, task_id: "t2", exit: 1.5 },
      c: { tool_name: "ls", task_id: "t1", exit: "0", "odd key\"'.$": "v" },
      d: { tool_name: 'it\'s 100% "odd"\0\ud800', exit: false },
    };
    for (const [id, metadata] of Object.entries(all)) {
      await store.put(artifactOf(id, { id, metadata: { ...metadata } }));
    }
    for (const [filter, ids] of FILTERED) {
      const what = `ids for ${JSON.stringify(filter)}`;
      equal(await listIds(store, { filter }, 10), ids, what);
      equal(await listIds(store, { filter, sessionId: "s1" }, 10), ids, `${what} in s1`);
      equal(await listIds(store, { filter, sessionId: "s2" }, 10), [], `${what} in s2`);
    }
  }),

  check("finds artifacts by id", async ({ store }) => {
    for (const sessionId of ["s1", "s2"]) {
      for (const id of ["a", "b", "c"]) {
        await store.put(artifactOf(sessionId + id, { id, sessionId }));
      }
    }
    const artifactIds = ["b", "c", "missing"];
    const inOne = await listAll(store, { artifactIds, sessionId: "s2" }, 10);
    equal(idsOf(inOne), ["b", "c"], "in one session");
    const inAll = await listAll(store, { artifactIds: ["b"] }, 10);
    equal(inAll.map(({ record }) => record.sessionId).sort(), ["s1", "s2"], "in all sessions");
  }),

  check("remembers which sessions may read which", async ({ store, open }) => {
    await store.addChild("parent", "child");
    await store.addChild("parent", "child");
    await store.addChild("parent", "second\0");
    const fresh = open();
    equal(
      [...(await fresh.listSession("parent")).children].sort(),
      ["child", "second\0"],
      "children",
    );
    equal([...(await fresh.listSession("child")).children], [], "the other way round");
  }),
];
