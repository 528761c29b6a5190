import { TOOL_NAMES, type ToolName } from "../reading/reading.js";

/** The agent's own names for the reading tools; `false` for one that it does not have. Default: the tools' own names. */
export type ToolNaming = Partial<Record<ToolName, string | false>>;

/** The tools that the agent has, under its own names for them. */
export function nameTools(
  naming: ToolNaming,
): { readonly tool: ToolName; readonly name: string }[] {
  return TOOL_NAMES.flatMap((tool) => {
    const name = naming[tool] ?? tool;
    return name === false ? [] : [{ tool, name }];
  });
}
