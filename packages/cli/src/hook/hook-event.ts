/** The agents whose hooks can put another text in the place of a tool's result. */
export type HookAgent = "claude-code" | "copilot" | "codex" | "gemini" | "qwen";

/** The parts of an event that decide whether there is anything to do. */
export interface HookEvent {
  readonly cwd?: unknown;
  readonly hook_event_name?: unknown;
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly transcript_path?: unknown;
  readonly session_id?: unknown;
  readonly agent_id?: unknown;
  /** The session, of Copilot CLI. */
  readonly sessionId?: unknown;
  /** Gemini CLI: this call answers in the place of another one, as our last answer has asked for. */
  readonly original_request_name?: unknown;
  /** Copilot CLI, which does not name the event: only one of its events has a result. */
  readonly toolName?: unknown;
  readonly toolArgs?: unknown;
  readonly toolResult?: unknown;
}

/** A tool call that is over, whichever agent tells of it. */
export interface FinishedCall {
  readonly agent: HookAgent;
  readonly toolName: string;
  readonly input: unknown;
  readonly response: unknown;
}

/** The call that an event is about; `undefined` for events of other kinds. */
export function parseCall(event: HookEvent, agent: HookFlags["agent"]): FinishedCall | undefined {
  const { tool_name, tool_input: input, tool_response: response, toolName, toolResult } = event;
  if (event.hook_event_name === "PostToolUse" && typeof tool_name === "string") {
    return { agent: agent ?? "claude-code", toolName: tool_name, input, response };
  }
  if (event.hook_event_name === "AfterTool" && typeof tool_name === "string") {
    if (event.original_request_name !== undefined) return undefined;
    return { agent: "gemini", toolName: tool_name, input, response };
  }
  if (typeof toolName !== "string") return undefined;
  return { agent: "copilot", toolName, input: event.toolArgs, response: toolResult };
}

/** The session that an event belongs to, that of a subagent's parent included. */
export function sessionOf({ session_id, sessionId = session_id }: HookEvent): string {
  return typeof sessionId === "string" && sessionId !== "" ? sessionId : "default";
}

/** The subagent that made the call; `undefined` for the main agent. */
export function agentOf({ agent_id }: HookEvent): string | undefined {
  return typeof agent_id === "string" && agent_id !== "" ? agent_id : undefined;
}

/** The session that holds the results of a subagent. */
export function agentSession(session: string, agent: string): string {
  return `${session}-${agent}`;
}

/** How `install` sets the hook up. */
export interface HookFlags {
  /** The folder of the workspace; a relative one is resolved against the event's `cwd`. */
  readonly root: string;
  /** Resolve it against the folder of the project instead, where the reading server looks for it. */
  readonly isInProject: boolean;
  /** Resolve it against the agent's own folder for the project, whose files its tools may read. */
  readonly isInTranscripts: boolean;
  /** Whose events these are, where they have the same name as Claude Code's. */
  readonly agent: "codex" | "qwen" | undefined;
  readonly exclude: readonly string[];
  /** What stands before the names of the reading tools; without it, references give file paths alone. */
  readonly toolPrefix: string | undefined;
  /** Results of fewer tokens are kept. Default: `DEFAULTS.giantTokens`, 6,400. */
  readonly minTokens: number | undefined;
}
