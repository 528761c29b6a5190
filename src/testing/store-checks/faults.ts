import { artifactOf, equal, noise, rejects, storeCheck, textOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "faults");

async function* failing(bytes: number): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(noise(bytes));
  throw Object.assign(new Error("the tool was killed"), { code: "TOOL_KILLED" });
}

export const FAULTS = [
  check("a stream that fails stores nothing", async ({ store, open }) => {
    for (const bytes of [10, 700_000]) {
      const message = await store.put(artifactOf(failing(bytes), { id: "call_1" })).then(
        () => "no error",
        (error: unknown) => (error as Error).message,
      );
      equal(message.includes("the tool was killed"), true, `the reason in: ${message}`);
      equal((await open().listSession("s1")).artifacts.size, 0, "artifacts");
    }
    const record = await store.put(artifactOf("after", { id: "call_1" }));
    equal(record.artifactId, "call_1", "the id of the next put");
    equal(await textOf(open(), record), "after", "its content");
  }),

  check("a verification that is aborted says why", async ({ store }) => {
    await store.put(artifactOf("x", { id: "call_1" }));
    const reason = new Error("not today");
    const outcome = await store.verify({ signal: AbortSignal.abort(reason) }).then(
      () => "no error",
      (error: unknown) => (error === reason ? "the reason" : String(error)),
    );
    equal(outcome, "the reason", "what it rejects with");
  }),

  check("one put that fails does not harm others", async ({ store, open }) => {
    const [failed, stored] = await Promise.allSettled([
      store.put(artifactOf(failing(300_000), { id: "call_1" })),
      store.put(artifactOf("fine", { id: "call_2" })),
    ]);
    equal([failed.status, stored.status], ["rejected", "fulfilled"], "the outcomes");
    const { artifacts } = await open().listSession("s1");
    equal([...artifacts.keys()], ["call_2"], "what is listed");
  }),

  check("what was never stored cannot be opened", async ({ store }) => {
    const record = await store.put(artifactOf("x", { id: "call_1" }));
    const { length } = record.location;
    const never = {
      ...record,
      artifactId: "never",
      location: `${record.location.slice(0, length - 6)}never!`,
    };
    await rejects(store.open(never), "ARTIFACT_GONE", "opening it");
  }),

  check("content that could not be described is not stored", async ({ store }) => {
    const artifact = {
      ...artifactOf("x", { id: "call_1" }),
      size: () => {
        throw Object.assign(new Error("the counter failed"), { code: "COUNTER_FAILED" });
      },
    };
    const outcome = await store.put(artifact).catch(() => "rejected");
    equal(outcome, "rejected", "the outcome of put()");
    equal((await store.listSession("s1")).artifacts.size, 0, "artifacts");
  }),

  check("derived data that could not be made is not kept", async ({ store }) => {
    const record = await store.put(artifactOf("x", { id: "call_1" }));
    const outcome = await store
      .openDerived(record, "view", () => failing(500_000))
      .catch(() => "rejected");
    equal(outcome, "rejected", "the outcome of openDerived()");
    const derived = await store.openDerived(record, "view", async function* () {
      yield await Promise.resolve(new Uint8Array([7]));
    });
    equal([derived.size, ...(await derived.read(0, 9))], [1, 7], "what is made next");
    await derived.close();
  }),

  check("verify() finds everything intact", async ({ store, open }) => {
    await store.put(artifactOf("one", { id: "a" }));
    await store.put(artifactOf(noise(300_000), { id: "b", sessionId: "s2" }));
    const { sessions, artifacts, bytes, damaged, missing, orphaned } = await open().verify({});
    equal([sessions, artifacts, bytes], [2, 2, 300_003], "sessions, artifacts and bytes");
    equal([damaged, missing, orphaned], [[], [], []], "what is wrong");
  }),

  check("verify() in parts is together what it is at once", async ({ store, open }) => {
    for (let at = 0; at < 7; at++) {
      const sessionId = `s${(at % 3).toString()}`;
      await store.put(artifactOf(noise(10 + at), { id: `call_${at.toString()}`, sessionId }));
    }
    for (const limit of [1, 3, 7, 9]) {
      const sums = { artifacts: 0, bytes: 0, wrong: 0 };
      let after: string | undefined;
      do {
        const report = await open().verify({ limit, after });
        sums.artifacts += report.artifacts;
        sums.bytes += report.bytes;
        sums.wrong += report.damaged.length + report.missing.length + report.orphaned.length;
        after = report.next;
      } while (after !== undefined);
      equal(
        sums,
        { artifacts: 7, bytes: 91, wrong: 0 },
        `the sums of parts of ${limit.toString()}`,
      );
    }
    const { artifacts, bytes } = await open().verify({ content: false });
    equal([artifacts, bytes], [7, 91], "artifacts and bytes of the lists alone");
  }),
];
