import type { Offloader, OffloaderSettings } from "../core/offloader/offloader-types.js";
import { wireOffloader } from "../core/offloader/offloader.js";
import { all } from "../core/policies/all.js";
import { keepErrors } from "../core/policies/keep-errors.js";
import { minTokens } from "../core/policies/min-tokens.js";
import { requireChoice, requireObject, requireStrings, requireText } from "../core/arguments.js";
import { requirePolicy } from "../core/policies/require-policy.js";
import { DEFAULTS } from "../core/defaults.js";
import { FORMATS } from "../formats/formats.js";
import { sha256 } from "../infrastructure/hash.js";

/** How an offloader is made. */
export type OffloaderOptions = OffloaderSettings;

/**
 * One object that keeps any agent's conversation short: hand it the history every turn.
 *
 * @example
 * const offloader = createOffloader({ workspace, sessionId: "s1" });
 * const { messages, report } = await offloader.offload(history);
 */
export function createOffloader(options: OffloaderOptions): Offloader {
  requireObject("options", options, "an object with workspace and sessionId");
  requireObject("workspace", options.workspace, "what createWorkspace returned");
  requireText("sessionId", options.sessionId, "it names whose results these are");
  requireChoice("media", options.media, ["keep", "offload"]);
  requireChoice("onError", options.onError, ["throw", "keep"]);
  if (options.policy !== undefined) requirePolicy("policy", options.policy);
  if (options.toolAliases !== undefined) requireStrings("toolAliases", options.toolAliases);
  requireFormat(options.format);
  const { countTokens = options.workspace.countTokens } = options;
  const policy = options.policy ?? all(minTokens(DEFAULTS.minTokens, countTokens), keepErrors);
  return wireOffloader({ ...options, policy, countTokens, dialects: FORMATS, hash: sha256 });
}

function requireFormat(format: unknown): void {
  const names = ["auto", ...FORMATS.map(({ name }) => name)];
  const { mismatch, read } = (format ?? {}) as { mismatch?: unknown; read?: unknown };
  if (typeof format === "object" && typeof mismatch === "function" && typeof read === "function")
    return;
  requireChoice("format", format, names);
}
