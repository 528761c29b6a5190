import type { Policy } from "../engine/policy.js";
import { eachResult } from "./each-result.js";

/** Keeps what a tool failed with: the model must see it to do better. */
export const keepErrors: Policy = eachResult("keepErrors", ({ isError }) => !isError, {
  offload: "not an error",
  keep: "an error",
});
