import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FORMATS } from "../../../../src/formats/formats.js";
import { mcpFormat } from "../../../../src/formats/mcp.js";
import { openaiChatFormat } from "../../../../src/formats/openai-chat.js";
import { messageLines } from "../../../../src/formats/shared/message-lines.js";
import { FIXTURES } from "../../../conformance/fixtures.js";
import { fill, Hole, oddWriters } from "../odd-json.js";
import { offloadAndRestore, readMessage } from "../offload-and-restore.js";
import { anyString } from "../../../support/any-string.js";

const format = messageLines(openaiChatFormat);
const answer = { role: "tool", tool_call_id: "c1", content: "two files" };
const line = JSON.stringify(answer);

describe("messages of a format, one per line", () => {
  it("exist for every format of messages, and are named after it", () => {
    const names = FORMATS.map(({ name }) => name as string);
    for (const name of names) {
      if (name.endsWith("-jsonl")) expect(names).not.toContain(`${name}-jsonl`);
      else expect(names).toContain(`${name}-jsonl`);
    }
  });

  it("replace a result in the text of its line", () => {
    const { offloaded, restored } = offloadAndRestore(format, line);
    expect(offloaded).toBe(line.replace("two files", "reference 0"));
    expect(restored).toBe(line);
  });

  it.each(["", "\n", "broken", "[]", "null", '"text"'])("have no result in %j", (text) => {
    expect(readMessage(format, text).results).toEqual([]);
    expect(format.replace(text, [{ slot: 0, text: "x" }], { media: "keep" })).toBe(text);
    expect(format.restore(text, [{ slot: 0, content: "x", wrapping: undefined }])).toBe(text);
  });

  it("are told by their lines; broken ones do not count", () => {
    expect(format.mismatch([])).toBeUndefined();
    expect(format.mismatch([line, "broken\n", "", `${line}\n`])).toBeUndefined();
    expect(format.mismatch(["broken"])).toBe("0 of the first 1 lines are JSON objects");
    expect(format.mismatch([answer])).toBe("message 0 is not a line of text");
    const late = [...Array.from({ length: 100 }, () => line), '{"role":"narrator"}'];
    expect(format.mismatch(late)).toBe('message 100 has the role "narrator"');
  });

  it("restore every byte, however the JSON was written", () => {
    const blocks = fc.array(
      fc.record({ type: fc.constantFrom("text", "file"), text: fc.string() }),
    );
    fc.assert(
      fc.property(
        fc.oneof(anyString(), blocks),
        fc.jsonValue(),
        oddWriters,
        fc.constantFrom("", "\r\n", "\n"),
        (content, unknown, write, lineEnd) => {
          const text = write({ unknown, ...answer, content, more: unknown }) + lineEnd;
          expect(offloadAndRestore(format, text).restored).toBe(text);
        },
      ),
    );
    const hole = new Hole("@@hole@@");
    fc.assert(
      fc.property(anyString(), oddWriters, (content, write) => {
        const frame = write({ ...answer, content: hole });
        const text = fill(frame, { "@@hole@@": write(content).trim() });
        const { offloaded } = offloadAndRestore(format, text);
        expect(offloaded).toBe(fill(frame, { "@@hole@@": '"reference 0"' }));
      }),
    );
  });

  it("restore what a format keeps beside the content, and every byte of it", () => {
    const lines = messageLines(mcpFormat);
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()), oddWriters, (...all) => {
        const [text, structuredContent, write] = all;
        const content = [{ type: "text", text }];
        const before = write({ _meta: 1, structuredContent, isError: true, content });
        expect(offloadAndRestore(lines, before).restored).toBe(before);
      }),
    );
  });

  it.each(FIXTURES.filter(({ format: { name } }) => name.endsWith("-jsonl")))(
    "restore media that was offloaded too: $name",
    ({ format: lines, build }) => {
      const results = [{ id: "a", toolName: "x", input: {}, text: "words", isError: true }];
      for (const message of build([{ say: "Look.", results }])) {
        expect(offloadAndRestore(lines, message, "offload").restored).toBe(message);
      }
    },
  );
});
