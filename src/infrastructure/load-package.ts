import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PackageMissingError } from "../core/errors/storage-errors.js";

/**
 * Loads the first of these packages that is installed, beside this package or in the project of the
 * working directory.
 *
 * @throws PackageMissingError if none of them is.
 */
export async function loadPackage(
  ...names: readonly [string, ...string[]]
): Promise<Readonly<Record<string, unknown>>> {
  const failures: unknown[] = [];
  for (const name of names) {
    for (const find of [() => name, findInProject]) {
      try {
        // Not a literal, so that no bundler takes the package along.
        const specifier = await find(name);
        return (await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier)) as Readonly<
          Record<string, unknown>
        >;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  throw new PackageMissingError(names, failures[0]);
}

async function findInProject(name: string): Promise<string> {
  // Imported here: webpack would try to understand the call of one that is imported above.
  const { createRequire } = await import("node:module");
  const project = createRequire(join(process.cwd(), "package.json"));
  return pathToFileURL(project.resolve(name)).href;
}
