import { InvalidArgumentError } from "../../core/errors/argument-errors.js";

/** Two tools of one name could not be told apart in a request. */
export function refuseTakenNames(
  reading: readonly { readonly name: string }[],
  tools: readonly { readonly name?: string | undefined }[],
): void {
  const taken = reading.find(({ name }) => tools.some((tool) => tool.name === name));
  if (!taken) return;
  const expected = `without ${taken.name}; rename it with the workspace's toolNames`;
  throw new InvalidArgumentError("tools", taken.name, expected);
}
