/** What offloading brought, and what providers said that it took. */
export type {
  LedgerFigures,
  LedgerReport,
  ResultFigures,
  SessionFigures,
  Span,
  ToolFigures,
} from "./core/workspace/ledger/ledger-report.js";
export type { ProviderUsage, TokenFlow, UsageSums } from "./core/workspace/ledger/ledger.js";
export {
  noteRead,
  noteUsage,
  readLedger,
  type NotedRead,
} from "./core/workspace/ledger/read-ledger.js";
export type { LineRange } from "./core/workspace/ledger/line-ranges.js";
export {
  rebuildReference,
  type RebuildOptions,
  type RebuiltReference,
} from "./core/workspace/reference/rebuild-reference.js";
