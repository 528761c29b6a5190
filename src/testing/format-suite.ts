import { createConversationCheck, type Check } from "./checks.js";
import {
  ERRORS,
  PARALLEL,
  REUSED,
  longText,
  result,
  type FormatFixture,
} from "./format-fixture.js";

/**
 * What every format must hold, ours or a stranger's, as checks for any test runner.
 *
 * @example
 * for (const { name, run } of formatSuite({ dialect, build })) it(name, run);
 */
export function formatSuite(fixture: FormatFixture): readonly Check[] {
  const { hasErrorFlag = true, hasIds = true, dialect, build } = fixture;
  const check = createConversationCheck(fixture);
  return [
    check("says which conversations are its own", PARALLEL, ({ history, expect }) => {
      expect.equal(dialect.mismatch(history), undefined, "refuse() of its own messages");
      const stranger = dialect.mismatch([{ neither: "role", nor: "content" }]);
      expect.equal(typeof stranger, "string", "refuse() of what is no message");
    }),

    check(
      "reads calls and results, parallel ones in one turn too",
      PARALLEL,
      ({ results, expect }) => {
        expect.equal(results.length, 4, "results found");
        const texts = PARALLEL.flatMap((turn) => turn.results.map(({ text }) => text));
        for (const [index, text] of texts.entries()) {
          const chars = results[index]?.chars ?? 0;
          // A format may count what it wraps a text in, but not another text.
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

    check(
      "leaves untouched messages the same objects",
      PARALLEL,
      async ({ history, offload, expect }) => {
        const { messages, report } = await offload(history);
        const touched = new Set(
          report.results.flatMap((r) => (r.outcome === "offloaded" ? r.messageIndex : [])),
        );
        expect.equal(report.totals.offloaded, 3, "results that left");
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
        expect.equal(blanked(messages), blanked(build(short)), "everything beside the contents");
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

    check("does nothing the second time", PARALLEL, async ({ history, offload, fresh, expect }) => {
      const once = await offload(history);
      const twice = await fresh().offload(once.messages);
      expect.equal(twice.messages, once.messages, "the second outcome");
      expect.equal(twice.report.totals.references, 3, "references that were known again");
    }),

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
      "leaves real output alone that merely contains a reference",
      PARALLEL,
      async ({ offload, restore, history, expect }) => {
        const { report } = await offload(history);
        const quoted = `${report.results.find((r) => r.reference)?.reference ?? ""}\n${longText("quoted")}`;
        const buildQuoting = () =>
          build([{ say: "Quote it.", results: [result("call_q", quoted)] }]);
        const outcome = await offload(buildQuoting());
        expect.equal(outcome.report.totals.offloaded, 1, "results that left");
        expect.equal(await restore(outcome.messages), buildQuoting(), "what came back");
      },
    ),

    ...(hasErrorFlag
      ? [
          check("keeps the error flag", ERRORS, async ({ history, offload, read, expect }) => {
            const { messages } = await offload(history);
            expect.equal(
              read(messages).map(({ isError }) => isError),
              [true, false],
              "error flags",
            );
          }),
        ]
      : []),

    check("describes, reads and answers calls of its tools", PARALLEL, ({ expect }) => {
      const tools = dialect.describeTools([
        {
          name: "grep_knowledge",
          description: "Finds lines.",
          inputSchema: {
            type: "object",
            properties: {},
            required: [],
            additionalProperties: false,
          },
          execute: () => Promise.resolve({ text: "", isError: false }),
        },
      ]);
      expect.equal(JSON.stringify(tools).includes("grep_knowledge"), true, "the tool's name");
      expect.equal(dialect.readCall({ nothing: true }), undefined, "readCall() of what is no call");
    }),
  ];

  /** A conversation with every long text of it cut away, to compare what stands around. */
  function blanked(messages: readonly unknown[]): string {
    return JSON.stringify(messages, (_key, value: unknown) => {
      if (typeof value !== "string") return value;
      // Where a message is a line, what stands around is inside of it.
      if (value.startsWith("{")) return blanked([JSON.parse(value)]);
      return value.length > 200 || value === "short" ? "…" : value;
    });
  }

  function shortened<T extends { readonly text: string }>(one: T): T {
    return { ...one, text: "short" };
  }
}
