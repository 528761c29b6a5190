import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createWorkspace, type Workspace, type WorkspaceEvent } from "context-offload";
import { makeTempFolder } from "./temp-folder.js";

/** What the story's tool returns: 200 kB, and one line that the model needs. */
export const LOG = makeLog();
export const NEEDED = "ERROR payment 7731 was declined: card expired";

/** Larger than any reference, smaller than the log. */
export const SHORT = 6_000;

function makeLog(): string {
  const lines = Array.from({ length: 3_000 }, (_, i) =>
    i === 2_345
      ? "2026-11-15T08:00:00Z ERROR payment 7731 was declined: card expired"
      : `2026-11-15T08:00:00Z INFO request ${i} took ${(i * 37) % 900} ms and was served`,
  );
  return lines.join("\n");
}

/** What the story asks its model. */
export const QUESTION = "Which payment was declined?";

/** What the scripted model of the story says in the end: the line that it needs, if it has read it. */
export function answerFrom(read: string | undefined): string {
  return /ERROR payment[\w :*]*/.exec(read ?? "")?.[0] ?? "Nothing found.";
}

/** The call with which the scripted model of the story looks for the line. */
export const SEARCH = { name: "read_stored", input: { pattern: "ERROR" } } as const;

/** A workspace in a new folder, and what it reported. */
export async function storyWorkspace(): Promise<{
  workspace: Workspace;
  events: WorkspaceEvent[];
}> {
  const events: WorkspaceEvent[] = [];
  const root = await makeTempFolder();
  return { workspace: createWorkspace({ root, logger: (event) => events.push(event) }), events };
}

/** A workspace in which nothing can be stored: where its folder should be, there is a file. */
export async function brokenWorkspace(): Promise<{
  workspace: Workspace;
  events: WorkspaceEvent[];
}> {
  const events: WorkspaceEvent[] = [];
  const root = join(await makeTempFolder(), "not-a-folder");
  await writeFile(root, "");
  return { workspace: createWorkspace({ root, logger: (event) => events.push(event) }), events };
}
