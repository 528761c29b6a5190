/** The parts of a runner that matter here: what it sent and got so far. */
export interface Runner {
  readonly messages: readonly unknown[];
}

interface AssistantMessage {
  readonly role?: unknown;
  readonly tool_calls?: readonly ToolCall[];
}

interface ToolCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/**
 * Finds the id of the call that a function runs for, which the SDK does not pass to it: the first call
 * of the last message with this name and these arguments that was not found before. The SDK starts
 * calls in their order, so that two calls that are alike are told apart.
 */
export class CallIds {
  readonly #taken = new WeakMap<object, Set<string>>();

  take(runner: Runner, name: string, args: string): string | undefined {
    const message = runner.messages.findLast(hasCalls);
    if (!message) return undefined;
    const taken = this.#taken.get(message) ?? new Set();
    this.#taken.set(message, taken);
    const call = message.tool_calls?.find(
      ({ id, function: called }) =>
        called?.name === name && called.arguments === args && !taken.has(id),
    );
    if (call) taken.add(call.id);
    return call?.id;
  }
}

function hasCalls(message: unknown): message is AssistantMessage & object {
  const { role, tool_calls } = message as AssistantMessage;
  return role === "assistant" && Array.isArray(tool_calls);
}
