/** The parts of an event that decide whether there is anything to do. */
export interface HookEvent {
  readonly hook_event_name?: unknown;
  readonly cwd?: unknown;
  readonly tool_name?: unknown;
  readonly tool_response?: unknown;
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
  readonly minTokens: number | undefined;
}
