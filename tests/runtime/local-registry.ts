import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackage, PACKAGES } from "../../scripts/packed-package.mjs";
import { runOrThrow } from "../../scripts/run-command.mjs";
import { serveFetch } from "../support/serve-fetch.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/**
 * A registry on this machine with our packages as they are packed, and what they depend on as it is installed here:
 * `npm` and `npx` install from it as they will once all is published.
 *
 * @param folder an existing one, for the tarballs
 */
export async function serveRegistry(folder: string) {
  const own = new Map<string, { manifest: Manifest; tarball: string }>();
  for (const directory of PACKAGES) {
    const manifest = await readManifest(join(ROOT, directory));
    own.set(manifest.name, { manifest, tarball: (await packPackage(folder, directory)).tarball });
  }
  let url = "";
  const server = await serveFetch(async (path) => {
    const [name = "", file] = decodeURIComponent((path as string).slice(1)).split("/-/");
    const known = own.get(name);
    if (file !== undefined) {
      const tarball = known?.tarball ?? (await packInstalled(name, file, folder));
      return new Response(await readFile(tarball));
    }
    const manifests = known ? [known.manifest] : await installedVersions(name);
    const versions = Object.fromEntries(
      manifests.map((manifest) => {
        const tarball = `${url}/${name}/-/${manifest.version}.tgz`;
        return [manifest.version, { ...manifest, dist: { tarball } }];
      }),
    );
    const latest = manifests[0]?.version;
    const status = latest === undefined ? 404 : 200;
    return Response.json({ name, "dist-tags": { latest }, versions }, { status });
  });
  ({ url } = server);
  return { url, close: server.close };
}

/** Where the lock file says that a package is installed, each version in a place of its own. */
async function placesOf(name: string): Promise<string[]> {
  const lock = await readFile(join(ROOT, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, unknown>> };
  const places = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
  return places.map((path) => join(ROOT, path)).filter((path) => existsSync(path));
}

async function installedVersions(name: string): Promise<Manifest[]> {
  return Promise.all((await placesOf(name)).map(readManifest));
}

async function packInstalled(name: string, file: string, folder: string): Promise<string> {
  for (const place of await placesOf(name)) {
    if (`${(await readManifest(place)).version}.tgz` !== file) continue;
    const tarball = join(folder, `${name.replace("/", "-")}-${file}`);
    await runOrThrow("tar", ["-czf", tarball, "--exclude=node_modules", "-C", place, "."]);
    return tarball;
  }
  throw new Error(`${name} ${file} is not installed here`);
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}
