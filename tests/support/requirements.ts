import ts from "typescript";

/** A text and where it came from. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** An id and the file that it was found in. */
export interface Mention {
  readonly id: string;
  readonly path: string;
}

const ID = /^(?:\d{3}|DESIGN)(?:-[A-Za-z0-9]+)+$/;
const BRACKETS = /\[([^[\]]+)\]/g;
const TEST_FUNCTIONS = new Set(["describe", "it", "test"]);
/** A test that does not run proves nothing, nor does one that is expected to fail. */
const NO_PROOF = new Set(["skip", "todo", "fails"]);

/** The ids that the tables of the manifest define: the first cells of their rows. */
export function readRequirements(documents: readonly SourceText[]): Mention[] {
  return documents.flatMap(({ path, text }) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|")[1]?.trim() ?? "")
      .filter((cell) => cell !== "id" && !/^:?-+:?$/.test(cell))
      .map((id) => {
        if (!ID.test(id)) throw new Error(`${path}: "${id}" is not the id of a requirement`);
        return { id, path };
      }),
  );
}

/** The ids that stand in square brackets in the titles of tests and of groups of tests. */
export function readCitations(tests: readonly SourceText[]): Mention[] {
  return tests.flatMap(({ path, text }) =>
    readTitles(text).flatMap((title) =>
      [...title.matchAll(BRACKETS)]
        .flatMap(([, inner = ""]) => inner.split(/[\s,]+/))
        .filter((word) => ID.test(word))
        .map((id) => ({ id, path })),
    ),
  );
}

/** Everything that is wrong between a manifest and its tests, a sentence each. */
export function findGaps(
  requirements: readonly Mention[],
  citations: readonly Mention[],
): readonly string[] {
  const cited = new Set(citations.map(({ id }) => id));
  const defined = new Map<string, string>();
  const gaps: string[] = [];
  for (const { id, path } of requirements) {
    const earlier = defined.get(id);
    if (earlier !== undefined) gaps.push(`${id} is defined twice: in ${earlier} and in ${path}`);
    else if (!cited.has(id)) gaps.push(`${id} of ${path} is cited by no test`);
    defined.set(id, path);
  }
  for (const { id, path } of citations) {
    if (!defined.has(id)) gaps.push(`${id} is cited in ${path} and defined nowhere`);
  }
  return gaps;
}

function readTitles(text: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTestFunction(node.expression)) {
      const [title] = node.arguments;
      if (title && !ts.isFunctionLike(title)) titles.push(literalText(title));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("test.ts", text, ts.ScriptTarget.ES2022));
  return titles;
}

/** `it`, `it.each(…)`, `describe.skipIf(…)` and the like, but not what proves nothing. */
function isTestFunction(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return TEST_FUNCTIONS.has(callee.text);
  if (ts.isPropertyAccessExpression(callee)) {
    return !NO_PROOF.has(callee.name.text) && isTestFunction(callee.expression);
  }
  if (ts.isCallExpression(callee)) return isTestFunction(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && isTestFunction(callee.tag);
}

/** What is written out in a title; what is put into it at run time is left out. */
function literalText(title: ts.Expression): string {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title)) {
    return [title.head, ...title.templateSpans.map(({ literal }) => literal)]
      .map(({ text }) => text)
      .join("…");
  }
  if (ts.isBinaryExpression(title)) return literalText(title.left) + literalText(title.right);
  return "";
}
