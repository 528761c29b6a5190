import { describe, expect, it } from "vitest";
import {
  indentJson,
  OPENING_CHARS,
  unwrap,
  wrappingOf,
} from "../../../../../src/core/lib/wrapping/readable-text.js";

const LOG = Array.from({ length: 30 }, (_, at) => `line ${at}: "done" in ${at} ms`).join("\n");
const DATA = { items: [{ id: 7, message: "hello" }], total: 1 };
const IMAGE = "iVBORw0KGgo".repeat(100);

/** What is read of a text or of a value's JSON. */
function readableOf(content: unknown): string {
  const stored = typeof content === "string" ? content : JSON.stringify(content);
  expect(wrappingOf(stored)).toBe("wrapped");
  const readable = unwrap(stored);
  if (readable === undefined) throw new Error("It was not unwrapped.");
  return readable.text;
}

function bodyOf(content: string): { body: string; isJson: boolean } | undefined {
  const readable = unwrap(content);
  return readable && { body: readable.text.slice(0, readable.bodyChars), isJson: readable.isJson };
}

describe("a text without its wrapping", () => {
  it.each<[string, unknown]>([
    ["a text block", [{ type: "text", text: LOG }]],
    ["a bare text block", { type: "text", text: LOG }],
    ["a part of OpenAI's Responses", [{ type: "output_text", text: LOG }]],
    ["a typed output", { type: "text", value: LOG }],
    ["a typed output of blocks", { type: "content", value: [{ type: "text", text: LOG }] }],
    ["a JSON string", JSON.stringify(LOG)],
    ["a JSON string in a JSON string", JSON.stringify(JSON.stringify(LOG))],
    [
      "a text block as JSON in a text block",
      [{ type: "text", text: JSON.stringify([{ type: "text", text: LOG }]) }],
    ],
  ])("is the text alone: %s", (_, content) => {
    expect(readableOf(content)).toBe(LOG);
  });

  it.each<[string, unknown]>([
    ["a text block", [{ type: "text", text: JSON.stringify(DATA) }]],
    ["a JSON string", JSON.stringify(JSON.stringify(DATA))],
    ["a typed output", { type: "json", value: DATA }],
  ])("is JSON, indented: %s", (_, content) => {
    expect(readableOf(content)).toBe(JSON.stringify(DATA, null, 2));
  });

  it("has the small fields of the wrapper in one line after it", () => {
    const content = {
      stdout: LOG,
      stderr: "",
      exitCode: 1,
      cwd: 'a "b"',
      tags: ["x", "y"],
      meta: { path: "C:\\temp", list: ['say "hi"'] },
    };
    expect(readableOf(content)).toBe(
      `${LOG}\n--- above: stdout, stderr: "", exitCode: 1, cwd: a "b", tags: ["x","y"], ` +
        `meta.path: C:\\temp, meta.list.0: say "hi" ---`,
    );
    expect(bodyOf(JSON.stringify(content))).toEqual({ body: LOG, isJson: false });
  });

  it("gives each of many small fields a line of its own", () => {
    const fields = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`field${at}`, "x".repeat(20)]),
    );
    const text = readableOf({ body: LOG.repeat(10), ...fields });
    expect(text.split("\n").slice(-22)).toEqual([
      "--- fields ---",
      "above: body",
      ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ]);
  });

  it("has every text under a line that names it, where there are several", () => {
    expect(readableOf({ stdout: LOG, code: 0, stderr: "one\ntwo" })).toBe(
      `--- stdout ---\n${LOG}\n--- code: 0 ---\n--- stderr ---\none\ntwo`,
    );
    expect(
      readableOf([
        { type: "text", text: "a" },
        { type: "text", text: '{"b":1}' },
      ]),
    ).toBe('--- block 1 of 2: text ---\na\n--- block 2 of 2: text ---\n{\n  "b": 1\n}');
    expect(readableOf([LOG, "b"])).toContain("--- block 2 of 2: string ---\nb");
  });

  it("shows images and other encoded data in one line, with type and size", () => {
    const size = "1,100 characters of base64";
    expect(
      readableOf([
        { type: "text", text: LOG },
        { type: "image", source: { type: "base64", media_type: "image/png", data: IMAGE } },
        { type: "image_url", image_url: { url: `data:image/jpeg;base64,${IMAGE}` } },
      ]),
    ).toBe(
      `${LOG}\n--- above: block 1 of 3: text, block 2 of 3: image, block 2.source.type: base64, ` +
        `block 2.source.media_type: image/png, block 2.source.data: ${size}, ` +
        `block 3 of 3: image_url, block 3.image_url.url: image/jpeg, ${size} ---`,
    );
    // Text is never taken for data.
    expect(readableOf([{ type: "text", text: IMAGE }])).toBe(IMAGE);
  });

  it("reads embedded resources", () => {
    const resource = { uri: "file:///a.txt", mimeType: "text/plain", text: LOG };
    expect(
      readableOf([
        { type: "text", text: "see" },
        { type: "resource", resource },
      ]),
    ).toBe(
      [
        "--- block 1 of 2: text ---\nsee",
        "--- block 2 of 2: resource, block 2.resource.uri: file:///a.txt, block 2.resource.mimeType: text/plain ---",
        `--- block 2.resource.text ---\n${LOG}`,
      ].join("\n"),
    );
  });

  it("shows an MCP result's data once if text and value are the same, else both", () => {
    const big = { rows: Array.from({ length: 40 }, (_, id) => ({ id })) };
    const body = JSON.stringify(big, null, 2);
    const content = [{ type: "text", text: JSON.stringify(big) }];
    const same = { content, structuredContent: big, isError: false };
    expect(readableOf(same)).toBe(`${body}\n--- structuredContent: the same, isError: false ---`);
    expect(bodyOf(JSON.stringify(same))).toEqual({ body, isJson: true });
    const both = { content: [{ type: "text", text: LOG }], structuredContent: big };
    expect(readableOf(both)).toBe(`--- text ---\n${LOG}\n--- structuredContent ---\n${body}`);
    const brief = { content: [{ type: "text", text: "40 rows" }], structuredContent: big };
    expect(readableOf(brief)).toBe(
      `${body}\n--- above: structuredContent, content: [{"type":"text","text":"40 rows"}] ---`,
    );
    expect(bodyOf(JSON.stringify(brief))).toEqual({ body, isJson: true });
  });

  it("shows numbers, repeated keys and escapes of JSON as they are written", () => {
    const json = '{"big":12345678901234567890,"exact":1.10,"é":"\\u00e9","big":1}';
    expect(readableOf([{ type: "text", text: json }])).toBe(
      '{\n  "big": 12345678901234567890,\n  "exact": 1.10,\n  "é": "\\u00e9",\n  "big": 1\n}',
    );
    const fields = `{"stdout":${JSON.stringify(LOG)},"id":12345678901234567890,"id":1.0}`;
    expect(readableOf(fields)).toBe(
      `${LOG}\n--- above: stdout, id: 12345678901234567890, id: 1.0 ---`,
    );
  });

  it("keeps every character, lone surrogates and control characters included", () => {
    const text = `a\ud800b\udc00 \u0000\u001b[31m😀\r\n${LOG}`;
    expect(readableOf([{ type: "text", text }])).toBe(text);
  });
});

describe("a text without what a program printed around it", () => {
  const HEADER =
    "Chunk ID: a46620\nWall time: 0.0427 seconds\nProcess exited with code 1\nOriginal token count: 9\nOutput:\n";
  const FIELDS =
    "--- Chunk ID: a46620, Wall time: 0.0427 seconds, Process exited with code 1, Original token count: 9 ---";

  it("a header of Codex comes after the output", () => {
    expect(readableOf(`${HEADER}${LOG}\n`)).toBe(`${LOG}\n${FIELDS}`);
    expect(readableOf(`${HEADER}${JSON.stringify(DATA)}`)).toBe(
      `${JSON.stringify(DATA, null, 2)}\n${FIELDS}`,
    );
    expect(readableOf("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n")).toBe(
      "--- Exit code: 0, Wall time: 0.1 seconds ---",
    );
  });

  it.each([
    "Output:\nonly",
    "Chunk ID: a46620\nWall time: 0.0427 seconds\nno output line",
    "Chunk ID: a46620",
    `Wall time: 1 second\n${"x".repeat(50)}\nOutput:\n`,
  ])("what only begins like one is plain: %j", (text) => {
    expect(wrappingOf(text)).toBe("plain");
  });

  it.each([
    [
      "the fields of a result",
      (block: string) => `meta=None content=[${block}] isError=False`,
      "meta: None, annotations: None, isError: False",
    ],
    [
      "an object",
      (block: string) => `CallToolResult(content=[${block}], isError=True)`,
      "annotations: None, isError: True",
    ],
    ["a list", (block: string) => `[${block}]`, "annotations: None"],
  ])("a Python client's print: %s", (_, wrap, fields) => {
    const text = 'it\'s "quoted"\n\ttab \\ back\x07é😀\u0001';
    const literal = `'it\\'s "quoted"\\n\\ttab \\\\ back\\x07é\\U0001f600\\u0001'`;
    const block = `TextContent(type='text', text=${literal}, annotations=None)`;
    expect(readableOf(wrap(block))).toBe(`${text}\n--- ${fields} ---`);
  });

  it("a Python client's print of several blocks, JSON inside", () => {
    const blocks = [
      `TextContent(type='text', text="it's one", annotations=Annotations(audience=['user'], priority=0.5))`,
      `TextContent(type='text', text='${JSON.stringify(DATA)}', annotations=None)`,
      `ImageContent(type='image', data='${IMAGE}', mimeType='image/png')`,
    ].join(", ");
    const text = readableOf(`meta=None content=[${blocks}] isError=False`);
    expect(text).toContain("--- block 1 of 3: text ---\nit's one\n");
    expect(text).toContain(`--- block 2 of 3: text ---\n${JSON.stringify(DATA, null, 2)}\n`);
    expect(text).toContain(
      "block 3 of 3: image, block 3.data: 1,100 characters of base64, block 3.mimeType: image/png",
    );
    expect(text).toContain("priority=0.5");
  });

  it("a print that was cut short is read as far as it goes", () => {
    const inner = JSON.stringify({ content: [{ type: "text", text: LOG }], isError: false });
    const whole = `meta=None content=[TextContent(type='text', text='${inner.replaceAll("\\", "\\\\")}')]`;
    const cut = whole.slice(0, whole.indexOf("line 20"));
    expect(readableOf(cut)).toBe(`${LOG.slice(0, LOG.indexOf("line 20"))}--- meta: None ---`);
  });
});

describe("data and text that are not wrapped", () => {
  it.each<[string, string]>([
    ["plain", LOG],
    ["plain", ""],
    ["plain", '"quoted" words'],
    ["plain", '"a quote that is never closed'],
    ["plain", '"a quote that is never closed\nand a line'],
    ["plain", "She said TextContent(type= in a sentence."],
    ["json", "[INFO] it only looks like JSON"],
    ["json", JSON.stringify(DATA)],
    [
      "json",
      JSON.stringify([
        { type: "file", path: "a" },
        { type: "dir", path: "b" },
      ]),
    ],
    ["json", JSON.stringify(["short", "strings"])],
    ["json", JSON.stringify({ note: LOG, rows: Array.from({ length: 400 }, (_, id) => ({ id })) })],
    ["json", `{"stdout":${JSON.stringify(LOG)}}\n{"stdout":${JSON.stringify(LOG)}}`],
    ["json", `{"stdout":${JSON.stringify(LOG)}} and more`],
    ["json", `{"stdout" ${JSON.stringify(LOG)}}`],
    ["json", `{"a":1,${JSON.stringify(LOG)}}`],
    ["json", "{}"],
    ["json", "[]"],
    ["json", '{"cut": "sho'],
  ])("is %s", (wrapping, text) => {
    expect(wrappingOf(text)).toBe(wrapping);
  });

  it("is decided by the beginning: what follows makes no difference", () => {
    const rows = `{"rows":[${"{},".repeat(OPENING_CHARS)}{}]`;
    expect(wrappingOf(`${rows},"stdout":${JSON.stringify(LOG.repeat(1_000))}}`)).toBe("json");
    expect(wrappingOf(`{"stdout":"${"x".repeat(OPENING_CHARS)} and so on`)).toBe("wrapped");
  });

  it("what turns out not to be wrapped has no other text", () => {
    expect(unwrap(`{"stdout":"${"x".repeat(OPENING_CHARS)}\nraw line break"}`)).toBeUndefined();
    expect(unwrap(`[{"type":"text","text":"a"} oops]`)).toBeUndefined();
    expect(indentJson("[1,")).toBeUndefined();
  });

  it("deep nesting is read without recursion, and hostile texts in linear time", () => {
    const deep = `{"a":${"[".repeat(200_000)}`;
    expect(wrappingOf(deep)).toBe("json");
    for (const unit of [
      '"',
      "\\",
      '\\"',
      "{",
      '{"a":',
      "[[",
      "data:",
      "Content(type=",
      "'",
      "\\x",
    ]) {
      const many = unit.repeat(200_000 / unit.length);
      for (const text of [many, `{"stdout":"${many}`, `[TextContent(type='text', text='${many}`]) {
        if (wrappingOf(text) === "wrapped") unwrap(text);
      }
    }
  });
});
