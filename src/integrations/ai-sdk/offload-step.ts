import { aiSdkFormat } from "../../formats/ai-sdk.js";
import { connectSessions } from "../shared/connect-sessions.js";
import type { IntegrationOptions } from "../shared/integration-options.js";

/**
 * A `prepareStep` that offloads the results of the whole history, those of other turns and of tools
 * from elsewhere included. Pass an `offloader`, and give the model its `tools("ai-sdk")`.
 *
 * @example
 * await generateText({ model, tools, messages, prepareStep: offloadStep({ offloader }) });
 */
export function offloadStep(
  options: IntegrationOptions = {},
): <M>(step: { readonly messages: M[] }) => Promise<{ messages: M[] }> {
  const session = connectSessions(options)();
  return async ({ messages }) => ({
    messages: [...(await session.history(messages, aiSdkFormat))],
  });
}
