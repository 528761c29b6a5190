import { createHash } from "node:crypto";
import { createOffloader, DEFAULTS, estimateTokens, type Workspace } from "context-offload";
import { all, keepErrors, minTokens } from "context-offload/policies";
import { artifactUri } from "../artifact-uri.js";
import { fitSchema } from "./fit-schema.js";
import type { OffloadConfig, ToolPolicy } from "./gateway-config.js";
import { asList, asParams, type Params } from "./json-rpc.js";

/** One answer of a tool, and what is known of the call. */
export interface ToolAnswered {
  readonly toolName: string;
  readonly input: unknown;
  readonly result: Params;
  /** The tool's output schema, if it has one. */
  readonly outputSchema: Params | undefined;
  readonly policies: readonly (OffloadConfig | undefined)[];
}

/** Where answers are stored, and how the client may be answered. */
export interface AnswerOptions {
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly isOff: () => Promise<boolean>;
  /** Whether the client's protocol knows `resource_link`. */
  readonly hasLinks: boolean;
}

/** A quick look at an answer counts too few tokens by no more than this factor. */
const LOOK_MARGIN = 1.25;
/** A longer text is not looked at: it is large by any count. */
const LOOK_CHARS = 20_000;
/** What must be saved for a shortened answer to be worth it. */
const MOST_KEPT_SHARE = 1 - DEFAULTS.minSavedShare;

/** The answer as the client gets it: itself, or a reference to it once it is stored. */
export async function offloadAnswer(
  answered: ToolAnswered,
  options: AnswerOptions,
): Promise<Params> {
  const { toolName, input, result } = answered;
  const policy = policyOf(answered);
  const threshold = policy.minTokens ?? DEFAULTS.offloaderMinTokens;
  if (policy.offload === false || !Array.isArray(result["content"])) return result;
  if (isSmall(result, threshold) || (await options.isOff())) return result;
  const { workspace, sessionId } = options;
  const offloader = createOffloader({
    ...{ workspace, sessionId, format: "mcp", onError: "keep" },
    policy: all(minTokens(threshold), keepErrors),
  });
  // The id says what it is and never differs for the same answer, so that prompt caches keep it.
  const id = `${toolName}-${hashOf(result)}`;
  const { messages, report } = await offloader.offload([
    { jsonrpc: "2.0", id, method: "tools/call", params: { name: toolName, arguments: input } },
    { jsonrpc: "2.0", id, result },
  ]);
  const [row] = report.results;
  if (row?.artifactId === undefined || row.reference === undefined) return result;
  const { artifactId, reference } = row;
  const shortened = asParams(asParams(messages[1])["result"]);
  const address = { namespace: workspace.namespace, sessionId, artifactId };
  const content = withLink(asList(shortened["content"]), options, address);
  const { outputSchema: schema } = answered;
  const structured = result["structuredContent"];
  if (!schema || structured === undefined) return { ...shortened, content };
  const short = `[Stored: artifact_id ${JSON.stringify(artifactId)}]`;
  const fitted = fitSchema(asParams(structured), schema, reference, short);
  const answer = fitted && { ...shortened, content, structuredContent: fitted };
  const isWorthIt = answer && countChars(answer) <= countChars(result) * MOST_KEPT_SHARE;
  return isWorthIt
    ? answer
    : { ...result, content: withNote(asList(result["content"]), artifactId) };
}

/** The last policy that says something wins: file, tool in the file, server, tool of the server. */
function policyOf({ policies, toolName }: ToolAnswered): ToolPolicy {
  const found: ToolPolicy = {};
  for (const policy of policies) {
    const { tools, ...own } = policy ?? {};
    Object.assign(found, own, Object.hasOwn(tools ?? {}, toolName) ? tools?.[toolName] : {});
  }
  return found;
}

function withLink(
  blocks: readonly unknown[],
  { hasLinks }: AnswerOptions,
  address: Parameters<typeof artifactUri>[0],
): readonly unknown[] {
  if (!hasLinks) return blocks;
  const [reference, ...kept] = blocks;
  const link = { type: "resource_link", uri: artifactUri(address), name: address.artifactId };
  return [reference, link, ...kept];
}

function withNote(blocks: readonly unknown[], artifactId: string): readonly unknown[] {
  const text =
    `[This answer is whole, because the tool's output schema allows nothing shorter. It is also stored as ` +
    `artifact_id ${JSON.stringify(artifactId)}.]`;
  return [...blocks, { type: "text", text }];
}

/** Whether the policy keeps an answer for sure, so that the engine need not look at it. */
function isSmall(result: Params, threshold: number): boolean {
  if (countChars(result) > LOOK_CHARS) return false;
  const { content, structuredContent } = result;
  const tokens = estimateTokens(JSON.stringify([content, structuredContent]));
  return tokens * LOOK_MARGIN < threshold;
}

function countChars({ content, structuredContent }: Params): number {
  let chars = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  for (const block of asList(content)) {
    const { text, resource } = asParams(block);
    for (const part of [text, asParams(resource)["text"]]) {
      if (typeof part === "string") chars += part.length;
    }
  }
  return chars;
}

function hashOf(result: Params): string {
  return createHash("sha256").update(JSON.stringify(result)).digest("hex").slice(0, 8);
}
