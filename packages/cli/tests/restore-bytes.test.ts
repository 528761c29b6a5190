import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationOf, logLine, RUN, TestFolder } from "./support/command.js";

const RUNS = 40;

/** Ways to write the same JSON. */
const PLAIN = { gap: "", number: "1", isEscaped: false, end: "", mark: "" };
const styles = fc.oneof(
  // As JSON.stringify writes it: nothing has to be kept for it.
  fc.constant(PLAIN),
  fc.record({
    gap: fc.constantFrom("", " ", "  "),
    number: fc.constantFrom("1", "1.0", "1.00", "1e0"),
    isEscaped: fc.boolean(),
    end: fc.constant(""),
    mark: fc.constant(""),
  }),
  fc.record({
    gap: fc.constantFrom("", " ", "  "),
    number: fc.constantFrom("1", "1.0", "12345678901234567890"),
    isEscaped: fc.boolean(),
    end: fc.constantFrom("", "\n", "\n\n", "\r\n", " ", "  \n"),
    mark: fc.constantFrom("", "\ufeff"),
  }),
);
type Style = typeof PLAIN;

function write(value: unknown, { gap, number, isEscaped }: Style): string {
  const text = JSON.stringify(value)
    .replaceAll('":', `":${gap}`)
    .replaceAll('"n":' + gap + "1", `"n":${gap}${number}`);
  return isEscaped ? text.replaceAll("é", "\\u00e9") : text;
}

/** One conversation in each of the layouts that files have; the same content in all of them. */
const LAYOUTS: Readonly<Record<string, (messages: object[], style: Style) => string>> = {
  "chat.json": (messages, style) => write(messages, style) + style.end,
  "request.json": (messages, style) => write({ n: 1, messages }, style) + style.end,
  "chat.jsonl": (messages, style) =>
    messages.map((message) => write(message, style)).join("\n") + style.end,
  "log.jsonl": (messages, style) =>
    messages.map((message, at) => write(JSON.parse(logLine(`u${at}`, message)), style)).join("\n") +
    style.end,
};

describe("restore", () => {
  it.each(Object.keys(LAYOUTS))(
    "gives every byte back of several %s that differ only in style, in one session",
    async (name) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(styles, { minLength: 2, maxLength: 4 }),
          fc.boolean(),
          async (all, isLarge) => {
            const place = new TestFolder();
            const messages = conversationOf("t1", "café", isLarge ? 400 : 1).map((message) => ({
              n: 1,
              ...message,
            }));
            const texts = all.map(
              (style) => `${style.mark}${LAYOUTS[name]?.(messages, style) ?? ""}`,
            );
            for (const [at, text] of texts.entries()) {
              const out = `${at}`;
              place.write(`${at}/${name}`, text);
              const { stderr } = await place.run(...RUN, `${at}/${name}`, "--out", out, "-q");
              expect(stderr).toBe("");
            }
            for (const [at, text] of texts.entries()) {
              const [stem, ending] = name.split(".");
              const written = `${at}/${stem}.offloaded.${ending}`;
              if (isLarge) expect(place.read(written).length).toBeLessThan(text.length);
              const { stderr } = await place.run("restore", written, "--out", `${at}`, "-q");
              expect(stderr).toBe("");
              expect(place.read(`${at}/${stem}.restored.${ending}`)).toBe(text);
            }
          },
        ),
        { numRuns: RUNS, seed: 3 },
      );
    },
    120_000,
  );
});
