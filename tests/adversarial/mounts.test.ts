import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { mountOddDisk } from "../support/odd-disk.js";
import { mountSmallDisk } from "../support/small-disk.js";
import { makeTempFolder } from "../support/temp-folder.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What touches files, but for what a mount lacks by its nature. */
const SUITE = [
  "tests/integration/store",
  "tests/integration/workspace",
  "tests/integration/offloader",
  "tests/integration/content-exactness.test.ts",
  "tests/integration/direct.test.ts",
  "tests/integration/history.test.ts",
  "tests/integration/running-twice.test.ts",
  "tests/faults/name-in-the-way.test.ts",
  "tests/faults/store-kill.test.ts",
];

interface Disk {
  readonly folder: string;
  readonly whyNot?: string;
  /** What to start the suite with, where only a process of its own sees the mount. */
  readonly prefix?: readonly string[];
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: {
    readonly assertionResults: { readonly fullName: string; readonly status: string }[];
  }[];
}

async function smallTmpfs(): Promise<Disk> {
  const folder = join(await makeTempFolder(), "disk");
  await mkdir(folder);
  const { whyNot } = await mountSmallDisk(folder, "64m");
  if (whyNot === undefined) return { folder };
  // Without root's rights a mount can be had in a namespace of one's own.
  const script = 'mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@"';
  const prefix = ["unshare", "-rm", "sh", "-c", script, folder];
  const tried = await runCommand("unshare", [...prefix.slice(1), "true"]).catch(String);
  if (typeof tried !== "string" && tried.code === 0) return { folder, prefix };
  return { folder, whyNot: typeof tried === "string" ? tried : tried.stderr.trim() };
}

it.each<[string, () => Promise<Disk>, string[]]>([
  ["a small tmpfs", smallTmpfs, []],
  ["a disk without hard links", () => mountOddDisk("no-links"), []],
  ["a disk that ignores case", () => mountOddDisk("no-case"), []],
])(
  "the tests of files and stores pass on %s",
  async (name, mount, left) => {
    const { folder, whyNot, prefix = [] } = await mount();
    if (whyNot !== undefined) {
      console.warn(`not run on ${name}: it could not be mounted here: ${whyNot}`);
      return;
    }
    const file = join(await makeTempFolder(), "report.json");
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const run = [process.execPath, vitest, "run", "--project", "integration", ...SUITE];
    const report = ["--reporter=json", `--outputFile=${file}`];
    const exclude = left.map((path) => `--exclude=${path}`);
    const [command = "", ...args] = [...prefix, ...run, ...report, ...exclude];
    const env = { ...process.env, TMPDIR: folder, CONTEXT_OFFLOAD_IS_BUILT: "true" };
    const { code, stderr } = await runCommand(command, args, { cwd: ROOT, env });
    const { numPassedTests, testResults } = JSON.parse(await readFile(file, "utf8")) as Report;
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "failed");
    expect(failed.map(({ fullName }) => fullName)).toEqual([]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(numPassedTests).toBeGreaterThan(100);
    console.info(`${numPassedTests} tests passed on ${name}`);
  },
  900_000,
);
