/** Whether an answer is a tool message, of any copy of the framework. */
export function isToolMessage<A>(answer: A): answer is A & object {
  const { getType } = (answer ?? {}) as { getType?: unknown };
  return typeof getType === "function" && getType.call(answer) === "tool";
}
