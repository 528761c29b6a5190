import { encodeWtf8 } from "../../core/lib/text/wtf8.js";
import {
  artifactOf,
  bytesOf,
  equal,
  equalBytes,
  noise,
  storeCheck,
  streamOf,
  textOf,
} from "../store-context.js";

const check = storeCheck.bind(undefined, "exactness");

const TEXTS: Readonly<Record<string, string>> = {
  "an empty text": "",
  "line breaks of every kind": "a\r\nb\nc\rd\u2028e\n\n",
  "control characters and NUL": "a\0b\u0001\u001f\u007f\ufeffc\0",
  "many scripts": "naïve 一二三 здравствуй 🙂👩‍👩‍👧 é vs e\u0301",
  "lone surrogates": "a\ud800b\udc00\ud83dc\udfff",
  "what looks like SQL, JSON and a path": `'; DROP TABLE x; -- {"a": "\\u0000"} ../../etc/passwd %00`,
};

export const EXACTNESS = [
  ...Object.entries(TEXTS).map(([what, text]) =>
    check(`keeps ${what}`, async ({ store, open }) => {
      const record = await store.put(artifactOf(text, { id: "call_1" }));
      equal(await textOf(open(), record), text, "the text that came back");
      equalBytes(await bytesOf(store, record), encodeWtf8(text), "the bytes");
    }),
  ),

  check("keeps bytes that are not text", async ({ store, open }) => {
    const bytes = noise(1_000);
    const record = await store.put(artifactOf(bytes, { id: "call_1" }));
    equalBytes(await bytesOf(open(), record), bytes, "the bytes");
  }),

  check("keeps megabytes, as bytes and as a stream", async ({ store, open }) => {
    const bytes = noise(3_333_333);
    const whole = await store.put(artifactOf(bytes, { id: "whole" }));
    const streamed = await store.put(artifactOf(streamOf(bytes, 65_521), { id: "streamed" }));
    equal(streamed.hash, whole.hash, "the hash of the same bytes");
    for (const record of [whole, streamed]) {
      equal(record.size.bytes, bytes.length, `the size of ${record.artifactId}`);
      equalBytes(await bytesOf(open(), record), bytes, record.artifactId);
    }
  }),

  check("keeps a stream of any pieces", async ({ store, open }) => {
    const bytes = noise(20_000);
    for (const size of [1_000, 4_096, 19_999, 20_000, 30_000]) {
      const id = `pieces-${size.toString()}`;
      const record = await store.put(artifactOf(streamOf(bytes, size), { id }));
      equalBytes(await bytesOf(open(), record), bytes, `pieces of ${size.toString()} bytes`);
    }
    const none = await store.put(artifactOf(streamOf(new Uint8Array(), 1), { id: "none" }));
    equal((await bytesOf(store, none)).length, 0, "the bytes of an empty stream");
  }),

  check("keeps a stream that reuses its memory", async ({ store }) => {
    const bytes = noise(100_000);
    async function* reusing() {
      const memory = new Uint8Array(1_000);
      for (let at = 0; at < bytes.length; at += memory.length) {
        memory.set(bytes.subarray(at, at + memory.length));
        yield await Promise.resolve(memory);
      }
    }
    const record = await store.put(artifactOf(reusing(), { id: "call_1" }));
    equalBytes(await bytesOf(store, record), bytes, "the bytes");
  }),

  check("content that differs in one byte has another hash", async ({ store }) => {
    const first = await store.put(artifactOf("content a", { id: "a" }));
    const second = await store.put(artifactOf("content b", { id: "b" }));
    const same = await store.put(artifactOf("content a", { id: "c", sessionId: "s2" }));
    equal([first.hash === second.hash, first.hash === same.hash], [false, true], "equal hashes");
  }),
];
