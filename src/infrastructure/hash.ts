import { createHash } from "node:crypto";
import type { Hash } from "../core/engine/hash.js";
import { encodeWtf8, isWellFormed } from "../core/lib/text/wtf8.js";

/** SHA-256 of the bytes that a text is stored as. */
export const sha256: Hash = (data) =>
  createHash("sha256")
    .update(typeof data !== "string" || isWellFormed(data) ? data : encodeWtf8(data))
    .digest("hex");
