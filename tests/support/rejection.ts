import { ContextOffloadError } from "../../src/index.js";

/** What the promise was rejected with, which must be an error of this package. */
export async function rejectionOf(promise: Promise<unknown>): Promise<ContextOffloadError> {
  const outcome = await promise.then(
    () => "fulfilled" as const,
    (error: unknown) => ({ error }),
  );
  if (outcome === "fulfilled") throw new Error("The call was expected to fail, and it did not.");
  if (ContextOffloadError.isInstance(outcome.error)) return outcome.error;
  throw new Error("The call failed with an error of another kind.", { cause: outcome.error });
}
