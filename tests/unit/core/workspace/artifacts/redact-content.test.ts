import { describe, expect, it } from "vitest";
import type { Content } from "../../../../../src/core/engine/format.js";
import {
  readForRedaction,
  redactContent,
} from "../../../../../src/core/workspace/artifacts/redaction.js";

const CONTEXT = { sessionId: "s", toolCallId: "t", toolName: "bash" };
const redact = (text: string) => text.replaceAll("secret", "[redacted]");
const redacted = (content: Content) => redactContent(content, redact, CONTEXT);

describe("redaction", () => {
  it("reaches every string, keys included, and counts its marks", () => {
    const content = [{ type: "text", text: "a secret, a secret" }, { secret: ["secret", 1, null] }];
    expect(redacted(content as Content)).toEqual({
      content: [
        { type: "text", text: "a [redacted], a [redacted]" },
        { "[redacted]": ["[redacted]", 1, null] },
      ],
      redactions: 4,
    });
  });

  it("returns the same content where there is nothing to redact", () => {
    const content = [{ type: "text", text: "plain, with an old [redacted]" }];
    const outcome = redacted(content);
    expect(outcome.content).toBe(content);
    expect(outcome.redactions).toBe(0);
  });

  it("counts once for each text what leaves no mark", () => {
    const outcome = redactContent("secret secret", () => "***", CONTEXT);
    expect(outcome).toEqual({ content: "***", redactions: 1 });
  });

  it("is told where the text comes from, and fails with a code", () => {
    redactContent("x", (text, context) => (expect(context).toBe(CONTEXT), text), CONTEXT);
    const fail = (run: () => string) => () => redactContent("x", run, CONTEXT);
    const thrown = fail(() => {
      throw new Error("no");
    });
    expect(thrown).toThrow(expect.objectContaining({ code: "CALLER_FAILED" }));
    const wrong = fail(() => 1 as unknown as string);
    expect(wrong).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  });

  it("joins a stream first, since a secret may lie across two pieces", async () => {
    async function* pieces() {
      yield* [Buffer.from("a sec"), Buffer.from("ret")];
      await Promise.resolve();
    }
    expect(await readForRedaction(pieces())).toBe("a secret");
    expect(await readForRedaction("text")).toBe("text");
  });
});
