import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wireOffloader } from "../../src/core/offloader/offloader.js";
import { minChars } from "../../src/policies.js";
import { estimateTokens } from "../../src/index.js";
import { checkFit, pickFormat } from "../../src/formats/detect-format.js";
import { FORMATS } from "../../src/formats/formats.js";
import { createMemoryWorkspace, type SampleTurn } from "../../src/testing/index.js";
import { FIXTURES } from "../conformance/fixtures.js";
import { runs } from "../support/adversarial-runs.js";
import { anyString } from "../support/any-string.js";

const text = fc.oneof(
  anyString({ maxLength: 40 }),
  fc.constantFrom("", "$&", "</knowledge_list>", '{"a": [1, 2]}', "\u0000\r\n\ufeff"),
);

/** Turns with few ids, so that they are used again, and results from empty to long. */
const conversation: fc.Arbitrary<SampleTurn[]> = fc.array(
  fc.record({
    say: text,
    results: fc.array(
      fc.record({
        id: fc.constantFrom("call_1", "call_2", "../../x", "é/ü"),
        toolName: fc.constantFrom("bash", "read_file", "grep_knowledge"),
        input: fc.constantFrom({}, { pattern: "x" }, { artifact_id: "call_1", pattern: "x" }),
        text: fc
          .tuple(text, fc.integer({ min: 0, max: 80 }))
          .map(([piece, times]) => `${piece} line of output\n`.repeat(times)),
        isError: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { maxLength: 4 },
);

const makeOffloader = () =>
  wireOffloader({
    workspace: createMemoryWorkspace(),
    sessionId: "s",
    policy: minChars(100),
    countTokens: estimateTokens,
    format: undefined,
    formats: FORMATS,
    pickFormat: (messages) => pickFormat(messages, undefined),
  });

describe.each(FIXTURES)("conversations of $name", ({ build, format }) => {
  it("come back exactly, offloaded twice are as offloaded once, and are not touched", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (turns) => {
        const history = build(turns);
        if (checkFit(format, history) !== undefined) return;
        const offloader = makeOffloader();
        const { messages } = await offloader.offload(history);
        expect(history).toEqual(build(turns));
        expect(await offloader.restore(messages)).toEqual(history);
        const twice = await offloader.offload(messages);
        expect(twice.messages).toBe(messages);
        const anew = await makeOffloader().offload(build(turns));
        expect(JSON.stringify(anew.messages)).toBe(JSON.stringify(messages));
      }),
      { numRuns: runs(25) },
    );
  });
});
