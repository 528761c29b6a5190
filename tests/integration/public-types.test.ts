import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, expectTypeOf, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import * as entry from "../../src/index.js";
import {
  offloadToolResults,
  type DirectOffloadResult,
  type HistoryOffloadResult,
} from "../../src/index.js";
import { NodeFileWriter, offloadToolResultWithWriter, type FileWriter } from "../../src/files.js";
import { MemoryWriter } from "../support/memory-writer.js";

/** A message as some vendor's SDK may have it, with fields that are not known here. */
interface VendorMessage {
  readonly role: "user" | "assistant";
  readonly content: { readonly type: "tool_result"; readonly content: string; readonly x: 1 }[];
  readonly traceId: string;
}

describe("the public types", () => {
  const message: VendorMessage = {
    role: "user",
    content: [{ type: "tool_result", content: "x".repeat(200), x: 1 }],
    traceId: "t",
  };

  it("let a message keep its own type", async () => {
    const one = await offloadToolResultWithWriter(message, "s", "/out", new MemoryWriter());
    expectTypeOf(one.message).toEqualTypeOf<VendorMessage>();
    expect(one.message.traceId).toBe("t");
    expectTypeOf(offloadToolResults<VendorMessage>)
      .returns.resolves.toHaveProperty("messages")
      .toEqualTypeOf<VendorMessage[]>();
  });

  it("have one outcome for a message and one for a history", async () => {
    const one = await offloadToolResultWithWriter(message, "s", "/out", new MemoryWriter());
    expectTypeOf(one).toEqualTypeOf<DirectOffloadResult<VendorMessage>>();
    expect(Object.keys(one).sort()).toEqual(["file", "files", "freedChars", "message"]);
    const many = await offloadToolResults([], { outputDir: "never-made" });
    expectTypeOf(many).toExtend<HistoryOffloadResult>();
    expect(Object.keys(many).sort()).toEqual(["files", "freedChars", "messages", "offloadedCount"]);
  });

  it("have a writer in infrastructure for the port of core", () => {
    expectTypeOf<NodeFileWriter>().toExtend<FileWriter>();
    expect(typeof new NodeFileWriter().writeFile).toBe("function");
  });

  it("are exported wherever a public signature mentions them", () => {
    expect(mentionedButNotExported()).toEqual([
      // Types that are worked out of others; nobody would write them down.
      "./formats: BuiltInFormat in FormatName",
      "./formats: BuiltInFormat in FormatNamed",
      "./testing: MemoryArtifacts in MemoryStore",
      ".: ChosenAnswer in OffloaderFor",
      ".: ChosenTools in OffloaderFor",
    ]);
  });

  it("accept no workspace but what createWorkspace returned", () => {
    const lookalike = { ...entry.createWorkspace({ store: entry.memoryStore() }) };
    // A copy has the methods, but not what the offloader works with.
    expect(() => entry.createOffloader({ workspace: lookalike, sessionId: "s1" })).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "workspace" }),
    );
    type Methods = { [Name in keyof entry.Workspace as Name & string]: entry.Workspace[Name] };
    expectTypeOf<entry.Workspace>().toExtend<Methods>();
    expectTypeOf<Methods>().not.toExtend<entry.Workspace>();
  });

  it("demand the session of what is put", async () => {
    const workspace = entry.createWorkspace({ store: entry.memoryStore() });
    expectTypeOf<{ toolCallId: string }>().not.toExtend<entry.PutOptions>();
    for (const options of [undefined, {}, { sessionId: "" }, { sessionId: undefined }]) {
      await expect(workspace.put({ content: "x" }, options as entry.PutOptions)).rejects.toThrow(
        expect.objectContaining({ code: "INVALID_ARGUMENT", argument: "sessionId" }),
      );
    }
    expect((await workspace.queryArtifacts()).artifacts).toEqual([]);
    // Seed 004 gives it a default.
    await workspace.offloadByWorkspace({ content: "x" });
    expect((await workspace.queryArtifacts()).artifacts).toMatchObject([
      { sessionId: entry.DEFAULTS.session },
    ]);
  });

  it("are declared for TypeScript 5 without a complaint", () => {
    const declarations = fileURLToPath(new URL("../../dist/index.d.ts", import.meta.url));
    expect(existsSync(declarations)).toBe(true);
    expect(ts.version).toMatch(/^5\./);
    const program = ts.createProgram([declarations], {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      noEmit: true,
      skipDefaultLibCheck: true,
      types: [],
    });
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
    expect(messages).toEqual([]);
  });
});

describe("the entries of the package", () => {
  const { exported, checker } = readEntries();

  it("put what is assembled at the front, by name", () => {
    expect(Object.keys(entry)).toEqual(
      expect.arrayContaining([
        "createOffloader",
        "createWorkspace",
        "createToolResultOffload",
        "offloadToolResult",
        "offloadToolResults",
      ]),
    );
    expect(entry.offloadToolResult).toHaveLength(2);
  });

  it("keep the front door small", () => {
    expect(exported.get(".")?.length).toBeLessThanOrEqual(90);
  });

  it("say of every export and of every option what it is", () => {
    const isExplained = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;
    const symbols = [...new Set([...exported.values()].flat())];
    expect(symbols.filter((symbol) => !isExplained(symbol)).map(({ name }) => name)).toEqual([]);
    const options = symbols
      .filter(({ name }) => /(?:Options?|Settings|Limits|Retention|Input)$/.test(name))
      .flatMap((symbol) => checker.getDeclaredTypeOfSymbol(symbol).getProperties());
    expect(options.length).toBeGreaterThan(250);
    expect(options.filter((option) => !isExplained(option)).map(({ name }) => name)).toEqual([]);
  });

  it("export each function, class and constant from one place, but for the base of all errors", () => {
    const doors = new Map<ts.Symbol, string[]>();
    for (const [name, symbols] of exported) {
      for (const symbol of new Set(symbols.filter(({ flags }) => flags & ts.SymbolFlags.Value))) {
        doors.set(symbol, [...(doors.get(symbol) ?? []), name]);
      }
    }
    const shared = [...doors].filter(([, names]) => names.length > 1);
    expect(shared.map(([{ name }, names]) => [name, names])).toEqual([
      ["ContextOffloadError", [".", "./errors"]],
    ]);
  });
});

/** What each entry of the package exports, by its declarations. */
function readEntries() {
  const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === "string"
      ? []
      : [{ name, path: fileURLToPath(new URL(`../../${target.types}`, import.meta.url)) }],
  );
  const program = ts.createProgram(
    entries.map(({ path }) => path),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
    },
  );
  const checker = program.getTypeChecker();
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Map(
    entries.map(({ name, path }) => {
      const source = program.getSourceFile(path);
      const module = source && checker.getSymbolAtLocation(source);
      expect(module, name).toBeDefined();
      return [name, module ? checker.getExportsOfModule(module).map(resolved) : []] as const;
    }),
  );
  return { exported, checker, resolved };
}

/** The types that an entry's declarations refer to, and that no entry exports. */
function mentionedButNotExported(): string[] {
  const { exported, checker, resolved } = readEntries();
  const all = new Set([...exported.values()].flat());
  expect(all.size).toBeGreaterThan(250);
  const missing = new Set<string>();
  for (const [entry, own] of exported) {
    expect(own, entry).not.toEqual([]);
    for (const symbol of own) {
      const visit = (node: ts.Node): void => {
        const name = ts.isTypeReferenceNode(node)
          ? node.typeName
          : ts.isExpressionWithTypeArguments(node)
            ? node.expression
            : ts.isImportTypeNode(node)
              ? node.qualifier
              : undefined;
        const found = name && checker.getSymbolAtLocation(name);
        const type = found && resolved(found);
        const [declaration] = type?.declarations ?? [];
        const isOwn = declaration?.getSourceFile().fileName.includes("/dist/") === true;
        if (type && isOwn && !(type.flags & ts.SymbolFlags.TypeParameter) && !all.has(type)) {
          missing.add(`${entry}: ${type.name} in ${symbol.name}`);
        }
        ts.forEachChild(node, visit);
      };
      for (const declaration of symbol.declarations ?? []) visit(declaration);
    }
  }
  return [...missing].sort();
}
