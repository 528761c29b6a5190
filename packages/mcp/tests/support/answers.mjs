/** Tools and what each of them answers, for servers that are to be compared. */
const text = (/** @type {string} */ value) => ({ type: "text", text: value });
const log = Array.from({ length: 2_000 }, (_, line) => `line ${line}: status ok`).join("\n");
const string = { type: "string" };
/** @param {Record<string, unknown>} properties */
const objectOf = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const hits = Array.from({ length: 40 }, (_, hit) => ({
  title: `Result ${hit}`,
  url: `https://example.com/${hit}`,
  snippet: `Result ${hit} says that the service was restarted. `.repeat(13),
}));
const rows = Array.from({ length: 5_000 }, (_, row) => row);
const lines = log.split("\n").slice(0, 800);
const picture = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

/** @type {Record<string, { outputSchema?: object, result: object }>} */
export const ANSWERS = {
  small: { result: { content: [text("done")] } },
  text: { result: { content: [text(log)] } },
  mixed: { result: { content: [text(log), picture, text("and more"), text(log)] } },
  /** 52,000 characters, none of its strings longer than 1,000. */
  hits: {
    outputSchema: objectOf({
      hits: {
        type: "array",
        items: objectOf({ title: string, url: string, snippet: string }),
      },
    }),
    result: { content: [text(JSON.stringify({ hits }))], structuredContent: { hits } },
  },
  wrapped: {
    outputSchema: objectOf({ content: string }),
    result: { content: [text(log)], structuredContent: { content: log } },
  },
  /** As Python's servers describe their types. */
  pydantic: {
    outputSchema: {
      ...objectOf({ result: { $ref: "#/$defs/Page" } }),
      $defs: {
        Page: objectOf({
          body: { anyOf: [string, { type: "null" }], default: null, title: "Body" },
          lines: { type: "array", items: string },
        }),
      },
      "x-fastmcp-wrap-result": true,
    },
    result: {
      content: [text("a page")],
      structuredContent: { result: { body: log, lines } },
    },
  },
  unschematic: {
    result: { content: [text("see the data")], structuredContent: { log, lines } },
  },
  strict: {
    outputSchema: objectOf({ log: { type: "string", minLength: 10_000 } }),
    result: { content: [text(log)], structuredContent: { log } },
  },
  rows: {
    outputSchema: objectOf({ rows: { type: "array", items: { type: "number" } } }),
    result: { content: [text(JSON.stringify({ rows }))], structuredContent: { rows } },
  },
  refused: { result: { content: [text("no such file ".repeat(50))], isError: true } },
  crashed: { result: { content: [text(log)], isError: true } },
};
