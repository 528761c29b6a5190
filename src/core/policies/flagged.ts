import type { Policy } from "../engine/policy.js";
import { eachResult } from "./each-result.js";

/** Offloads what the host wishes to have offloaded: see `shouldOffload`. */
export const flagged: Policy = eachResult("flagged", ({ offloadFlag }) => offloadFlag === true, {
  offload: "the host wishes it",
  keep: "the host does not wish it",
});
