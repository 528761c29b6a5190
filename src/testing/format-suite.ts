import type { ToolDescription } from "../core/engine/format.js";
import { createConversationCheck, type Check, checkMarks, checkReplies } from "./checks.js";
import {
  ERRORS,
  PARALLEL,
  REUSED,
  longText,
  result,
  type FormatFixture,
} from "./format-fixture.js";

/** How many characters are added to what the model says. */
const SAID_CHARS = 1_000;

const GREP: ToolDescription = {
  name: "grep_knowledge",
  description: "Finds lines.",
  inputSchema: {
    type: "object",
    properties: { pattern: { type: "string" } },
    required: ["pattern"],
    additionalProperties: false,
  },
  execute: () => Promise.resolve({ text: "found", isError: false }),
};

/**
 * The conformance suite for message formats, built-in or your own, as checks for any test runner.
 *
 * @example
 * for (const { name, run } of formatSuite({ format, build, buildCall })) it(name, run);
 */
export function formatSuite(fixture: FormatFixture): readonly Check[] {
  const { hasErrorFlag = true, hasIds = true, hasReplies = true, format, build } = fixture;
  // Where the model says nothing, it calls nothing either.
  const hasCalls = hasIds && hasReplies;
  const check = createConversationCheck(fixture);
  return [
    check("says which conversations are its own", PARALLEL, ({ history, expect }) => {
      expect.equal(format.mismatch(history), undefined, "mismatch() of its own messages");
      const why = format.mismatch([{ neither: "role", nor: "content" }]);
      expect.equal(typeof why, "string", "mismatch() of what is not a message");
    }),

    check(
      "reads calls and results, parallel ones in one turn too",
      PARALLEL,
      ({ results, expect }) => {
        expect.equal(results.length, 4, "results found");
        const texts = PARALLEL.flatMap((turn) => turn.results.map(({ text }) => text));
        for (const [index, text] of texts.entries()) {
          const chars = results[index]?.chars ?? 0;
          // A format may count what it wraps around a text, but not another text.
          const fits = chars >= text.length && chars <= text.length * 1.1 + 200;
          expect.equal(fits, true, `the size of result ${index}, which is ${chars}`);
        }
        if (!hasIds) return;
        expect.equal(
          results.map(({ id, toolName }) => [id, toolName]),
          [
            ["call_a", "read_log"],
            ["call_b", "read_log"],
            ["call_c", "list_pods"],
            ["call_d", "read_log"],
          ],
          "ids and names of the results",
        );
      },
    ),

    ...(hasCalls
      ? [
          check("tells the input of each call", PARALLEL, ({ history, read, expect }) => {
            const expected = PARALLEL.flatMap(({ results }) =>
              results.map(({ id, toolName, input }) => ({ id, name: toolName, input })),
            );
            expect.equal(read(history).calls, expected, "the calls with their inputs");
          }),
        ]
      : []),

    check(
      "keeps untouched messages the same objects",
      PARALLEL,
      async ({ history, offload, expect }) => {
        const { messages, report } = await offload(history);
        const touched = new Set(
          report.results.flatMap((r) => (r.outcome === "offloaded" ? r.messageIndex : [])),
        );
        expect.equal(report.totals.offloaded, 3, "results that were offloaded");
        for (const [index, message] of history.entries()) {
          const same = message === messages[index];
          expect.equal(same, !touched.has(index), `identity of message ${index}`);
        }
      },
    ),

    check(
      "changes nothing but the content of results",
      PARALLEL,
      async ({ history, offload, expect }) => {
        const { messages } = await offload(history);
        const short = PARALLEL.map((turn) => ({ ...turn, results: turn.results.map(shortened) }));
        expect.equal(blanked(messages), blanked(build(short)), "everything beside the content");
      },
    ),

    check(
      "restores exactly what went in",
      PARALLEL,
      async ({ history, offload, restore, expect }) => {
        const before = build(PARALLEL);
        const { messages } = await offload(history);
        expect.equal(history, before, "the input after an offload");
        expect.equal(await restore(messages), before, "what came back");
      },
    ),

    check(
      "does nothing the second time",
      PARALLEL,
      async ({ history, offload, reopened, expect }) => {
        const once = await offload(history);
        const twice = await reopened().offload(once.messages);
        expect.equal(twice.messages, once.messages, "the second outcome");
        expect.equal(twice.report.totals.references, 3, "references that were known again");
      },
    ),

    check(
      "brings back every result of an id that is used again",
      REUSED,
      async ({ history, offload, restore, expect }) => {
        const { messages } = await offload(history);
        expect.equal(await restore(messages), build(REUSED), "what came back");
      },
    ),

    check(
      "gives the same bytes turn by turn and all at once",
      PARALLEL,
      async ({ history, offload, fresh, expect }) => {
        const whole = await offload(history);
        const growing = fresh();
        let last: readonly unknown[] = [];
        for (let length = 1; length <= history.length; length++) {
          const { messages } = await growing.offload(history.slice(0, length));
          expect.equal(messages.slice(0, last.length), last, `the prefix at ${length} messages`);
          last = messages;
        }
        expect.equal(last, whole.messages, "the outcome turn by turn");
      },
    ),

    check(
      "offloads real output that merely contains a reference",
      PARALLEL,
      async ({ offload, restore, history, expect }) => {
        const { report } = await offload(history);
        const quoted = `${report.results.find((r) => r.reference)?.reference ?? ""}\n${longText("quoted")}`;
        const buildQuoting = () =>
          build([{ say: "Quote it.", results: [result("call_q", quoted)] }]);
        const outcome = await offload(buildQuoting());
        expect.equal(outcome.report.totals.offloaded, 1, "results that were offloaded");
        expect.equal(await restore(outcome.messages), buildQuoting(), "what came back");
      },
    ),

    ...(hasErrorFlag
      ? [
          check("keeps the error flag", ERRORS, async ({ history, offload, read, expect }) => {
            const { messages } = await offload(history);
            expect.equal(
              read(messages).results.map(({ isError }) => isError),
              [true, false],
              "error flags",
            );
          }),
        ]
      : []),

    ...(hasReplies
      ? [
          check("tells the model's replies from other messages", PARALLEL, (context) => {
            checkReplies(context);
          }),
        ]
      : []),

    check("counts what is outside of results", PARALLEL, ({ history, read, expect }) => {
      const { otherChars } = read(history);
      const longer = PARALLEL.map((turn) => ({
        say: turn.say + "x".repeat(SAID_CHARS),
        results: turn.results.map((one) => ({ ...one, text: longText(one.text) })),
      }));
      const added = hasReplies ? SAID_CHARS * PARALLEL.length : 0;
      expect.equal(read(build(longer)).otherChars - otherChars, added, "characters added");
    }),

    ...(fixture.buildMarked
      ? [
          check("keeps cache marks inside of content", [], (context) => {
            checkMarks(fixture, context);
          }),
        ]
      : []),

    check("describes its tools", PARALLEL, ({ expect }) => {
      const described = JSON.stringify(format.describeTools([GREP]));
      for (const word of [GREP.name, GREP.description, "pattern"]) {
        expect.equal(described.includes(word), true, `${JSON.stringify(word)} in the tools`);
      }
    }),

    check("reads and answers calls of its tools", PARALLEL, ({ read, expect }) => {
      const input = { pattern: "ERROR", limit: 3 };
      const call = fixture.buildCall({ id: "call_1", name: GREP.name, input });
      expect.equal(format.readCall(call), { name: GREP.name, input }, "readCall() of a call");
      expect.equal(format.readCall({ nothing: true }), undefined, "readCall() of something else");
      for (const isError of [false, true]) {
        const answer = format.answerCall(call, { text: "found", isError });
        const { results } = read([fixture.carryAnswer?.(answer) ?? answer]);
        expect.equal(
          results.map(({ id, soleText, isError }) => [id, soleText, isError]),
          [[hasIds ? "call_1" : undefined, "found", hasErrorFlag && isError]],
          "the result in what answerCall() returned",
        );
      }
    }),
  ];

  /** A conversation without its long texts, to compare what is around them. */
  function blanked(messages: readonly unknown[]): string {
    return JSON.stringify(messages, (_key, value: unknown) => {
      if (typeof value !== "string") return value;
      // A message that is a line of JSON is compared by its value.
      if (value.startsWith("{")) return blanked([JSON.parse(value)]);
      return value.length > 200 || value === "short" ? "…" : value;
    });
  }

  function shortened<T extends { readonly text: string }>(one: T): T {
    return { ...one, text: "short" };
  }
}
