// Which requirements exist, which tests cite them, and which of those tests passed.

import ts from "typescript";

/**
 * @typedef {{ path: string, text: string }} SourceText A text and where it came from.
 * @typedef {{ id: string, path: string }} Mention An id and the file that it was found in.
 *
 * @typedef {object} TestReport The part of Vitest's JSON report that is used.
 * @property {readonly { name: string, assertionResults: readonly TestOutcome[] }[]} testResults
 *
 * @typedef {{ status: string, title: string, ancestorTitles: readonly string[] }} TestOutcome
 */

const ID = /^(?:\d{3}|DESIGN)(?:-[A-Za-z0-9]+)+$/;
const BRACKETS = /\[([^[\]]+)\]/g;
const TEST_FUNCTIONS = new Set(["describe", "it", "test"]);
/** A test that does not run proves nothing, nor does one that is expected to fail. */
const NO_PROOF = new Set(["skip", "todo", "fails"]);

/**
 * The ids that the tables of the manifest define: the first cells of their rows.
 *
 * @param {readonly SourceText[]} documents
 * @returns {Mention[]}
 */
export function readRequirements(documents) {
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

/**
 * The ids in square brackets in the titles of tests and of groups of tests.
 *
 * @param {readonly SourceText[]} tests
 * @returns {Mention[]}
 */
export function readCitations(tests) {
  return tests.flatMap(({ path, text }) =>
    readTitles(text).flatMap((title) => idsIn(title).map((id) => ({ id, path }))),
  );
}

/**
 * The ids in the titles of the tests that ran and passed.
 *
 * @param {TestReport} report
 * @returns {Mention[]}
 */
export function readProofs({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === "passed")
      .flatMap(({ title, ancestorTitles }) => [...ancestorTitles, title].flatMap(idsIn))
      .map((id) => ({ id, path: name })),
  );
}

/**
 * Every disagreement between a manifest and its tests, one sentence each.
 *
 * @param {readonly Mention[]} requirements
 * @param {readonly Mention[]} citations
 * @param {string} missing What to say about a requirement that is not cited.
 */
export function findGaps(requirements, citations, missing = "is cited by no test") {
  const cited = new Set(citations.map(({ id }) => id));
  /** @type {Map<string, string>} */
  const defined = new Map();
  /** @type {string[]} */
  const gaps = [];
  for (const { id, path } of requirements) {
    const earlier = defined.get(id);
    if (earlier !== undefined) gaps.push(`${id} is defined twice: in ${earlier} and in ${path}`);
    else if (!cited.has(id)) gaps.push(`${id} of ${path} ${missing}`);
    defined.set(id, path);
  }
  for (const { id, path } of citations) {
    if (!defined.has(id)) gaps.push(`${id} is cited in ${path}, but not defined anywhere`);
  }
  return gaps;
}

/** @param {string} title */
function idsIn(title) {
  return [...title.matchAll(BRACKETS)]
    .flatMap(([, inner = ""]) => inner.split(/[\s,]+/))
    .filter((word) => ID.test(word));
}

/** @param {string} text */
function readTitles(text) {
  /** @type {string[]} */
  const titles = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isCallExpression(node)) {
      const modifiers = testModifiers(node.expression);
      // Tests in a skipped group do not run either.
      if (modifiers?.some((name) => NO_PROOF.has(name))) return;
      const [title] = node.arguments;
      if (modifiers && title && !ts.isFunctionLike(title)) titles.push(literalText(title));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("test.ts", text, ts.ScriptTarget.ES2022));
  return titles;
}

/**
 * The names after `it`, as in `it.each(…)` and `describe.skipIf(…)`; `undefined` if it is not a test.
 *
 * @param {ts.Expression} callee
 * @returns {string[] | undefined}
 */
function testModifiers(callee) {
  if (ts.isIdentifier(callee)) return TEST_FUNCTIONS.has(callee.text) ? [] : undefined;
  if (ts.isPropertyAccessExpression(callee)) {
    return testModifiers(callee.expression)?.concat(callee.name.text);
  }
  if (ts.isCallExpression(callee)) return testModifiers(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? testModifiers(callee.tag) : undefined;
}

/**
 * The literal text of a title, without what is inserted at run time.
 *
 * @param {ts.Expression} title
 * @returns {string}
 */
function literalText(title) {
  if (ts.isStringLiteralLike(title)) return title.text;
  if (ts.isTemplateExpression(title)) {
    return [title.head, ...title.templateSpans.map(({ literal }) => literal)]
      .map(({ text }) => text)
      .join("…");
  }
  if (ts.isBinaryExpression(title)) return literalText(title.left) + literalText(title.right);
  return "";
}
