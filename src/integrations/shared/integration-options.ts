import type { OptionNames } from "../../core/arguments.js";
import type { MediaRule } from "../../core/engine/format.js";
import type { Policy } from "../../core/engine/policy.js";
import type { CountTokens } from "../../core/lib/tokens/estimate-tokens.js";
import type { Offloader } from "../../core/offloader/offloader-types.js";
import type { Workspace } from "../../core/workspace/workspace-types.js";

/** What every drop-in takes. All of it is optional. */
export interface IntegrationOptions {
  /** The folder of a workspace with default options; created if it is missing. Default `".offload"`. */
  readonly root?: string | undefined;
  /** Your own workspace from `createWorkspace`, instead of `root`. */
  readonly workspace?: Workspace | undefined;
  /** Your own offloader, instead of everything else here: its workspace, session and policy are used. */
  readonly offloader?: Offloader | undefined;
  /** The session that the results belong to. Default: the framework's own, or a random one for each call of the factory. */
  readonly sessionId?: string | undefined;
  /** Gives this session access to what is offloaded here, too. */
  readonly parentSessionId?: string | undefined;
  /** Stored as metadata `agent_id`. */
  readonly agentId?: string | undefined;
  /** Stored as metadata `task_id`. */
  readonly taskId?: string | undefined;
  /** Which results to offload. Default: as in `createOffloader`. */
  readonly policy?: Policy | undefined;
  /** `"keep"` keeps images, audio and documents in the message when text is offloaded. Default `"keep"`. */
  readonly media?: MediaRule | undefined;
  /** With `"keep"`, the agent goes on with the whole result if it cannot be stored, and an event says why. Default `"keep"`. */
  readonly onError?: "throw" | "keep" | undefined;
  /** Counts tokens. Default: the workspace's own counter. */
  readonly countTokens?: CountTokens | undefined;
  /**
   * Tools whose arguments may be references: `offload:<artifact_id>`, or `offload:<artifact_id>#lines=10-40`,
   * is replaced by the stored text before the tool runs. Default: none.
   */
  readonly acceptReferences?: readonly string[] | undefined;
}

export const INTEGRATION_OPTIONS: OptionNames<IntegrationOptions> = {
  root: true,
  workspace: true,
  offloader: true,
  sessionId: true,
  parentSessionId: true,
  agentId: true,
  taskId: true,
  policy: true,
  media: true,
  onError: true,
  countTokens: true,
  acceptReferences: true,
};

/** For frameworks that let one choose what they save. */
export interface KeepOption {
  /** What the framework saves: the reference, or the original, of which the model gets the reference. Default `"reference"`. */
  readonly keep?: "reference" | "original" | undefined;
}
