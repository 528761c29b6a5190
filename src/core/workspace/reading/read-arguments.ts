import { requireCount, requireText } from "../../arguments.js";
import { DEFAULTS } from "../../defaults.js";
import { InvalidArgumentError } from "../../errors/argument-errors.js";
import { ArgumentError } from "../../lib/argument-error.js";
import { JsonPointerError } from "../../lib/json/json-errors.js";
import type { SearchQuery } from "../../lib/search/search-terms.js";
import type { GrepOptions } from "./grep-knowledge.js";

/** What a search is asked for. */
export function readQuery(pattern: string, options: GrepOptions, maxChars: number): SearchQuery {
  return {
    pattern: requireText("pattern", pattern, "what to search for"),
    literal: options.literal ?? false,
    ignoreCase: options.ignoreCase ?? false,
    contextBefore: requireCount("contextBefore", options.contextBefore, 0, 0),
    contextAfter: requireCount("contextAfter", options.contextAfter, 0, 0),
    maxResults: requireCount("maxResults", options.maxResults, DEFAULTS.searchResults),
    windowChars: Math.min(DEFAULTS.searchWindowChars, maxChars),
  };
}

/** A pointer that leads nowhere as it stands, as it was most likely meant. */
export function rereadPointer(pointer: string): string | undefined {
  if (pointer === "/") return "";
  return !pointer.startsWith("/") && pointer.includes("/") ? `/${pointer}` : undefined;
}

export function isPointerError(error: unknown): boolean {
  return (
    error instanceof JsonPointerError ||
    (error instanceof ArgumentError && error.argument === "pointer")
  );
}

export function readPointer(pointer: unknown = ""): string {
  if (typeof pointer === "string") return pointer;
  throw new InvalidArgumentError("pointer", pointer, "a string, a JSON pointer");
}

export function readCursor(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === "string" && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new InvalidArgumentError("cursor", cursor, "the cursor of an earlier answer");
}
