type Schema = Readonly<Record<string, unknown>>;

/** Rules that a shortened value cannot break: they only describe, or speak of types and keys, which are the same. */
const UNAFFECTED: ReadonlySet<string> = new Set([
  ...["type", "required", "minProperties", "maxProperties", "propertyNames", "dependentRequired"],
  ...["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"],
  ...["$schema", "$comment", "$defs", "definitions"],
]);
/** Rules about the parts of a value, and those that combine other rules. */
const FOLLOWED: ReadonlySet<string> = new Set([
  ...["properties", "additionalProperties", "items", "allOf", "anyOf", "$ref"],
]);
/** More references to references than this lead in circles. */
const MAX_REFERENCES = 100;

/** A value before and after, and where it is. */
interface SchemaChange {
  readonly before: unknown;
  readonly after: unknown;
  readonly path: string;
}

/**
 * Why it cannot be proved, without a validator, that a JSON schema that allows a value also allows its
 * shortened form; `undefined` if it can. A rule that holds for all that changed is followed
 * into properties, items, alternatives and local references. Any rule that looks at a changed
 * string or list itself, such as `maxLength`, `enum`, `uniqueItems` or `oneOf`, ends the proof.
 */
export function findDoubt(schema: unknown, before: unknown, after: unknown): string | undefined {
  return doubtIn(schema, { before, after, path: "" }, schema, 0);
}

function doubtIn(
  schema: unknown,
  change: SchemaChange,
  root: unknown,
  references: number,
): string | undefined {
  if (change.before === change.after || schema === true || schema === undefined) return undefined;
  if (!isRecord(schema)) return describeRule("a rule against it", change);
  const unknown = Object.keys(schema).find(
    (rule) => !UNAFFECTED.has(rule) && !FOLLOWED.has(rule) && !rule.startsWith("x-"),
  );
  if (unknown !== undefined) return describeRule(unknown, change);
  const { allOf, anyOf, $ref } = schema;
  const combined = [allOf, anyOf].flatMap(
    (rules) => (Array.isArray(rules) ? rules : []) as unknown[],
  );
  if ($ref !== undefined) {
    const target = references < MAX_REFERENCES ? resolve($ref, root) : undefined;
    if (target === undefined) return describeRule(`$ref ${JSON.stringify($ref)}`, change);
    combined.push(target);
  }
  // If each alternative allows what it allowed before, so do all of them together.
  return (
    firstOf(combined, (part) => doubtIn(part, change, root, references + 1)) ??
    firstOf(partsOf(schema, change), ([rule, part]) => doubtIn(rule, part, root, 0))
  );
}

/** The parts that may have changed, each with its rule. A list that was replaced has a single item. */
function partsOf(
  schema: Schema,
  { before, after, path }: SchemaChange,
): (readonly [unknown, SchemaChange])[] {
  if (typeof before !== "object" || typeof after !== "object" || !before || !after) return [];
  const { properties, additionalProperties, items } = schema;
  return Object.entries(after as Schema).map(([key, part]) => {
    const isNamed = isRecord(properties) && Object.hasOwn(properties, key);
    const named = isNamed ? properties[key] : additionalProperties;
    const was = (before as Schema)[key];
    return [
      Array.isArray(after) ? items : named,
      { before: was, after: part, path: `${path}/${key}` },
    ];
  });
}

/** The schema that a reference into the same document points to. */
function resolve(reference: unknown, root: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/[^%]*)?$/.test(reference)) return undefined;
  let target: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

function describeRule(rule: string, { path }: SchemaChange): string {
  return `its output schema has ${rule} for ${path === "" ? "all of it" : path}; pass validate`;
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
