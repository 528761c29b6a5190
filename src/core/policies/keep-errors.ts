import type { Policy } from "../engine/policy.js";
import { eachResult } from "./each-result.js";

/** What a tool failed with stays: the model must see it to do better. */
export const keepErrors: Policy = eachResult("keepErrors", ({ isError }) => isError !== true, {
  offload: "no error",
  stays: "an error",
});
