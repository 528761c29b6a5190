import { aiSdkFormat } from "../../formats/ai-sdk.js";
import { connectSessions } from "../shared/connect-sessions.js";
import type { IntegrationOptions } from "../shared/integration-options.js";
import { readingTools, type ReadingTools } from "./reading-tools.js";

/** A `prepareStep`, and the tools that read what it offloads. */
export interface OffloadStep {
  <M>(step: { readonly messages: M[] }): Promise<{ messages: M[] }>;
  readonly tools: ReadingTools;
}

/**
 * A `prepareStep` that offloads the results of the whole history, those of other turns and of tools
 * from elsewhere included. It cannot add tools: give the model its `tools` too.
 *
 * @example
 * const prepareStep = offloadStep({ sessionId: chatId });
 * await generateText({ model, tools: { ...tools, ...prepareStep.tools }, messages, prepareStep });
 */
export function offloadStep(options: IntegrationOptions = {}): OffloadStep {
  const session = connectSessions(options)();
  const prepareStep = async <M>({ messages }: { readonly messages: M[] }) => ({
    messages: [...(await session.history(messages, aiSdkFormat))],
  });
  return Object.assign(prepareStep, { tools: readingTools(session) });
}
