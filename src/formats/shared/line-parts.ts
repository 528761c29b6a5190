import type { FormatParts } from "../../core/engine/format.js";
import type { JsonRecord } from "./json-record.js";
import { readRawJson, spliceJson, type JsonPath } from "./splice-json.js";

/** The message in a line, and its path in the line's JSON. */
export interface LineMessage {
  readonly message: JsonRecord;
  readonly at: JsonPath;
}

/** The parts of the message in a line, in the text of the line. */
export function partsOfLines(
  inner: FormatParts,
  find: (line: unknown) => LineMessage | undefined,
): FormatParts {
  return {
    find(line) {
      const found = find(line);
      if (!found) return [];
      const { message, at } = found;
      return inner.find(message).map((part) => ({ ...part, path: [...at, ...part.path] }));
    },
    isSigned: (line) => inner.isSigned(find(line)?.message),
    put: (line, path, value, raw = JSON.stringify(value)) => spliceJson(line as string, path, raw),
    raw(line, { path, value }) {
      const raw = readRawJson(line as string, path);
      return raw === JSON.stringify(value) ? undefined : raw;
    },
  };
}
