/** The parts of an event that decide whether there is anything to do. */
export interface HookEvent {
  readonly cwd?: unknown;
  /** Claude Code. */
  readonly hook_event_name?: unknown;
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  /** Copilot CLI, which does not name the event: only one of its events has a result. */
  readonly toolName?: unknown;
  readonly toolArgs?: unknown;
  readonly toolResult?: unknown;
}

/** A tool call that is over, whichever agent tells of it. */
export interface FinishedCall {
  readonly agent: "claude-code" | "copilot";
  readonly toolName: string;
  readonly input: unknown;
  readonly response: unknown;
}

/** The call that an event is about; `undefined` for events of other kinds. */
export function parseCall(event: HookEvent): FinishedCall | undefined {
  const { tool_name, tool_input: input, tool_response: response, toolName, toolResult } = event;
  if (event.hook_event_name === "PostToolUse" && typeof tool_name === "string") {
    return { agent: "claude-code", toolName: tool_name, input, response };
  }
  if (typeof toolName !== "string") return undefined;
  return { agent: "copilot", toolName, input: event.toolArgs, response: toolResult };
}

/** How `install` sets the hook up. */
export interface HookFlags {
  /** The folder of the workspace; a relative one is resolved against the event's `cwd`. */
  readonly root: string;
  /** Resolve it against the folder of the project instead, where the reading server looks for it. */
  readonly isInProject: boolean;
  readonly exclude: readonly string[];
  /** What stands before the names of the reading tools; without it, references give file paths. */
  readonly toolPrefix: string | undefined;
  /** Results of fewer tokens are kept. Default: `DEFAULTS.giantTokens`, 6,400. */
  readonly minTokens: number | undefined;
}
