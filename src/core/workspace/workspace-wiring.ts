import type { Hash } from "../engine/format.js";
import type { CountTokens } from "../lib/tokens/estimate-tokens.js";
import type { ArtifactStore } from "./artifacts/artifact-store.js";
import type { Defer, Retention } from "./artifacts/retention.js";
import type { Redact } from "./artifacts/redaction.js";
import type { Clock, EventLogger } from "./events.js";
import type { SearchText } from "./reading/grep-knowledge.js";
import type { NoticeOptions } from "./reference/knowledge-list.js";

/** The parts of a workspace. */
export interface WorkspaceWiring {
  readonly namespace: string;
  readonly store: ArtifactStore;
  readonly searchText: SearchText;
  readonly closeSearch: () => Promise<void>;
  readonly hash: Hash;
  /** Called for every text before anything of it is stored. */
  readonly redact?: Redact | undefined;
  /** What is kept; everything, if it is not given. */
  readonly retention?: Retention | undefined;
  /** Needed for retention and for the ledger. */
  readonly defer?: Defer | undefined;
  readonly clock: Clock;
  readonly countTokens: CountTokens;
  readonly digestChars: number;
  /** Maximum number of characters that one read returns. */
  readonly readChars: number;
  readonly notice: NoticeOptions;
  /** Opens the store of the ledger; without it, none is kept. */
  readonly openLedger?: (() => ArtifactStore) | undefined;
  /** Whether the folder of the workspace was there and has been removed: the ledger alone does not bring it back. */
  readonly isRemoved?: (() => boolean) | undefined;
  readonly logger: EventLogger | undefined;
}
