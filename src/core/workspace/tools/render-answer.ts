import { countOf } from "../../lib/digest/printable.js";
import { shorten } from "../../lib/text/quote.js";
import type { ToolNaming } from "./tool-naming.js";
import type { NextCall, Reading } from "../reading/reading.js";
import type { OffloadInfoPage } from "../workspace-types.js";

/** A reading as the model gets it: what it is, the text, what was left out and how to continue. */
export function renderReading(
  reading: Reading,
  naming: ToolNaming,
  kept: NextCall["input"],
): string {
  const { artifactId, range, text, leftOut, next, note } = reading;
  const { unit, from, to, of } = range;
  const heading =
    of === 0
      ? `[${artifactId}: ${unit === "matches" ? "no matches" : "empty"}]`
      : `[${artifactId}: ${unit} ${from}-${to} of ${of}]`;
  const footing = [
    note ?? "",
    leftOut ? `${leftOut.count} ${leftOut.unit} left out.` : "",
    next ? renderNext({ ...next, input: { ...next.input, ...kept } }, naming) : "",
  ].filter((part) => part !== "");
  const parts = [heading, text, footing.length > 0 ? `[${footing.join(" ")}]` : ""];
  return parts.filter((part) => part !== "").join("\n");
}

/** The list of what is stored, one line each. */
export function renderInfo(
  page: OffloadInfoPage,
  naming: ToolNaming,
  kept: NextCall["input"],
): string {
  if (page.artifacts.length === 0) return "No tool results are stored.";
  const lines = page.artifacts.map((info) => JSON.stringify(info, shortenNames));
  if (page.nextCursor !== undefined) {
    const next: NextCall = {
      tool: "get_tool_result_offload_info",
      input: { ...kept, cursor: page.nextCursor },
    };
    lines.push(`[${countOf(page.leftOut ?? 0, "result")} left out. ${renderNext(next, naming)}]`);
  }
  return lines.join("\n");
}

/** Names come from anyone and may be long; ids must be whole, since they are used in calls. */
function shortenNames(key: string, value: unknown): unknown {
  return typeof value === "string" && key.endsWith("_name") ? shorten(value) : value;
}

function renderNext({ tool, input }: NextCall, naming: ToolNaming): string {
  const name = naming[tool] ?? tool;
  return name === false ? "" : `Next: ${name}(${JSON.stringify(input)})`;
}
