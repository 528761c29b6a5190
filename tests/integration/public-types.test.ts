import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, expectTypeOf, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import * as entry from "../../src/index.js";
import * as policies from "../../src/policies.js";
import * as testing from "../../src/testing/index.js";
import {
  NodeFileWriter,
  offloadToolResults,
  offloadToolResultWithWriter,
  type DirectOffloadResult,
  type FileWriter,
  type HistoryOffloadResult,
} from "../../src/index.js";
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
      "./testing: MemoryArtifacts in MemoryStore",
      ".: BuiltInFormat in FormatName",
      ".: BuiltInFormat in FormatNamed",
      ".: ChosenAnswer in OffloaderFor",
      ".: ChosenTools in OffloaderFor",
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

describe("the public entry", () => {
  it("exports what is put together, by name", () => {
    expect(Object.keys(entry).sort()).toEqual([
      "AmbiguousArtifactError",
      "ArtifactDamagedError",
      "ArtifactGoneError",
      "CallerFailedError",
      "ContentNotSerializableError",
      "ContextOffloadError",
      "DEFAULTS",
      "InvalidArgumentError",
      "InvalidEnvironmentError",
      "InvalidPatternError",
      "KeyMissingError",
      "NoToolResultError",
      "NodeFileWriter",
      "NotJsonError",
      "OutOfRangeError",
      "PackageMissingError",
      "PointerNotFoundError",
      "ReadFailedError",
      "SECRET_PATTERNS",
      "SearchFailedError",
      "SearchTimeoutError",
      "StoreUnreachableError",
      "TOOL_NAMES",
      "UnknownArtifactError",
      "UnknownFormatError",
      "UnsafePathError",
      "WriteFailedError",
      "aiSdkFormat",
      "aiSdkUiFormat",
      "ampFormat",
      "anthropicFormat",
      "bedrockFormat",
      "candidateIds",
      "claudeCodeFormat",
      "codexFormat",
      "continueFormat",
      "copilotCliFormat",
      "copyWorkspace",
      "createOffloader",
      "createToolResultOffload",
      "createWorkspace",
      "digestText",
      "estimateTokens",
      "factoryDroidFormat",
      "fileStore",
      "geminiCliFormat",
      "geminiFormat",
      "googleAdkFormat",
      "gooseFormat",
      "joinStores",
      "kimiFormat",
      "langchainFormat",
      "mcpFormat",
      "memoryStore",
      "messageLines",
      "objectStore",
      "offloadToolResult",
      "offloadToolResultWithWriter",
      "offloadToolResults",
      "offloadToolResultsWithWriter",
      "openTelemetry",
      "openaiAgentsFormat",
      "openaiChatFormat",
      "openaiResponsesFormat",
      "opencodeEventsFormat",
      "opencodeFormat",
      "openhandsFormat",
      "parseConversation",
      "parseFileReference",
      "parseKnowledgeList",
      "piFormat",
      "postgresMetadata",
      "postgresStore",
      "pydanticAiFormat",
      "qwenCodeFormat",
      "readOffloadedFile",
      "redactSecrets",
      "sqliteMetadata",
      "sqliteStore",
    ]);
    expect(entry.offloadToolResult).toHaveLength(2);
  });

  it("has doors of its own for policies and for tests", () => {
    expect(Object.keys(policies).sort()).toEqual([
      "afterTurns",
      "all",
      "any",
      "byTool",
      "cacheAware",
      "everything",
      "flagged",
      "keepErrors",
      "keepRecent",
      "minChars",
      "minRatio",
      "minTokens",
      "not",
      "tokenBudget",
    ]);
    expect(Object.keys(testing).sort()).toEqual([
      "MemoryStore",
      "createMemoryWorkspace",
      "defineStoreTests",
      "formatSuite",
      "storeSuite",
    ]);
  });
});

/** The types that an entry's declarations refer to, and that neither it nor the main entry exports. */
function mentionedButNotExported(): string[] {
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
  const exportsOf = (path: string): ts.Symbol[] => {
    const source = program.getSourceFile(path);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module).map(resolved) : [];
  };
  const main = exportsOf(entries[0]?.path ?? "");
  expect(main.length).toBeGreaterThan(100);
  const missing = new Set<string>();
  for (const { name: entry, path } of entries) {
    const own = exportsOf(path);
    expect(own, entry).not.toEqual([]);
    const exported = new Set([...main, ...own]);
    for (const symbol of own) {
      const visit = (node: ts.Node): void => {
        const name = ts.isTypeReferenceNode(node)
          ? node.typeName
          : ts.isExpressionWithTypeArguments(node)
            ? node.expression
            : undefined;
        const found = name && checker.getSymbolAtLocation(name);
        const type = found && resolved(found);
        const [declaration] = type?.declarations ?? [];
        const isOwn = declaration?.getSourceFile().fileName.includes("/dist/") === true;
        if (type && isOwn && !(type.flags & ts.SymbolFlags.TypeParameter) && !exported.has(type)) {
          missing.add(`${entry}: ${type.name} in ${symbol.name}`);
        }
        ts.forEachChild(node, visit);
      };
      for (const declaration of symbol.declarations ?? []) visit(declaration);
    }
  }
  return [...missing].sort();
}
