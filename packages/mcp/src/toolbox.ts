import type { OffloadInfoPage, Reading, SessionReading, Workspace } from "context-offload";
import { createStoreTool } from "./store-tool.js";
import { outputSchemaOf, structureReading } from "./structured-reading.js";
import type { Json, ToolboxTool } from "./toolbox-tool.js";

/** Tools over a workspace in the shapes of MCP. */
export interface Toolbox {
  /** As `tools/list` shows them. */
  readonly tools: readonly Json[];
  has(name: string): boolean;
  /** The result of a `tools/call`. A call that is wrong is answered with an error for the model. */
  call(name: string, input: unknown, signal?: AbortSignal): Promise<Json>;
}

export interface ToolboxOptions {
  /** Limits the tools to this session. Default: all sessions. */
  readonly sessionId?: string | undefined;
  /**
   * Whether answers carry structured content as well. Hosts that pass on both double the length of
   * an answer. Default false.
   */
  readonly isStructured?: boolean | undefined;
  /** Whether there is a tool that stores text. Default false. */
  readonly canStore?: boolean | undefined;
}

const READS_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The reading tools of a workspace, and on request the one that stores. */
export function createToolbox(workspace: Workspace, options: ToolboxOptions = {}): Toolbox {
  const { sessionId, isStructured = false, canStore = false } = options;
  const reading = workspace.tools({ sessionId }).map((tool): ToolboxTool => {
    const { name, description, inputSchema } = tool;
    const outputSchema = outputSchemaOf(name);
    return {
      definition: {
        ...{ name, description, inputSchema, annotations: READS_ONLY },
        ...(isStructured ? { outputSchema } : {}),
      },
      async run(input, signal) {
        const answer = await tool.execute(input ?? {}, {
          withData: isStructured,
          ...(signal ? { signal } : {}),
        });
        const content = [{ type: "text", text: answer.text }];
        if (answer.isError) return { content, isError: true };
        const data = answer.data as Reading | SessionReading | OffloadInfoPage;
        return isStructured ? { content, structuredContent: structureReading(data) } : { content };
      },
    };
  });
  const all = canStore ? [...reading, createStoreTool(workspace, sessionId)] : reading;
  const byName = new Map(all.map((tool) => [tool.definition.name, tool]));
  return {
    tools: all.map(({ definition }) => definition),
    has: (name) => byName.has(name),
    async call(name, input, signal) {
      const tool = byName.get(name);
      if (tool) return tool.run(input, signal);
      const text = `There is no tool "${name}". The tools are: ${[...byName.keys()].join(", ")}.`;
      return { content: [{ type: "text", text }], isError: true };
    },
  };
}
