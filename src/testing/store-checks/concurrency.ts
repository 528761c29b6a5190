import {
  artifactOf,
  equal,
  equalBytes,
  bytesOf,
  noise,
  storeCheck,
  streamOf,
  textOf,
} from "../store-context.js";

const check = storeCheck.bind(undefined, "concurrency");
const COUNT = 12;
const numbers = Array.from({ length: COUNT }, (_, index) => index);

export const CONCURRENCY = [
  check("the same content put at once is one artifact", async ({ store, open }) => {
    const stores = [store, open(), open()];
    const records = await Promise.all(
      numbers.map((index) =>
        (stores[index % 3] ?? store).put(artifactOf("the same", { id: "call_1" })),
      ),
    );
    equal([...new Set(records.map(({ artifactId }) => artifactId))], ["call_1"], "ids");
    equal((await open().listSession("s1")).artifacts.size, 1, "artifacts");
  }),

  check("different contents put at once under one id are all kept", async ({ store, open }) => {
    const stores = [store, open(), open()];
    const records = await Promise.all(
      numbers.map((index) =>
        (stores[index % 3] ?? store).put(
          artifactOf(`content ${index.toString()}`, { id: "call_1" }),
        ),
      ),
    );
    equal(new Set(records.map(({ artifactId }) => artifactId)).size, COUNT, "different ids");
    const fresh = open();
    for (const [index, record] of records.entries()) {
      equal(await textOf(fresh, record), `content ${index.toString()}`, record.artifactId);
    }
    equal((await fresh.listSession("s1")).artifacts.size, COUNT, "artifacts");
  }),

  check("streams put at once do not mix", async ({ store }) => {
    const contents = numbers.slice(0, 6).map((index) => noise(300_000, index + 1));
    const records = await Promise.all(
      contents.map((bytes, index) =>
        store.put(artifactOf(streamOf(bytes, 7_001), { id: `call_${index.toString()}` })),
      ),
    );
    for (const [index, record] of records.entries()) {
      equalBytes(await bytesOf(store, record), contents[index] ?? noise(0), record.artifactId);
    }
  }),

  check("a session that two stores fill at once misses nothing", async ({ store, open }) => {
    const reader = open();
    const writers = [store, open()];
    const seen: number[] = [];
    await Promise.all([
      ...writers.map(async (writer, at) => {
        for (const index of numbers) {
          const id = `${at.toString()}-${index.toString()}`;
          await writer.put(artifactOf(id, { id }));
        }
      }),
      (async () => {
        for (let count = 0; count < 10; count++) {
          seen.push((await reader.listSession("s1")).artifacts.size);
        }
      })(),
    ]);
    equal(
      [...seen].sort((a, b) => a - b),
      seen,
      "a listing that only grows",
    );
    const ids = [...(await reader.listSession("s1")).artifacts.keys()];
    equal(ids.length, 2 * COUNT, "artifacts that a reader from before lists");
    for (const at of ["0", "1"]) {
      const own = ids.filter((id) => id.startsWith(`${at}-`));
      equal(
        own,
        numbers.map((index) => `${at}-${index.toString()}`),
        `the order of writer ${at}`,
      );
    }
  }),

  check("removing and putting at once ends in one of both", async ({ store, open }) => {
    const record = await store.put(artifactOf("there", { id: "call_1" }));
    const other = open();
    await Promise.all([store.remove(record), other.put(artifactOf("there", { id: "call_1" }))]);
    const listed = (await open().listSession("s1")).artifacts.get("call_1");
    if (listed) equal(await textOf(open(), listed), "there", "the content of what is listed");
  }),
];
