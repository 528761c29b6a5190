import { artifactOf, equal, equalBytes, noise, storeCheck, streamOf } from "../store-context.js";

const check = storeCheck.bind(undefined, "ranges");

/** Sizes at which stores are likely to cut content into pieces. */
const BOUNDARIES = [1_024, 4_096, 8_192, 65_536, 131_072, 262_144, 524_288, 1_048_576];
const SIZE = 1_100_003;

function* rangesOf(size: number): Generator<readonly [number, number]> {
  yield* [
    [0, 0],
    [0, 1],
    [0, size],
    [size - 1, size],
    [size, size],
    [size, size + 10],
    [size - 5, size + 5],
    [size + 5, size + 10],
  ] as const;
  for (const boundary of BOUNDARIES) {
    for (const [before, after] of [
      [1, 1],
      [0, 1],
      [1, 0],
      [100, 100],
    ] as const) {
      yield [boundary - before, boundary + after];
    }
    yield [boundary - 1_000, 2 * boundary + 1_000];
  }
  let state = 7;
  for (let count = 0; count < 20; count++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const start = state % size;
    yield [start, start + (state % 5_000)];
  }
}

export const RANGES = [
  check("reads any range", async ({ store }) => {
    const bytes = noise(SIZE);
    for (const [id, content] of [
      ["whole", bytes],
      ["streamed", streamOf(bytes, 10_007)],
    ] as const) {
      const record = await store.put(artifactOf(content, { id }));
      const open = await store.open(record);
      equal(open.size, SIZE, "the size");
      for (const [start, end] of rangesOf(SIZE)) {
        const what = `${id}: bytes ${start.toString()} to ${end.toString()}`;
        equalBytes(await open.read(start, end), bytes.subarray(start, end), what);
      }
      await open.close();
    }
  }),

  check("reads ranges of short content", async ({ store }) => {
    const record = await store.put(artifactOf("0123456789", { id: "call_1" }));
    const open = await store.open(record);
    for (let start = 0; start <= 11; start++) {
      for (let end = start; end <= 12; end++) {
        const text = new TextDecoder().decode(await open.read(start, end));
        equal(text, "0123456789".slice(start, end), `${start.toString()} to ${end.toString()}`);
      }
    }
    await open.close();
  }),

  check("reads several ranges at once", async ({ store }) => {
    const bytes = noise(600_000);
    const record = await store.put(artifactOf(bytes, { id: "call_1" }));
    const open = await store.open(record);
    const starts = Array.from({ length: 12 }, (_, index) => index * 50_000);
    const parts = await Promise.all(starts.map((start) => open.read(start, start + 50_000)));
    for (const [index, part] of parts.entries()) {
      const start = starts[index] ?? 0;
      equalBytes(part, bytes.subarray(start, start + 50_000), `from ${start.toString()}`);
    }
    await open.close();
  }),

  check("a range that was read may be changed by its reader", async ({ store }) => {
    const record = await store.put(artifactOf("unchanged", { id: "call_1" }));
    const open = await store.open(record);
    const copy = (await open.read(0, 9)).slice();
    copy.fill(0);
    equal(new TextDecoder().decode(await open.read(0, 9)), "unchanged", "what is read next");
    await open.close();
  }),
];
