import type { ArtifactRecord, Workspace } from "context-offload";
import type { Terminal } from "./terminal/terminal.js";

const PAGE = 500;

/** All artifacts, in the order in which they were stored; of one session, or of all of them. */
export async function* eachArtifact(
  workspace: Workspace,
  { signal }: Pick<Terminal, "signal">,
  filter: Readonly<Record<string, string>> = {},
): AsyncGenerator<ArtifactRecord> {
  let cursor: string | undefined;
  do {
    const page = await workspace.queryArtifacts(filter, { limit: PAGE, cursor, signal });
    yield* page.artifacts;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** The metadata that an artifact must have, by the options of a command. */
export function filterOf(flags: {
  readonly session?: string | undefined;
  readonly tool?: string | undefined;
}): Record<string, string> {
  const { session, tool } = flags;
  return {
    ...(session === undefined ? {} : { session_id: session }),
    ...(tool === undefined ? {} : { tool_name: tool }),
  };
}
