import type { Reference } from "../engine/offload.js";
import type { StoredResult } from "./content-memory.js";
import { findReferenced, type HeldSession } from "./held-session.js";

/** How results are replaced, and which of them are references of this session already. */
export function createReference(session: HeldSession): Reference<StoredResult> {
  return {
    render: (stored) => stored.reference,
    resolve({ soleText, id }) {
      const record = findReferenced(session, soleText, id);
      if (!record || soleText === undefined) return undefined;
      const { artifactId, size } = record;
      return { reference: soleText, referenceTokens: 0, tokens: size.tokens, artifactId };
    },
  };
}
