import { requireObject } from "../core/arguments.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import { nearestNames } from "../core/lib/text/nearest-names.js";
import { TOOL_NAMES, type ToolName } from "../core/workspace/reading/reading.js";
import { nameTools, type ToolNaming } from "../core/workspace/tools/tool-naming.js";

/** What some vendor accepts as the name of a tool; names that clients give to a server's tools are long. */
const TOOL_NAME = /^[a-zA-Z0-9_.:/-]{1,128}$/;

/** Names that every vendor would refuse, or that two tools share, fail only at the first request. */
export function requireToolNames(toolNames: ToolNaming = {}): ToolNaming {
  requireObject("toolNames", toolNames, "an object of names by tool, or omitted");
  for (const [tool, name] of Object.entries(toolNames) as [ToolName, unknown][]) {
    const argument = `toolNames.${tool}`;
    if (!TOOL_NAMES.includes(tool)) {
      const tools = nearestNames(tool, TOOL_NAMES, TOOL_NAMES.length).join(", ");
      throw new InvalidArgumentError(argument, name, `omitted: the reading tools are ${tools}`);
    }
    if (name === undefined || name === false) continue;
    if (typeof name !== "string" || !TOOL_NAME.test(name)) {
      const expected = "a name of 1 to 128 letters, digits or any of _ - . : /, or false";
      throw new InvalidArgumentError(argument, name, expected);
    }
    const other = nameTools(toolNames).find((one) => one.name === name && one.tool !== tool);
    if (!other) continue;
    throw new InvalidArgumentError(argument, name, `a name of its own: ${other.tool} has it too`);
  }
  return toolNames;
}
