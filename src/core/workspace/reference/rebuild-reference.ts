import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { createDraft } from "../artifacts/draft.js";
import { READING_TOOL_CHOICES, type Scope } from "../reading/reading.js";
import { coreOf, isContent } from "../workspace-core.js";
import type { Workspace } from "../workspace-types.js";

/** A reference that was made again. */
export interface RebuiltReference {
  readonly text: string;
  readonly tokens: number;
}

/** Options of `rebuildReference`. */
export interface RebuildOptions extends Scope {
  /** How many tokens the reference had, as the ledger says: of several forms, the nearest is returned. */
  readonly referenceTokens?: number | undefined;
}

/**
 * The reference of a stored result, made again; nothing is stored. References are not kept: the one in
 * the conversation may quote other lines, since its digest also depends on the messages before it.
 *
 * @example
 * const { text } = await rebuildReference(workspace, "toolu_01");
 */
export async function rebuildReference(
  workspace: Workspace,
  artifactId: string,
  options: RebuildOptions = {},
): Promise<RebuiltReference> {
  const { drafting, countTokens } = coreOf(workspace);
  const { referenceTokens, ...scope } = options;
  const { sessionId, metadata } = await workspace.getArtifact(artifactId, scope);
  const content = await workspace.getOriginal(artifactId, scope);
  if (!isContent(content)) {
    throw new InvalidArgumentError("artifactId", artifactId, "a result that fits into a string");
  }
  const toolCallId = metadata.biz_id ?? undefined;
  const rebuild = (isShort: boolean, notice: typeof drafting.notice): RebuiltReference => {
    const wiring = { ...drafting, notice };
    const draft = createDraft(
      wiring,
      { artifactId, content, metadata },
      { sessionId, toolCallId, isShort },
    );
    return { text: draft.reference, tokens: countTokens(draft.reference) };
  };
  const { notice } = drafting;
  const usual = rebuild(false, notice);
  if (referenceTokens === undefined || usual.tokens === referenceTokens) return usual;
  // An offloader has reading tools of its own choice, and gives what is stale no digest.
  const others = READING_TOOL_CHOICES.flatMap((readingTools) =>
    [true, false].map((isShort) => rebuild(isShort, { ...notice, readingTools })),
  );
  const distance = ({ tokens }: RebuiltReference): number => Math.abs(tokens - referenceTokens);
  return others.reduce((best, one) => (distance(one) < distance(best) ? one : best), usual);
}
