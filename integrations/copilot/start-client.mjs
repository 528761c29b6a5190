import { CopilotClient } from "@github/copilot-sdk";
import { startScriptedModel } from "../scripted-chat-model.mjs";

/**
 * Copilot's own runtime in a folder of its own, with a model on this machine.
 *
 * @param {string} folder
 * @param {Parameters<typeof startScriptedModel>[0]} script
 */
export async function startClient(folder, script) {
  const model = await startScriptedModel(script);
  const client = new CopilotClient({
    ...{ baseDirectory: folder, workingDirectory: folder },
    ...{ useLoggedInUser: false, logLevel: "none" },
  });
  const type = /** @type {const} */ ("openai");
  const about = {
    model: "scripted",
    provider: { type, baseUrl: model.url, apiKey: "none" },
  };
  return { client, about, requests: model.requests };
}
