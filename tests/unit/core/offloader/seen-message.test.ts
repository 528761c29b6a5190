import { describe, expect, it } from "vitest";
import { createReadingCalls } from "../../../../src/core/offloader/reads.js";
import { SeenMessage } from "../../../../src/core/offloader/turn-memory.js";

const see = (message: unknown) => new SeenMessage(message, createReadingCalls({}));

describe("a message that was seen", () => {
  it("remembers what a format reads from it", () => {
    const seen = see({ role: "assistant" });
    seen.modelMessage("r1");
    seen.call("a", "bash", { command: "ls" });
    seen.other(12);
    expect(seen).toMatchObject({ isModel: true, replyId: "r1", chars: 12 });
    expect(seen.calls).toMatchObject([{ id: "a", name: "bash", about: "ls" }]);
    seen.call("b", "grep_knowledge", { artifact_id: "a", pattern: "x" });
    expect(seen.calls[1]?.reading).toEqual({ artifactId: "a" });
    seen.answer();
    expect(seen.answers).toBe(1);
  });

  it("is known again when it is loaded anew, and not when it is another", () => {
    const seen = see({ role: "user", content: "one" });
    expect(seen.isSame({ role: "user", content: "one" })).toBe(true);
    expect(seen.isSame({ role: "user", content: "two" })).toBe(false);
  });

  it("is known by what was returned for it, where that is final", () => {
    const returned = { role: "user", content: "a reference" };
    const open = see({ role: "user", content: "one" });
    open.finish({ ...returned }, [], false, false);
    expect(open.isSame(returned)).toBe(false);
    const seen = see({ role: "user", content: "one" });
    seen.finish({ ...returned }, [], true, false);
    expect(seen.isSame(returned)).toBe(true);
    expect(seen.output).toBe(returned);
    expect(seen.isSame({ role: "user", content: "one" })).toBe(false);
  });

  it("is no longer current when the host changed it in place", () => {
    const message = { role: "user", content: [{ text: "one" }] };
    const seen = see(message);
    expect(seen.isCurrent).toBe(true);
    message.content = [{ text: "two" }];
    expect(seen.isCurrent).toBe(false);
  });
});
