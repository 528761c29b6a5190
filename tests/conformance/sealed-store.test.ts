import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { OpenStore } from "../../src/core/workspace/artifacts/artifact-store.js";
import { openMemory } from "../../src/core/workspace/artifacts/memory-store.js";
import { sha256 } from "../../src/infrastructure/hash.js";
import { fileStore } from "../../src/presets/stores.js";
import type { VerifyOptions } from "../../src/stores.js";
import { defineStoreTests } from "../../src/testing/index.js";
import { artifactOf } from "../../src/testing/store-context.js";
import { sealedStores } from "../support/sealed-stores.js";

const folder = mkdtempSync(join(tmpdir(), "context-offload-sealed-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const INNER: Record<string, OpenStore> = {
  memory: openMemory(sha256),
  files: fileStore(join(folder, "files")),
};

for (const [name, inner] of Object.entries(INNER)) {
  for (const [how, open] of Object.entries(sealedStores(inner))) {
    defineStoreTests(`${name}, ${how}`, { open }, { describe, it });
  }
}

it("a verification opens each content once, in parts as well, and none if lists alone are compared", async () => {
  const inner = fileStore(join(folder, "verified"))("n");
  const open = vi.spyOn(inner, "open");
  const store = sealedStores(() => inner)["encrypted"]?.("n");
  for (let at = 0; at < 10; at++) {
    await store?.put(artifactOf(`${at}`, { id: `call_${at}`, sessionId: `s${at % 3}` }));
  }
  const { location = "" } = (await inner.listSession("s1")).artifacts.get("call_4") ?? {};
  await writeFile(location, randomBytes((await readFile(location)).length));
  const verify = async (options: VerifyOptions) => {
    open.mockClear();
    const report = await store?.verify(options);
    return { opens: open.mock.calls.length, ...report };
  };
  const whole = await verify({});
  expect(whole).toMatchObject({ opens: 10, artifacts: 10, damaged: [{ artifactId: "call_4" }] });
  const parts = [await verify({ limit: 4 })];
  for (let after = parts[0]?.next; after !== undefined; after = parts.at(-1)?.next) {
    parts.push(await verify({ limit: 4, after }));
  }
  expect(parts.map(({ opens, artifacts }) => [opens, artifacts])).toEqual([
    [4, 4],
    [4, 4],
    [2, 2],
  ]);
  expect(parts.flatMap(({ damaged }) => damaged)).toEqual(whole.damaged);
  expect(await verify({ content: false })).toMatchObject({ opens: 0, artifacts: 10, damaged: [] });
  await expect(verify({ after: "somewhere" })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
