import {
  createWorkspace,
  type ArtifactInput,
  type PutOptions,
  type Workspace,
  type WorkspaceOptions,
} from "../../../src/index.js";
import { makeTempFolder } from "../../support/temp-folder.js";

/** A workspace in a folder of its own, removed when the test ends. */
export async function openWorkspace(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  return createWorkspace({ root: await makeTempFolder(), ...options });
}

/** A workspace that holds this content as the artifact "a". */
export async function workspaceOf(
  content: ArtifactInput["content"],
  options: Partial<PutOptions & WorkspaceOptions> = {},
): Promise<Workspace> {
  const { sessionId = "default", parentSessionId, ...rest } = options;
  const workspace = await openWorkspace(rest);
  await workspace.put({ content }, { toolCallId: "a", sessionId, parentSessionId });
  return workspace;
}
