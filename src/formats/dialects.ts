import type { Dialect } from "../core/dialect.js";
import { anthropicDialect } from "./anthropic-dialect.js";

/** All dialects, in the order in which `auto` tries them: those with the plainest marks first. */
export const DIALECTS: readonly Dialect[] = [anthropicDialect];
