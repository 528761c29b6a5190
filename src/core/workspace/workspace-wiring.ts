import type { Hash } from "../hash.js";
import type { CountTokens } from "../tokens.js";
import type { ArtifactStore } from "./artifact-store.js";
import type { Clock, EventLogger } from "./events.js";
import type { SearchText } from "./grep-knowledge.js";
import type { NoticeOptions } from "./knowledge-list.js";

/** The parts that make a workspace. */
export interface WorkspaceWiring {
  readonly namespace: string;
  readonly store: ArtifactStore;
  readonly searchText: SearchText;
  readonly closeSearch: () => Promise<void>;
  readonly hash: Hash;
  readonly clock: Clock;
  readonly countTokens: CountTokens;
  readonly digestChars: number;
  readonly notice: NoticeOptions;
  readonly logger: EventLogger | undefined;
}
