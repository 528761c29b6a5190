import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Every path below the folder, hidden ones too, sorted; folders end with a slash. */
export async function listTree(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) paths.push(entry.name);
    else {
      const below = await listTree(join(folder, entry.name));
      paths.push(`${entry.name}/`, ...below.map((path) => `${entry.name}/${path}`));
    }
  }
  return paths.sort();
}

/** The bytes of every file below the folder, by its path. */
export async function readTree(folder: string): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const path of await listTree(folder)) {
    if ((await lstat(join(folder, path))).isFile()) {
      contents.set(path, await readFile(join(folder, path), "latin1"));
    }
  }
  return contents;
}
