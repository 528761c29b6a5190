import type { Format, FormatResult } from "../../core/engine/format.js";
import { findChange } from "./find-change.js";
import type { JsonRecord } from "./json-record.js";
import { partsOfLines, type LineMessage } from "./line-parts.js";
import { valueAt } from "./message-parts.js";
import { readRawJson, spliceJson, type JsonPath } from "./splice-json.js";
import { relayTo } from "./visitors.js";

/**
 * What is stored beside the content: the JSON as it was written, if JSON.stringify would write it
 * differently, and the inner format's own wrapping, if it has one.
 */
type LineWrapping = string | undefined | { readonly inner: unknown; readonly raw?: string };

/** Stands for a reference, to see what one would replace. */
const PROBE = "\u0000reference";

/**
 * Reads, replaces and restores results within the text of a line; every other character of the line
 * is unchanged.
 *
 * @param contentPath - The path to a result's content in the message. Default: to whatever changes.
 */
export function lineSplicer(
  inner: Format,
  find: (line: unknown) => LineMessage | undefined,
  contentPath?: (message: JsonRecord, slot: number) => JsonPath,
): Pick<Format, "read" | "replace" | "restore" | "parts"> {
  const pathOf = (message: JsonRecord, slot: number, changed: () => unknown) =>
    contentPath ? contentPath(message, slot) : findChange(message, changed());

  return {
    ...(inner.parts ? { parts: partsOfLines(inner.parts, find) } : {}),

    read(line, visitor, options) {
      const found = find(line);
      if (!found) return;
      const { message, at } = found;
      const relay = relayTo(visitor, (result) => {
        const { slot, id, content, soleText, chars, toolName, isError } = result;
        return {
          ...{ slot, id, content, soleText, chars, toolName, isError },
          // Computed only for what is offloaded, since it takes another pass over the line.
          get wrapping() {
            const probe = () => inner.replace(message, [{ slot, text: PROBE }], options);
            const path = pathOf(message, slot, probe) ?? [];
            const raw = readRawJson(line as string, [...at, ...path]);
            const isPlain = raw === JSON.stringify(valueAt(message, path));
            return wrap(result, isPlain ? undefined : raw);
          },
        };
      });
      inner.read(message, relay, options);
    },

    replace(line, texts, options) {
      const found = find(line);
      if (!found) return line;
      const { message, at } = found;
      return texts.reduce((text, change) => {
        const replaced = inner.replace(message, [change], options);
        const path = pathOf(message, change.slot, () => replaced) ?? [];
        return spliceJson(text, [...at, ...path], JSON.stringify(valueAt(replaced, path)));
      }, line as string);
    },

    restore(line, contents) {
      const found = find(line);
      if (!found) return line;
      const { message, at } = found;
      return contents.reduce((text, { slot, content, wrapping }) => {
        const { inner: own, raw } = unwrap(wrapping as LineWrapping);
        const restored = () => inner.restore(message, [{ slot, content, wrapping: own }]);
        const path = pathOf(message, slot, restored) ?? [];
        const json = JSON.stringify(contentPath ? content : valueAt(restored(), path));
        return spliceJson(text, [...at, ...path], isJsonOf(raw, json) ? raw : json);
      }, line as string);
    },
  };
}

function wrap({ wrapping: inner }: FormatResult, raw: string | undefined): LineWrapping {
  if (inner === undefined) return raw;
  return { inner, ...(raw === undefined ? {} : { raw }) };
}

function unwrap(wrapping: LineWrapping): { inner?: unknown; raw?: string | undefined } {
  return typeof wrapping === "string" ? { raw: wrapping } : (wrapping ?? {});
}

/** Whether a text is this JSON, written in another way. */
function isJsonOf(raw: string | undefined, json: string): raw is string {
  return raw !== undefined && JSON.stringify(JSON.parse(raw)) === json;
}
