import { requireObject, requireText } from "../core/arguments.js";
import { sumsOf } from "../core/workspace/ledger/ledger.js";
import { reportLedger, type LedgerReport } from "../core/workspace/ledger/ledger-report.js";
import { FileStore } from "../infrastructure/files/file-store.js";

/** After the name of a namespace: that of its ledger, a namespace of its own. */
export const LEDGER = ".ledger";

/** Which ledger of a folder is read. */
export interface LedgerFilesOptions {
  /** The folder of the workspace. */
  readonly root: string;
  /** Default `"default"`. */
  readonly namespace?: string | undefined;
  /** Only these sessions. Default: all. */
  readonly sessions?: readonly string[] | undefined;
}

/**
 * The same as `readLedger`, for a workspace on plain files that need not be opened: it loads little and
 * starts at once. A ledger that is encrypted or redacted is read with `readLedger`.
 *
 * @example
 * const { total } = await readLedgerFiles({ root: ".offload", sessions: ["s1"] });
 */
export async function readLedgerFiles(options: LedgerFilesOptions): Promise<LedgerReport> {
  requireObject("options", options, "an object with root");
  const { root, namespace = "default", sessions } = options;
  requireText("root", root, "the folder of the workspace");
  return reportLedger(await sumsOf(new FileStore(root, namespace + LEDGER), sessions));
}
