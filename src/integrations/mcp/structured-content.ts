/** A string that is worth replacing. */
const LONG = 1_000;

/**
 * The same value with references in place of its long strings: the rest of its shape is what programs
 * and schemas rely on.
 */
export function shortenStructured(value: unknown, reference: string): unknown {
  if (typeof value === "string") return value.length > LONG ? reference : value;
  if (Array.isArray(value)) return value.map((item) => shortenStructured(item, reference));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    shortenStructured(item, reference),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** Why shortening would not help. */
export function staysLong(original: unknown, shortened: unknown): string | undefined {
  const isShorter = JSON.stringify(shortened).length < JSON.stringify(original).length / 2;
  return isShorter ? undefined : "its structured content has no long strings to replace";
}

type JsonSchema = Readonly<Record<string, unknown>>;

/** Rules that a reference may break, and those that only a validator can follow. */
const STRICT = ["enum", "const", "pattern", "format", "minLength", "maxLength", "$ref"];
const COMBINED = ["anyOf", "oneOf", "allOf", "not", "if", "patternProperties", "prefixItems"];

/** Why a JSON schema might not allow another string in place of a long one. */
export function refusedBy(schema: unknown, value: unknown, path = ""): string | undefined {
  if (typeof value === "string" && value.length <= LONG) return undefined;
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return undefined;
  if (schema === undefined || schema === true) return undefined;
  const rules = (typeof schema === "object" && schema !== null ? schema : {}) as JsonSchema;
  const strict = [...STRICT, ...COMBINED].find((rule) => rules[rule] !== undefined);
  if (strict !== undefined && hasLong(value)) {
    return `its output schema has ${strict} for ${path === "" ? "the whole" : path}`;
  }
  if (typeof value === "string") return undefined;
  for (const [key, item] of Object.entries(value)) {
    const properties = (rules["properties"] ?? {}) as JsonSchema;
    const part = Array.isArray(value)
      ? rules["items"]
      : Object.hasOwn(properties, key)
        ? properties[key]
        : rules["additionalProperties"];
    const why = refusedBy(part, item, `${path}/${key}`);
    if (why !== undefined) return why;
  }
  return undefined;
}

function hasLong(value: unknown): boolean {
  return JSON.stringify(shortenStructured(value, "")) !== JSON.stringify(value);
}
