import {
  rejectMisspelled,
  requireCount,
  requireObject,
  requireOptions,
  requireText,
  type OptionNames,
} from "../../arguments.js";
import type { Scope } from "../reading/reading.js";
import { coreOf } from "../workspace-core.js";
import type { Workspace } from "../workspace-types.js";
import { eventOf, type ProviderUsage } from "./ledger.js";
import { reportLedger, type LedgerReport } from "./ledger-report.js";

/**
 * What offloading brought: in one session, or in all of them. What other processes noted may be missing
 * for some seconds.
 *
 * @example
 * const { total } = await readLedger(workspace);
 * console.log(`${total.net} tokens of input saved in ${total.requests} requests`);
 */
export async function readLedger(
  workspace: Workspace,
  options?: Pick<Scope, "sessionId" | "signal">,
): Promise<LedgerReport> {
  const { ledger } = coreOf(workspace);
  const { sessionId, signal } = requireOptions(options);
  if (sessionId !== undefined) requireText("sessionId", sessionId, "a session");
  signal?.throwIfAborted();
  return reportLedger((await ledger?.sums(sessionId, signal)) ?? new Map());
}

/** A read that did not go through our tools. */
export interface NotedRead {
  /** The result that was read; absent if it was a search over several. */
  readonly artifactId?: string | undefined;
  readonly tokens: number;
}

/**
 * Notes that a result was read in another way than by our tools, such as by the path of its file.
 *
 * @example
 * noteRead(workspace, "s1", { artifactId: "toolu_01", tokens: estimateTokens(text) });
 */
export function noteRead(workspace: Workspace, sessionId: string, read: NotedRead): void {
  const core = coreOf(workspace);
  requireText("sessionId", sessionId, "the session that holds the result");
  requireObject("read", read, "an object with tokens");
  rejectMisspelled(read, READ_NAMES);
  const { artifactId, tokens } = read;
  if (artifactId !== undefined) requireText("read.artifactId", artifactId, "the result's id");
  requireCount("read.tokens", tokens, undefined, 0);
  const flow = core.ledger?.read(sessionId, artifactId, tokens);
  if (!flow) return;
  const known = { session_id: sessionId, artifact_id: artifactId ?? null };
  core.note("arrival", "read", { ...known, ...eventOf(flow) });
}

const READ_NAMES: OptionNames<NotedRead> = { artifactId: true, tokens: true };

const USAGE_NAMES: OptionNames<ProviderUsage> = {
  inputTokens: true,
  cacheReadTokens: true,
  cacheWriteTokens: true,
  outputTokens: true,
};

/**
 * Notes what a provider said that one request took. It stands beside our own estimates and is never mixed
 * with them.
 *
 * @example
 * noteUsage(workspace, "s1", { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens });
 */
export function noteUsage(workspace: Workspace, sessionId: string, usage: ProviderUsage): void {
  const { ledger } = coreOf(workspace);
  requireText("sessionId", sessionId, "the session that made the request");
  requireObject("usage", usage, "an object with inputTokens, outputTokens or both");
  rejectMisspelled(usage, USAGE_NAMES);
  for (const [name, tokens] of Object.entries(usage) as [string, number | undefined][]) {
    if (tokens !== undefined) requireCount(`usage.${name}`, tokens, undefined, 0);
  }
  ledger?.usage(sessionId, usage);
}
