import { artifactOf, equal, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "basics");

const METADATA = {
  tool_name: "read_log",
  task_id: "täsk 一",
  count: 3,
  share: 0.125,
  flag: false,
  nothing: null,
  nested: { list: [1, "two", { three: null }] },
  quotes: `'"\\%_`,
  nul: "a\0b",
  surrogate: "a\ud800b",
};

export const BASICS = [
  check("puts, lists and opens an artifact", async ({ store }) => {
    const record = await store.put(artifactOf("hello\n", { id: "call_1", metadata: METADATA }));
    const { artifactId, sessionId, type, size, createdAt } = record;
    equal(
      { artifactId, sessionId, type, size, createdAt },
      {
        artifactId: "call_1",
        sessionId: "s1",
        type: "TEXT",
        size: { bytes: 6, chars: 6, lines: 1, tokens: 1 },
        createdAt: "2026-01-02T03:04:05.678Z",
      },
      "the record that put() returned",
    );
    equal(/^[0-9a-f]{64}$/.test(record.hash), true, "a hash of 64 hexadecimal digits");
    const listed = (await store.listSession("s1")).artifacts.get("call_1");
    equal(listed, record, "the record in the listing");
    equal(await textOf(store, record), "hello\n", "the content");
  }),

  check("keeps metadata exactly", async ({ store, open }) => {
    const artifact = artifactOf("x", { id: "call_1", metadata: METADATA });
    await store.put(artifact);
    const listed = (await open().listSession("s1")).artifacts.get("call_1");
    equal(listed?.metadata, artifact.metadata, "the metadata in the listing");
  }),

  check("once put() has resolved, a fresh process can read it", async ({ store, open }) => {
    const record = await store.put(artifactOf("durable", { id: "call_1" }));
    const fresh = open();
    const listed = (await fresh.listSession("s1")).artifacts.get("call_1");
    equal(listed, record, "the record that a fresh process lists");
    equal(await textOf(fresh, record), "durable", "the content that a fresh process reads");
  }),

  check("a fresh process can read a stream, too", async ({ store, open }) => {
    async function* stream() {
      yield await Promise.resolve(new Uint8Array(400_000).fill(97));
    }
    const record = await store.put(artifactOf(stream(), { id: "call_1" }));
    const text = await textOf(open(), record);
    equal(text === "a".repeat(400_000), true, "the same content for a fresh process");
  }),

  check("a store that was opened before sees what another one puts", async ({ store, open }) => {
    const other = open();
    await store.put(artifactOf("one", { id: "call_1" }));
    equal([...(await other.listSession("s1")).artifacts.keys()], ["call_1"], "before");
    await store.put(artifactOf("two", { id: "call_2" }));
    const ids = [...(await other.listSession("s1")).artifacts.keys()];
    equal(ids, ["call_1", "call_2"], "after another put");
  }),

  check("the same content under the same id is one artifact", async ({ store, open }) => {
    const first = await store.put(artifactOf("same", { id: "call_1" }));
    const again = await store.put(artifactOf("same", { id: "call_1" }));
    const elsewhere = await open().put(artifactOf("same", { id: "call_1" }));
    equal([again, elsewhere], [first, first], "the records of the later puts");
    equal((await store.listSession("s1")).artifacts.size, 1, "artifacts");
  }),

  check("other content under a taken id gets another id", async ({ store }) => {
    const records = [];
    for (const content of ["one", "two", "three"]) {
      records.push(await store.put(artifactOf(content, { id: "call_1" })));
    }
    equal(
      records.map(({ artifactId, hash }) => [artifactId, hash]),
      records.map(({ hash }, index) => [
        index === 0 ? "call_1" : `call_1-${hash.slice(0, 12)}`,
        hash,
      ]),
      "ids and hashes",
    );
    const texts = [];
    for (const record of records) texts.push(await textOf(store, record));
    equal(texts, ["one", "two", "three"], "the contents");
  }),

  check("a text and a value with the same bytes are two artifacts", async ({ store }) => {
    const text = await store.put(artifactOf("[1]", { id: "call_1" }));
    const value = await store.put(artifactOf("[1]", { id: "call_1", type: "JSON" }));
    equal(text.hash, value.hash, "the hash of the same bytes");
    equal(value.artifactId === text.artifactId, false, "the same id for both");
    equal([text.type, value.type], ["TEXT", "JSON"], "the types");
  }),

  check("content without an id is named after its hash", async ({ store }) => {
    const record = await store.put(artifactOf("nameless"));
    equal(record.artifactId, `unknown-${record.hash.slice(0, 16)}`, "the id");
    equal(await store.put(artifactOf("nameless")), record, "the record of the same content");
  }),

  check("reads metadata after all of a stream", async ({ store }) => {
    let isRead = false;
    async function* stream() {
      yield await Promise.resolve(new Uint8Array([97]));
      isRead = true;
    }
    const artifact = artifactOf(stream(), { id: "call_1" });
    const { metadata } = artifact;
    // Defined on the object, so that it is asked for no earlier than by the store.
    Object.defineProperty(artifact, "metadata", { get: () => ({ ...metadata, isRead }) });
    const record = await store.put(artifact);
    equal(record.metadata["isRead"], true, "what metadata says of the stream");
  }),

  check("derived data is what was made of the artifact", async ({ store }) => {
    const record = await store.put(artifactOf("content", { id: "call_1" }));
    async function* make() {
      yield await Promise.resolve(new Uint8Array([1, 2]));
      yield new Uint8Array([3]);
    }
    for (const time of ["first", "second"]) {
      const derived = await store.openDerived(record, "index", make);
      equal(derived.size, 3, `the size at the ${time} time`);
      equal([...(await derived.read(0, 3))], [1, 2, 3], `the bytes at the ${time} time`);
      await derived.close();
    }
    equal(await textOf(store, record), "content", "the content beside it");
  }),
];
