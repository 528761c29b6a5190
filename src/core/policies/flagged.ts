import type { Policy } from "../engine/policy.js";
import { eachResult } from "./each-result.js";

/** A result offload when whoever made it asked for that. */
export const flagged: Policy = eachResult("flagged", ({ offloadFlag }) => offloadFlag === true, {
  offload: "asked to leave",
  stays: "not asked to leave",
});
