import { expect, it } from "vitest";
import { memoryContent } from "../../../src/core/workspace/artifacts/artifact-store.js";
import type { ArtifactRecord } from "../../../src/index.js";
import { checkedBytes, checkedContent } from "../../../src/infrastructure/checked-content.js";
import { sha256 } from "../../../src/infrastructure/hash.js";

const BYTES = Buffer.from("the content as it was stored");
const RECORD = {
  artifactId: "a",
  hash: sha256(BYTES),
  size: { bytes: BYTES.length },
} as ArtifactRecord;
const DAMAGED = Buffer.from(BYTES).fill("X", 5, 6);

function open(bytes: Uint8Array, isIntact: boolean) {
  return checkedContent(RECORD, memoryContent(bytes), { isIntact, onIntact: () => undefined });
}

it("is compared as it was read, in pieces that may overlap", async () => {
  for (const bytes of [BYTES, DAMAGED]) {
    const content = open(bytes, false);
    await content.read(0, 9);
    await content.read(4, 20);
    await content.read(20, 100);
    const check = content.check?.() ?? Promise.reject(new Error("it cannot be checked"));
    if (bytes === BYTES) await check;
    else await expect(check).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
  }
});

it("that was intact before is read again only by its reader, and compared then", async () => {
  const content = open(DAMAGED, true);
  await content.check?.();
  await content.read(0, DAMAGED.length);
  await expect(content.check?.()).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
});

it("in memory is compared as a whole, also if a part was read, and has the size of its record", async () => {
  await checkedBytes(RECORD, BYTES).check?.();
  const damaged = checkedBytes(RECORD, DAMAGED);
  await damaged.read(10, 20);
  expect(damaged.bytesRead).toBe(10);
  await expect(damaged.check?.()).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
  expect(() => checkedBytes(RECORD, BYTES.subarray(1))).toThrow(/27 bytes instead of 28/);
});
