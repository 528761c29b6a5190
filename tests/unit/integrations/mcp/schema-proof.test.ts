import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findDoubt } from "../../../../src/integrations/mcp/schema-proof.js";

const validator = new AjvJsonSchemaValidator();

/** Says whether a schema allows a value; one that is not valid itself allows none. */
function compile(schema: object): (value: unknown) => boolean {
  try {
    const validate = validator.getValidator(schema);
    return (value) => validate(value).valid;
  } catch {
    return () => false;
  }
}

/** The same value with its marked strings and lists replaced, as an answer is shortened. */
function shorten(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("long") ? "a reference" : value;
  if (Array.isArray(value)) {
    if (value.length > 0 && value.every((item) => item === "item")) return ["ref"];
    const items = value.map(shorten);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shorten(item)] as const);
  const isSame = entries.every(([key, item]) => item === (value as Record<string, unknown>)[key]);
  return isSame ? value : Object.fromEntries(entries);
}

/** What an answer may hold that is shortened, in every kind of place. */
const VALUES: readonly unknown[] = [
  "long text",
  ["item", "item", "item"],
  ["long", "x", "long text"],
  ["long", "long text"],
  { a: "long", b: "x" },
  { a: ["item", "item"], c: { b: "long text" } },
];

/** Rules that a shortened value may break, and some that it cannot. */
const RULES: readonly object[] = [
  { maxLength: 9 },
  { minLength: 4 },
  { pattern: "^(long|item|x)" },
  { enum: ["long", "long text", "item", "x"] },
  { const: "long text" },
  { const: "item" },
  { format: "date" },
  { minItems: 2 },
  { maxItems: 2 },
  { uniqueItems: true },
  { contains: { const: "long" } },
  { contains: { const: "item" } },
  { prefixItems: [{ const: "long" }] },
  { not: { const: "a reference" } },
  { not: { const: "ref" } },
  { oneOf: [{ maxLength: 9 }, { minLength: 12 }] },
  { if: { const: "a reference" }, then: false },
  { if: { const: "ref" }, then: false },
  { patternProperties: { a: { const: "long" }, b: { maxLength: 9 } } },
  { dependentSchemas: { a: { properties: { a: { const: "long" } } } } },
  { unevaluatedProperties: { maxLength: 9 } },
  { unevaluatedItems: { maxLength: 9 } },
  { propertyNames: { maxLength: 1 } },
  { required: ["a"] },
  { type: ["string", "array", "object"] },
  { description: "about it" },
];

/** Where a rule may stand. */
const PLACES: readonly ((rule: object) => object)[] = [
  (rule) => rule,
  (rule) => ({ items: rule }),
  (rule) => ({ properties: { a: rule } }),
  (rule) => ({ additionalProperties: rule }),
  (rule) => ({ anyOf: [{ type: "null" }, rule] }),
  (rule) => ({ allOf: [{ description: "both" }, rule] }),
  (rule) => ({ $ref: "#/$defs/a", $defs: { a: rule } }),
];

/** How often the proof succeeded; fails if it was wrong once. */
function checkProof(schema: object): number {
  let proved = 0;
  let allows: ((value: unknown) => boolean) | undefined;
  for (const before of VALUES) {
    const after = shorten(before);
    if (findDoubt(schema, before, after) !== undefined) continue;
    allows ??= compile(schema);
    if (!allows(before)) continue;
    proved++;
    expect(allows(after), JSON.stringify({ schema, before })).toBe(true);
  }
  return proved;
}

describe("the proof that a schema allows references", () => {
  it("never says so of a schema that does not, by a real validator", () => {
    let proved = 0;
    for (const rule of RULES) for (const place of PLACES) proved += checkProof(place(rule));
    expect(proved).toBeGreaterThan(RULES.length);
  });

  it("never says so of rules that are combined", () => {
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.constantFrom(...RULES),
        fc.tuple(fc.constantFrom(...PLACES), tie("schema")).map(([place, rule]) => place(rule)),
        fc.tuple(tie("schema"), tie("schema")).map(([one, other]) => ({ ...one, ...other })),
        fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
      ),
    }));
    fc.assert(
      fc.property(schema, (one) => void checkProof(one)),
      { numRuns: 500 },
    );
  });

  it("succeeds for the schemas that servers write", () => {
    const before = { title: "short", body: "long text", tags: ["item", "item"], more: null };
    const after = shorten(before);
    const zod = z.object({
      title: z.string().max(10),
      body: z.string().nullable().describe("what it says"),
      tags: z.array(z.string()),
      more: z.unknown(),
    });
    expect(findDoubt(z.toJSONSchema(zod), before, after)).toBeUndefined();
    const pydantic = {
      type: "object",
      properties: { result: { $ref: "#/$defs/Page" } },
      required: ["result"],
      $defs: {
        Page: {
          type: "object",
          title: "Page",
          properties: { body: { anyOf: [{ type: "string" }, { type: "null" }], default: null } },
        },
      },
      "x-fastmcp-wrap-result": true,
    };
    expect(findDoubt(pydantic, { result: before }, { result: after })).toBeUndefined();
  });

  it("says which rule is in doubt, and where", () => {
    const schemaOf = (rule: object): object => ({ properties: { a: { items: rule } } });
    const why = findDoubt(schemaOf({ maxLength: 9 }), { a: ["long"] }, { a: ["reference"] });
    expect(why).toMatch(/maxLength.*\/a\/0/);
    expect(findDoubt({ $ref: "#" }, "long", "reference")).toMatch(/\$ref/);
    expect(findDoubt(false, "long", "reference")).toBeDefined();
  });
});
