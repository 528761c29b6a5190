import type {
  ArtifactInput,
  Original,
  PlainWorkspace,
  PutOutcome,
  StoreOptions,
  Workspace,
} from "./workspace-types.js";
import type { ArtifactRecord } from "./artifacts/artifact.js";
import type { Content, Hash } from "../engine/format.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { EventDetails } from "./events.js";
import type { KnownContent } from "./artifacts/prepare-content.js";
import type { PreparedArtifact } from "./artifacts/prepare-artifact.js";
import type { ArtifactStore, SessionListing } from "./artifacts/artifact-store.js";
import type { ToolNaming } from "./reading/reading.js";
import { InvalidArgumentError } from "../errors/argument-errors.js";

/** The internal side of a workspace, for the offloader: it offers more than the public methods, and its reads are not logged. */
export interface WorkspaceCore {
  readonly toolNames: ToolNaming;
  /** The store, with what is around it. */
  readonly artifactStore: ArtifactStore;
  /** Maximum length of what one read returns. */
  readonly readChars: number;
  readonly countTokens: CountTokens;
  /** How artifacts are hashed here. */
  readonly hash: Hash;
  prepare(artifact: ArtifactInput, options: StoreOptions, known?: KnownContent): PreparedArtifact;
  /** Stores what was prepared, and logs it. */
  store(prepared: PreparedArtifact): Promise<PutOutcome>;
  listSession(sessionId: string): Promise<SessionListing>;
  original(record: ArtifactRecord, signal: AbortSignal | undefined): Promise<Original>;
  /** Logs something that was decided rather than done. */
  note(event: "skip" | "failure", verb: string, details: EventDetails): void;
}

/** A key of the global registry, so that two copies of the package can work together. */
const CORE = Symbol.for("context-offload.workspace");

/** Attaches the internal side to a workspace, for `coreOf` to find. */
export function attachCore(workspace: PlainWorkspace, core: WorkspaceCore): Workspace {
  return Object.defineProperty(workspace, CORE, { value: core }) as Workspace;
}

/** The internal side of a workspace; rejects anything that `createWorkspace` did not make. */
export function coreOf(workspace: unknown): WorkspaceCore {
  if (typeof workspace === "object" && workspace !== null && CORE in workspace) {
    return workspace[CORE] as WorkspaceCore;
  }
  throw new InvalidArgumentError("workspace", workspace, "what createWorkspace returned");
}

/** Content that can be put back into a message, which bytes cannot. */
export function isContent(original: Original): original is Content {
  return typeof original === "string" || !(Symbol.asyncIterator in original);
}
