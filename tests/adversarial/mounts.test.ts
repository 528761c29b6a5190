import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { mountOddDisk } from "../support/odd-disk.js";
import { mountSmallDisk } from "../support/small-disk.js";
import { makeTempFolder } from "../support/temp-folder.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** What touches files in every way that a store does. */
const SUITE = [
  ...["links", "manifest", "on-disk", "verify"].map(
    (name) => `tests/integration/store/${name}.test`,
  ),
  "tests/integration/workspace/",
  ...["content-exactness", "direct", "history"].map((name) => `tests/integration/${name}.test`),
];

/** What a small disk cannot hold. */
const LARGE = "50,000,000 characters";
/** Writes to a file that is open but deleted, which FUSE refuses; and which of two refusals comes first. */
const NOT_IN_FUSE = ["deleted is begun anew", "session deleted beneath", "folder that is a link"];

interface Disk {
  readonly folder: string;
  readonly whyNot?: string;
  /** What to start the suite with, where only a process of its own sees the mount. */
  readonly prefix?: readonly string[];
}

interface Report {
  readonly numPassedTests: number;
  readonly testResults: {
    readonly assertionResults: {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
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

it.for<[string, () => Promise<Disk>, readonly string[]]>([
  ["a small tmpfs", smallTmpfs, [LARGE]],
  ["a disk without hard links", () => mountOddDisk("no-links"), [LARGE, ...NOT_IN_FUSE]],
  ["a disk that ignores case", () => mountOddDisk("no-case"), [LARGE, ...NOT_IN_FUSE]],
])(
  "the tests of files and stores pass on %s",
  { timeout: 600_000 },
  async ([name, mount, leftOut], context) => {
    const { folder, whyNot, prefix }: Disk = await mount();
    if (whyNot !== undefined) {
      console.warn(`not run on ${name}: it could not be mounted here: ${whyNot}`);
      context.skip(whyNot);
    }
    const file = join(await makeTempFolder(), "report.json");
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const run = [process.execPath, vitest, "run", "--project", "integration", ...SUITE];
    const report = ["--reporter=json", `--outputFile=${file}`];
    const names = `--testNamePattern=^(?!.*(?:${leftOut.join("|")})).*`;
    const all: readonly string[] = [...(prefix ?? []), ...run, ...report, names];
    const env = { ...process.env, TMPDIR: folder, CONTEXT_OFFLOAD_IS_BUILT: "true" };
    const { code, stderr } = await runCommand(all[0] ?? "", all.slice(1), { cwd: ROOT, env });
    const { numPassedTests, testResults } = JSON.parse(await readFile(file, "utf8")) as Report;
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "failed");
    expect(failed.map(({ fullName, failureMessages }) => [fullName, ...failureMessages])).toEqual(
      [],
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(numPassedTests).toBeGreaterThan(100);
    console.info(`${numPassedTests} tests passed on ${name}`);
  },
);
