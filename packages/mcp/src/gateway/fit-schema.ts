import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { asParams, type Params } from "./json-rpc.js";

/** Texts shorter than this are kept: they are names and numbers that programs need. */
const SHORT_CHARS = 200;

const validator = new AjvJsonSchemaValidator();

/**
 * Structured content whose long texts are replaced by a reference, if the tool's output schema
 * allows that; `undefined` if it does not. Only texts are replaced: a list that is cut short would
 * look complete to a program.
 */
export function fitSchema(
  structured: Params,
  schema: Params,
  reference: string,
  shortReference: string,
): Params | undefined {
  const texts = [reference];
  const fitted = asParams(shorten(structured, () => texts.pop() ?? shortReference));
  try {
    const isAllowed = validator.getValidator(schema)(fitted).valid;
    return isAllowed && texts.length === 0 ? fitted : undefined;
  } catch {
    // A schema that is not valid itself allows nothing.
    return undefined;
  }
}

function shorten(value: unknown, place: () => string): unknown {
  if (typeof value === "string") return value.length < SHORT_CHARS ? value : place();
  if (Array.isArray(value)) {
    const isLongList =
      value.every((item) => typeof item === "string") && value.join("").length >= SHORT_CHARS;
    return isLongList ? [place()] : value.map((item) => shorten(item, place));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shorten(item, place)]),
  );
}
