import { countOf } from "../../lib/digest/printable.js";
import { shorten } from "../../lib/text/quote.js";
import type { ToolNaming } from "./tool-naming.js";
import type { NextCall, Reading } from "../reading/reading.js";
import type { OffloadInfoPage } from "../workspace-types.js";

/** The text of an answer, and what it was made from. */
export interface RenderedAnswer {
  readonly text: string;
  readonly data: unknown;
}

/** A reading as the model gets it: the text, and only if something is missing what that is and how to continue. */
export function renderReading(
  data: Pick<Reading, "text" | "leftOut" | "next" | "note">,
  naming: ToolNaming,
  kept: NextCall["input"],
): RenderedAnswer {
  const { text, leftOut, next, note } = data;
  const footing = [
    note ?? "",
    leftOut ? `${leftOut.count} ${leftOut.unit} left out.` : "",
    next ? renderNext({ ...next, input: { ...next.input, ...kept } }, naming) : "",
  ].filter((part) => part !== "");
  if (footing.length === 0) return { text: text === "" ? "[empty]" : text, data };
  return { text: `${text === "" ? "" : `${text}\n`}[${footing.join(" ")}]`, data };
}

/** The list of what is stored, one line each. */
export function renderInfo(
  page: OffloadInfoPage,
  naming: ToolNaming,
  kept: NextCall["input"],
): RenderedAnswer {
  if (page.artifacts.length === 0) return { text: "No tool results are stored.", data: page };
  const lines = page.artifacts.map((info) => JSON.stringify(info, shortenNames));
  if (page.nextCursor !== undefined) {
    const next: NextCall = {
      tool: "get_tool_result_offload_info",
      input: { ...kept, cursor: page.nextCursor },
    };
    lines.push(`[${countOf(page.leftOut ?? 0, "result")} left out. ${renderNext(next, naming)}]`);
  }
  return { text: lines.join("\n"), data: page };
}

/** Names come from anyone and may be long; ids must be whole, since they are used in calls. */
function shortenNames(key: string, value: unknown): unknown {
  return typeof value === "string" && key.endsWith("_name") ? shorten(value) : value;
}

function renderNext({ tool, input }: NextCall, naming: ToolNaming): string {
  const name = naming[tool] ?? tool;
  return name === false ? "" : `Next: ${name}(${JSON.stringify(input)})`;
}
