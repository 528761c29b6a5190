import { ContextOffloadError, DEFAULTS, type Workspace } from "context-offload";
import { InvalidArgumentError } from "context-offload/errors";
import { artifactUri } from "./artifact-uri.js";
import type { ToolboxTool } from "./toolbox-tool.js";

const NAME = "store_knowledge";
const text = { type: "string" };

/** The tool that stores a text, so that an agent can put aside what it will need later. */
export function createStoreTool(workspace: Workspace, boundTo: string | undefined): ToolboxTool {
  const properties = { text, name: text, ...(boundTo === undefined ? { session_id: text } : {}) };
  return {
    definition: {
      name: NAME,
      description:
        "Stores a text outside the conversation; answers with an artifact_id to read it by.",
      inputSchema: { type: "object", properties, required: ["text"] },
      outputSchema: {
        type: "object",
        properties: {
          artifact_id: text,
          session_id: text,
          uri: text,
          chars: { type: "integer" },
          lines: { type: "integer" },
        },
        required: ["artifact_id", "session_id", "uri", "chars", "lines"],
      },
      // The same text under the same name is stored once; nothing is ever overwritten.
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async run(input, signal) {
      try {
        const given = (input ?? {}) as Readonly<Record<string, unknown>>;
        const content = given["text"];
        if (typeof content !== "string")
          throw new InvalidArgumentError("text", content, "a string");
        const { record } = await workspace.put(
          {
            content,
            artifactId: optionalText("name", given["name"]),
            metadata: { context_type: "note", tool_name: NAME },
          },
          {
            sessionId:
              boundTo ?? optionalText("session_id", given["session_id"]) ?? DEFAULTS.session,
            signal,
          },
        );
        const { artifactId, sessionId, size } = record;
        const uri = artifactUri({ namespace: workspace.namespace, sessionId, artifactId });
        const said = `Stored as artifact_id ${JSON.stringify(artifactId)}, ${size.chars} characters.`;
        return {
          content: [
            { type: "text", text: said },
            { type: "resource_link", uri, name: artifactId },
          ],
          structuredContent: {
            artifact_id: artifactId,
            session_id: sessionId,
            ...{ uri, chars: size.chars, lines: size.lines },
          },
        };
      } catch (error) {
        if (!(error instanceof ContextOffloadError)) throw error;
        const said = `${error.code}: ${error.message}`;
        return { content: [{ type: "text", text: said }], isError: true };
      }
    },
  };
}

function optionalText(field: string, value: unknown): string | undefined {
  if (value === undefined || value === "") return undefined;
  if (typeof value === "string") return value;
  throw new InvalidArgumentError(field, value, "a string");
}
