/** Tools that read a file, which an agent may have to edit next. */
const FILE_TOOLS = new Set(["Read", "read_file", "view"]);
const RANGE = ["offset", "limit", "start_line", "end_line", "view_range", "pages"];
/** Tools whose result is a subagent's report: it is short for what went into it, and wanted whole. */
const REPORTS = new Set(["Agent", "Task", "task", "read_agent", "wait_agent", "spawn_agent"]);

/** How agents begin the text that they put in place of an output which they have stored themselves. */
const STUB =
  /^(?:<persisted-output>|Error: result \(.*\) exceeds maximum allowed tokens|Output (?:is )?too large|Large tool result|[^\n]{0,200}\bsaved to:? )/i;
const MAX_STUB_CHARS = 12_000;

/** Whether the result of a tool is kept, however long it is. */
export function isKeptCall(toolName: string, input: unknown): boolean {
  if (REPORTS.has(toolName)) return true;
  if (!isFileTool(toolName) || typeof input !== "object" || input === null) return false;
  return RANGE.some(
    (name) => ((input as Record<string, unknown>)[name] ?? undefined) !== undefined,
  );
}

/** Whether a result is a file, which is kept up to the size of a giant, whatever the hook's threshold is. */
export function isFileTool(toolName: string): boolean {
  return FILE_TOOLS.has(toolName);
}

/** Whether a text only says where the agent has stored the output. */
export function isStub(text: string): boolean {
  return text.length <= MAX_STUB_CHARS && STUB.test(text);
}
