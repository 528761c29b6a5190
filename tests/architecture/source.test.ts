import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const sources = await readFolder("src", /\.ts$/);
/** What people read besides the source; this file lists the words that are not to be used. */
const written = [
  ...(await readFolder("docs", /\.md$/)),
  ...(await readFolder("packages", /(?<!\/dist\/.*)\.(?:ts|md)$/)),
  ...(await readFolder("tests", /(?<!source\.test)\.(?:ts|mjs)$/)),
  ...(await Promise.all(
    ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(async (path) => ({
      path,
      text: await readFile(join(ROOT, path), "utf8"),
    })),
  )),
];
const tests = await readFolder("tests", /\.test\.ts$/);

describe("the source", () => {
  it("imports only itself and Node's modules [000-NF-constraint-standard-library] [002-NF-constraint-standard-library] [003-NF-constraint-no-dependencies] [001-STACK-node]", () => {
    expect(sources.length).toBeGreaterThan(100);
    for (const { path, text } of sources) {
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        expect(fileName, path).toMatch(/^(?:\.{1,2}\/|node:)/);
      }
    }
  });

  it("is made of small files [002-NF-usability-clarity]", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > 260);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it("has presets that are wiring, a page or two each, and one engine [DESIGN-ENGINE]", () => {
    const presets = sources.filter(({ path }) => path.startsWith("src/presets/"));
    for (const { path, text } of presets) expect(text.split("\n").length, path).toBeLessThan(200);
    const engines = sources.filter(({ text }) =>
      /^export (?:async )?function offload\b/m.test(text),
    );
    expect(engines.map(({ path }) => path)).toEqual(["src/core/engine/offload.ts"]);
    const onEngine = sources.filter(({ text }) => /from "[^"]*engine\/offload\.js"/.test(text));
    expect(onEngine.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "src/core/offloader/offloader.ts",
        "src/presets/offload-tool-result.ts",
        "src/presets/offload-tool-results.ts",
      ]),
    );
  });

  it("speaks English in its errors [001-LOG-english]", () => {
    const errors = sources.filter(({ path }) => path.includes("/errors/"));
    expect(errors.length).toBeGreaterThan(5);
    for (const { path, text } of errors) {
      expect(text, path).not.toMatch(/[^\p{Script=Latin}\p{Script=Common}]/u);
    }
  });

  it("has no file that is named for nothing", () => {
    const unnamed = /(?:^|\/)(?:utils?|helpers?|common)\b/;
    expect(sources.filter(({ path }) => unnamed.test(path))).toEqual([]);
  });

  it("has no file that only forwards, but for the doors of the package", () => {
    const doors = /^src\/(?:[^/]+|(?:formats|testing|integrations\/[^/]+)\/index)\.ts$/;
    const forwarding = sources.filter(({ path, text }) => {
      const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
      return statements.every(
        (statement) =>
          ts.isImportDeclaration(statement) ||
          (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined),
      );
    });
    expect(forwarding.map(({ path }) => path).filter((path) => !doors.test(path))).toEqual([]);
  });

  it("uses one word for each thing", () => {
    const old =
      /\b(?:dialects?|departures?|intakes?|bizId|flagOf|toolAliases|openConversation|onlyText|placedResult|readsTotal|left_as|format_shell|\w*MessageFormat|totals\.left|seats?|desks?|arenas?)\b/i;
    const odd =
      /\b(?:hand(?:ed|s)? in|the very (?:same|array|moment|lines?|object)|of yours|of your own(?! tools)|each content)\b/i;
    expect(written.length).toBeGreaterThan(400);
    for (const { path, text } of [...sources, ...written]) {
      expect(text.match(old)?.[0], path).toBeUndefined();
      expect(text.match(odd)?.[0], path).toBeUndefined();
    }
    for (const { path, text } of sources) expect(text, path).not.toMatch(/\bSeed 00\d/i);
  });

  it("writes nothing to the console [001-LOG-thrown]", () => {
    for (const { path, text } of sources) expect(text, path).not.toMatch(/\bconsole\./);
  });
});

describe("the tests", () => {
  it("of core, of the formats and of the presets write to memory only [001-TEST-unit-core]", () => {
    const pure = tests.filter(({ path }) => /^tests\/unit\/(?:core|presets|formats)\//.test(path));
    expect(pure.length).toBeGreaterThan(5);
    for (const { path, text } of pure) {
      expect(text, path).not.toMatch(/from "[./]+src\/infrastructure\/(?!hash)/);
      expect(text, path).not.toMatch(/\bfrom "[./]+support\/temp-folder/);
    }
  });

  it("of infrastructure write to temporary folders [001-TEST-unit-infrastructure]", () => {
    const files = tests.filter(({ path }) => path.startsWith("tests/unit/infrastructure/"));
    const writing = files.filter(({ text }) => /NodeFileWriter|publishNew/.test(text));
    expect(writing.length).toBeGreaterThan(0);
    for (const { path, text } of writing) expect(text, path).toMatch(/temp-folder|mkdtemp/);
  });

  it("of the whole use the public entry and the real file system [001-TEST-integration]", () => {
    const whole = tests.filter(({ path }) => path.startsWith("tests/integration/"));
    const using = whole.filter(({ text }) =>
      /from "(?:[./]+src\/index\.js|context-offload)"/.test(text),
    );
    expect(using.length).toBeGreaterThan(3);
    expect(using.filter(({ text }) => /temp-folder/.test(text)).length).toBeGreaterThan(2);
  });

  it("remove the folders that they make [001-TEST-isolation]", () => {
    const making = tests.filter(({ text }) => /\bmkdtemp\(/.test(text));
    expect(making.length).toBeGreaterThan(0);
    for (const { path, text } of making) expect(text, path).toMatch(/\brm\(|\.remove\(/);
  });
});

async function readFolder(folder: string, names: RegExp) {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return Promise.all(
    entries
      .map((entry) => `${folder}/${entry.replaceAll("\\", "/")}`)
      .filter((path) => names.test(path) && !path.includes("/node_modules/"))
      .sort()
      .map(async (path) => ({ path, text: await readFile(join(ROOT, path), "utf8") })),
  );
}
