import type { CheckContext } from "./checks.js";
import { longText, PARALLEL, type FormatFixture } from "./format-fixture.js";

/** The model's replies are told apart from everything else. */
export function checkReplies({ history, read, expect }: CheckContext): void {
  const { replies, modelMessages } = read(history);
  expect.equal(replies, PARALLEL.length, "replies of the model");
  for (const { say } of PARALLEL) {
    const at = history.findIndex((message) => JSON.stringify(message).includes(say));
    expect.equal(modelMessages.includes(at), true, `message ${at} as one of the model`);
  }
  for (const [index, message] of history.entries()) {
    const { results, calls } = read([message]);
    // A message may hold calls together with their results.
    if (results.length === 0 || calls.length > 0) continue;
    expect.equal(modelMessages.includes(index), false, `message ${index} as one of the model`);
  }
}

/** Cache marks survive when a result is replaced. */
export function checkMarks(fixture: FormatFixture, { read, expect }: CheckContext): void {
  const mark = "suite-cache-mark";
  const marked = fixture.buildMarked?.(longText("marked"), mark);
  const results = read([marked]).results;
  expect.equal(results.length, 1, "results in a message with a cache mark");
  const texts = results.map(({ slot }) => ({ slot, text: "reference" }));
  const replaced = fixture.format.replace(marked, texts, { media: "keep" });
  const count = (message: unknown) => JSON.stringify(message).split(mark).length - 1;
  expect.equal(count(replaced), count(marked), "cache marks");
  expect.equal(read([replaced]).results[0]?.soleText, "reference", "the reference beside a mark");
}
