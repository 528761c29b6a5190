import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Loads a package to compare with, which is not installed with this one. */
export type ImportPeer = <Module>(name: string) => Promise<Module>;

/** @param folder - Where the peers are installed, or below that. */
export function peersIn(folder: string): ImportPeer {
  const { resolve: find } = createRequire(join(resolve(folder), "package.json"));
  return async (name) => {
    const path = pathOf(find, name, folder);
    return (await import(pathToFileURL(path).href)) as never;
  };
}

function pathOf(find: (name: string) => string, name: string, folder: string): string {
  try {
    return find(name);
  } catch (cause) {
    const message = `${name} is not installed in ${folder}; install it there to compare with it`;
    throw new Error(message, { cause });
  }
}
