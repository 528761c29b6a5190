import type { SessionListing } from "../../core/workspace/artifacts/artifact-store.js";
import { hasCode } from "../error-code.js";
import { deleteFile, lookAt, renameFile } from "./file-calls.js";
import { holdsContent, temporaryIn } from "./incoming-content.js";

/**
 * Deletes files of a session that no artifact claims. Another process may be about to list one: so
 * they are set aside first and looked up after, and who lists a file looks after that whether it is
 * still there. One of the two sees the other.
 *
 * @returns The paths that were deleted.
 */
export async function discardUnlisted(
  paths: readonly string[],
  list: () => Promise<SessionListing>,
): Promise<readonly string[]> {
  const aside = new Map<string, string>();
  try {
    for (const path of paths) await setAside(path, aside);
    if (aside.size > 0) await putBackListed(aside, (await list()).artifacts);
  } catch (error) {
    for (const [path, name] of aside) await putBackIfFree(path, name).catch(() => undefined);
    throw error;
  }
  for (const name of aside.values()) await deleteFile(name);
  return [...aside.keys()];
}

async function setAside(path: string, aside: Map<string, string>): Promise<void> {
  const name = temporaryIn(path);
  try {
    await renameFile(path, name);
    aside.set(path, name);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

async function putBackListed(
  aside: Map<string, string>,
  artifacts: SessionListing["artifacts"],
): Promise<void> {
  for (const { location, size, hash } of artifacts.values()) {
    const name = aside.get(location);
    if (name === undefined) continue;
    // Only what the artifact should hold goes back: its own file may have the name by now.
    const isIts = await holdsContent(name, { bytes: size.bytes, hash: () => hash });
    await (isIts ? renameFile(name, location) : deleteFile(name));
    aside.delete(location);
  }
}

async function putBackIfFree(path: string, name: string): Promise<void> {
  if (!(await lookAt(path))) await renameFile(name, path);
}
