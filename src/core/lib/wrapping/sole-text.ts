import { decodeKey } from "../json/json-string.js";
import { JsonWalker, type JsonVisitor, type JsonKind } from "../json/json-walker.js";
import { type ByteRange, type ByteSource, readPieces } from "../text/byte-source.js";

/** `"text"`, quotes included. */
const TYPE_BYTES = 6;

/**
 * The range of the text in stored blocks, without its quotes, if there is one text block and nothing
 * else, as in the output of many tools. Most other content is ruled out by its first bytes.
 */
export async function findSoleText(
  stored: ByteSource,
  signal?: AbortSignal,
): Promise<ByteRange | undefined> {
  const search = new SoleTextSearch();
  const walker = new JsonWalker(search, 0);
  for await (const piece of readPieces(stored, signal)) {
    walker.push(piece);
    if (search.isDone) return undefined;
  }
  walker.end();
  const { type, text } = search;
  if (type === undefined || text === undefined) return undefined;
  const name = new TextDecoder().decode(await stored.read(type.start, type.end));
  return name === '"text"' ? { start: text.start + 1, end: text.end - 1 } : undefined;
}

/** Walks `[{"type":"text","text":"…"}]` and stops at anything that does not fit. */
class SoleTextSearch implements JsonVisitor {
  /** True once it cannot be a single text block. */
  isDone = false;
  type: ByteRange | undefined;
  text: ByteRange | undefined;

  #depth = 0;
  #hasBlock = false;
  #key = "";
  #start = 0;

  beginKey(): boolean {
    return true;
  }

  key(raw: Uint8Array | undefined): void {
    this.#key = raw === undefined ? "" : decodeKey(raw);
  }

  begin(kind: JsonKind, start: number): boolean {
    const wanted = this.#wanted();
    this.isDone ||= wanted !== undefined && kind !== wanted;
    const isEntered = this.#depth < 2 && !this.isDone;
    this.#hasBlock ||= this.#depth === 1;
    this.#depth += 1;
    this.#start = start;
    return isEntered;
  }

  end(end: number): void {
    this.#depth -= 1;
    if (this.#depth !== 2) return;
    const range = { start: this.#start, end };
    if (this.#key === "text") this.text = range;
    if (this.#key !== "type") return;
    this.type = range;
    this.isDone ||= end - range.start !== TYPE_BYTES;
  }

  /** The kind of value required here; `undefined` if any is allowed. */
  #wanted(): JsonKind | "nothing" | undefined {
    if (this.#depth === 0) return "array";
    if (this.#depth === 1) return this.#hasBlock ? "nothing" : "object";
    return this.#key === "text" || this.#key === "type" ? "string" : undefined;
  }
}
