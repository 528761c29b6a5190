import { encodeWtf8 } from "../text/wtf8.js";
import { JsonSyntaxError } from "./json-errors.js";
import { JsonWalker, type JsonVisitor } from "./json-walker.js";

/** Enters everything, so that all of it is checked. */
const CHECK: JsonVisitor = {
  isDone: false,
  beginKey: () => false,
  key: () => undefined,
  begin: () => true,
  end: () => undefined,
};

/** Whether a text is JSON or JSON Lines from its start to its end, so that a query can answer. */
export function isJsonText(text: string): boolean {
  try {
    const walker = new JsonWalker(CHECK, 0);
    walker.push(encodeWtf8(text));
    walker.end();
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
