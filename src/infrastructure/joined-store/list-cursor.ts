import { wrongCursor } from "../../core/workspace/artifacts/query-artifacts.js";

/** A place in a listing that is ordered by session and by number. */
export interface ListPlace {
  /** The key of the session. */
  readonly session: string;
  readonly seq: number;
}

export function makeListCursor({ session, seq }: ListPlace): string {
  return JSON.stringify([session, seq]);
}

export function parseListCursor(cursor: string): ListPlace {
  try {
    const [session, seq] = JSON.parse(cursor) as readonly unknown[];
    if (typeof session === "string" && Number.isSafeInteger(seq)) {
      return { session, seq: seq as number };
    }
  } catch {
    // Reported below.
  }
  throw wrongCursor(cursor);
}
