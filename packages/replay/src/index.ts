export type {
  AssistantItem,
  ReplayCall,
  RecordedConversation,
  Item,
  ResultItem,
  UserItem,
} from "./conversation/conversation.js";
export {
  findSources,
  readSession,
  readSessionText,
  type RecordedSession,
  type Source,
} from "./conversation/read-session.js";
export { UnreadableHereError } from "./conversation/unreadable-here-error.js";
export type { FactOptions } from "./facts.js";
export { renderPicture } from "./picture.js";
export type { CachePrices } from "./prompt-cache.js";
export {
  LIVE_READ_BACKS,
  type PartSteps,
  type ReadBackBand,
  type ReaderKind,
  type ReaderName,
  type ReadSteps,
  type ReadStep,
} from "./reader.js";
export {
  addFigures,
  DEFAULT_SETTINGS,
  replayOptions,
  replaySession,
  replaySources,
  type ConversationFigures,
  type Figures,
  type Outcomes,
  type SessionReplay,
  type Settings,
  type SourceFigures,
  type SourcesRun,
} from "./replay-sources.js";
export { addOutcomes, replayConversation, type Outcome, type ReplayOptions } from "./replay.js";
export { createReport, renderReport, type Report, type SystemFigures } from "./report.js";
export { peersIn, type ImportPeer } from "./systems/import-peer.js";
export { bareReference, everything, oracle, ours, type OursOptions } from "./systems/ours.js";
export type { SystemSession, SessionStart, System } from "./systems/system.js";
export { DEFAULT_SYSTEMS, systemNamed } from "./systems/systems.js";
export { rememberCounts } from "./tokens.js";
