// Whether the schema of a tool's input is a well-formed JSON Schema, as far as tools use it.

import { readChoice, readList, readObject, readString, Refusal } from "./request-checks.mjs";

const TYPES = /** @type {const} */ ([
  ...["object", "array", "string", "number", "integer", "boolean", "null"],
]);
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** The vendors take an object at the top, since a call has named arguments. */
export function checkInputSchema(/** @type {unknown} */ value, /** @type {string} */ path) {
  const schema = readObject(value, path);
  readChoice(schema["type"], `${path}.type`, ["object"]);
  checkSchema(schema, path);
  return schema;
}

/**
 * OpenAI's strict mode: every property is required, and there are no others.
 *
 * @param {import("./request-checks.mjs").JsonObject} schema
 * @param {string} path
 */
export function checkStrictSchema(schema, path) {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (additionalProperties !== false) {
    throw new Refusal(`${path}: 'additionalProperties' is required to be false`, path);
  }
  const names = /** @type {unknown[]} */ (required);
  const missing = Object.keys(readObject(properties, path)).find((name) => !names.includes(name));
  if (missing === undefined) return;
  throw new Refusal(`${path}: 'required' must name every property, ${missing} is missing`, path);
}

/** @param {unknown} value @param {string} path */
function checkSchema(value, path) {
  if (typeof value === "boolean") return;
  const schema = readObject(value, path);
  const { type, properties, required, items, additionalProperties, pattern, description } = schema;
  if (type !== undefined) {
    for (const one of Array.isArray(type) ? readList(type, `${path}.type`) : [type]) {
      readChoice(one, `${path}.type`, TYPES);
    }
  }
  if (properties !== undefined) {
    for (const [name, property] of Object.entries(readObject(properties, `${path}.properties`))) {
      checkSchema(property, `${path}.properties.${name}`);
    }
  }
  if (required !== undefined) {
    if (!Array.isArray(required)) throw new Refusal(`${path}.required: expected an array`, path);
    for (const name of required) readString(name, `${path}.required`);
  }
  if (type === "array" && items === undefined) {
    throw new Refusal(`${path}: array schema missing items`, path);
  }
  if (items !== undefined) checkSchema(items, `${path}.items`);
  if (additionalProperties !== undefined) {
    checkSchema(additionalProperties, `${path}.additionalProperties`);
  }
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    if (schema[keyword] === undefined) continue;
    for (const [at, option] of readList(schema[keyword], `${path}.${keyword}`).entries()) {
      checkSchema(option, `${path}.${keyword}.${at}`);
    }
  }
  if (schema["enum"] !== undefined) readList(schema["enum"], `${path}.enum`);
  if (description !== undefined) readString(description, `${path}.description`);
  if (pattern !== undefined) new RegExp(readString(pattern, `${path}.pattern`), "u");
  for (const keyword of COUNTS) {
    const count = schema[keyword];
    if (count === undefined || (Number.isInteger(count) && Number(count) >= 0)) continue;
    throw new Refusal(`${path}.${keyword}: expected a whole number`, path);
  }
}
