import { ContentNotSerializableError } from "../errors/storage-errors.js";

/** A 256-bit hash of a text's stored bytes, in lower-case hexadecimal. Injected, since core is pure. */
export type Hash = (data: string | Uint8Array) => string;

/** What one tool call returned: a string, an array of blocks, or in some formats a JSON object. */
export type Content = string | readonly unknown[] | Readonly<Record<string, unknown>>;

/** The content as one string: a string unchanged, anything else as JSON. */
export function serializeContent(content: Content, indent?: number): string {
  if (typeof content === "string") return content;
  try {
    return JSON.stringify(content, null, indent);
  } catch (cause) {
    throw new ContentNotSerializableError(cause);
  }
}

/** The number of characters that the content takes in a message; blocks count as their compact JSON. */
export function countContentChars(content: Content): number {
  return typeof content === "string" ? content.length : serializeContent(content).length;
}
