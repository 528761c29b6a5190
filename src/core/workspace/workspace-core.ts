import type { Original, PlainWorkspace, Workspace } from "./workspace-types.js";
import type { ArtifactRecord } from "./artifacts/artifact.js";
import type { Content, Hash } from "../engine/format.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { EventDetails } from "./events.js";
import type { Draft, DraftWiring, StoredDraft } from "./artifacts/draft.js";
import type { ArtifactStore, SessionListing } from "./artifacts/artifact-store.js";
import type { Ledger } from "./ledger/ledger.js";
import type { ToolNaming } from "./reading/reading.js";
import { InvalidArgumentError, VersionMismatchError } from "../errors/argument-errors.js";

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
  /** Under which id a call or a session is stored; absent if under its own. */
  readonly storedId: ((id: string) => string) | undefined;
  /** What drafts are made with here. */
  readonly drafting: DraftWiring;
  /** Stores a draft, and logs it. */
  store(draft: Draft): Promise<StoredDraft>;
  /** Where it is noted what offloading brings; absent if no ledger is kept. */
  readonly ledger: Ledger | undefined;
  listSession(sessionId: string): Promise<SessionListing>;
  /**
   * Renews artifacts of a session that are handed out again, so that retention does not take them for old.
   *
   * @returns Whether all of them are still there; one may have been removed since the session was listed.
   */
  renew(session: SessionListing, artifactIds: Iterable<string>): Promise<boolean>;
  original(record: ArtifactRecord, signal: AbortSignal | undefined): Promise<Original>;
  /** Logs something that was decided rather than done. */
  note(
    event: "skip" | "step" | "request" | "arrival" | "failure",
    verb: string,
    details: EventDetails,
  ): void;
}

/** Keys of the global registry, so that two copies of the package can work together. */
const KEY = "context-offload.workspace";

/** Raised with every change of `WorkspaceCore`: copies with different insides must not use each other's. */
const LAYOUT = 5;
const CORE = Symbol.for(`${KEY}/${LAYOUT}`);

/** Attaches the internal side to a workspace, for `coreOf` to find. */
export function attachCore(workspace: PlainWorkspace, core: WorkspaceCore): Workspace {
  return Object.defineProperty(workspace, CORE, { value: core }) as Workspace;
}

/** The internal side of a workspace; rejects anything that `createWorkspace` of this layout did not make. */
export function coreOf(workspace: unknown): WorkspaceCore {
  if (typeof workspace === "object" && workspace !== null) {
    if (CORE in workspace) return workspace[CORE] as WorkspaceCore;
    const isOther = Object.getOwnPropertySymbols(workspace).some((symbol) =>
      symbol.description?.startsWith(KEY),
    );
    if (isOther) throw new VersionMismatchError();
  }
  throw new InvalidArgumentError("workspace", workspace, "what createWorkspace returned");
}

/** Content that can be put back into a message, which bytes cannot. */
export function isContent(original: Original): original is Content {
  return typeof original === "string" || !(Symbol.asyncIterator in original);
}
