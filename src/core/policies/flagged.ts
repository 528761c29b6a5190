import type { Policy } from "../policy.js";
import { eachResult } from "./each-result.js";

/** A result leaves when whoever made it asked for that. */
export const flagged: Policy = eachResult("flagged", ({ offloadFlag }) => offloadFlag === true, {
  leaves: "asked to leave",
  stays: "not asked to leave",
});
