// At most this much of a line is looked at, so that none of the expressions below can take long.
const LINE_CHARS = 240;

/** Declarations that begin with a keyword, in the languages that agents see most. */
const KEYWORD =
  /^(?:(?:export|default|declare|abstract|async|pub(?:\([\w: ]*\))?|public|private|protected|internal|static|final|sealed|open|override|virtual|inline|unsafe|extern(?: "C")?|const|constexpr|partial|data|suspend|readonly|template ?<[^>]*>)\s+)*(?:function\b\s*\*?\s*[\w$]|class\s+[\w$]|interface\s+[\w$]|enum\s+(?:class\s+)?\w|namespace\s+[\w$]|module\s+[\w$"']|def\s+\S|defp\s+\S|defmodule\s|defmacrop?\s|defprotocol\s|defimpl\s|func[ (]|fn\s+\w|fun\s+\w|struct\s+\w|union\s+\w|trait\s+\w|impl\b|mod\s+\w|macro_rules!|record\s+\w|object\s+\w|protocol\s+\w|extension\s+\w|type\s+[\w$]+(?:\s*[=<[{(]|\s+(?:struct|interface|func|\w))|typedef\s|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|TRIGGER|TYPE)\b)/;
/** Exports of a module, and functions assigned to a constant. */
const EXPORTED = /^(?:export\s+(?:const|let|var|default|\{|\*|=)|module\.exports\b|exports\.\w)/;
const FUNCTION_VALUE =
  /^(?:const|let|var|val)\s+[\w$]+\s*(?::[^=]{0,80})?=\s*(?:async\s*)?(?:function\b|\([^)]*\)?\s*(?::[^=]{0,80})?(?:=>|$)|[\w$]+\s*=>)/;
const GO_VALUE = /^(?:var|const)\s+(?:\(|[A-Z]\w*\s)/;
/** A test has no name of its own, but is what one looks for in a test file. */
const TEST_BLOCK =
  /^(?:describe|it|test|context|suite|bench|feature|scenario)(?:\.\w+)*\s*(?:\(\s*)?["'`]/;
/** A method: modifiers or a type, a name, parameters, and the start of a body. */
const METHOD =
  /^(?:[\w$<>[\],.?*&:~@]+\s+){0,6}[*&]{0,2}[\w$~#]+(?:::[\w$~]+)*\s*(?:<[^>]*>)?\([^;]*(?:\{|\)|,|\()$/;
const TYPED_METHOD =
  /^(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\s+)+[\w$<>[\],.? ]+\(/;
/** The end of the parameters and the start of a body, with at most a type or a clause between them. */
const BODY = /\)[^(){}=]{0,80}\{$/;
const SHELL_FUNCTION = /^(?:function\s+)?[\w-]+\s*\(\)\s*\{?/;
const NOT_A_NAME =
  /^(?:if|for|while|switch|catch|return|else|elif|elsif|do|try|with|when|case|throw|raise|new|await|yield|delete|typeof|assert|defer|go|select|unless|until|using|lock|super|import|from|use|require|print|echo)\b|^[})\]]|^["'`#*/]/;
const SECTION = /^\[{1,2}[\w.:"/ -]+\]{1,2}$/;

/** The declaration on a line, if there is one; `level` is its indentation. */
export function parseDeclaration(line: string): { text: string; level: number } | undefined {
  const cut = line.length > LINE_CHARS ? line.slice(0, LINE_CHARS) : line;
  const text = cut.trim();
  if (text.length < 4 || NOT_A_NAME.test(text)) return undefined;
  const level = indentLevel(cut);
  if (KEYWORD.test(text) || TEST_BLOCK.test(text)) return { text: headOf(text), level };
  if (level === 0) {
    if (
      EXPORTED.test(text) ||
      FUNCTION_VALUE.test(text) ||
      (GO_VALUE.test(text) && !text.endsWith(";"))
    ) {
      return { text: headOf(text), level };
    }
    if (SECTION.test(text)) return { text, level };
    // Without indentation a call is a statement; a definition has a return type or a body.
    const defines = /^(?:[\w$]+[\s*&]+){1,6}[\w$~:]+\s*\(/.test(text) || /\{$/.test(text);
    if (defines && (METHOD.test(text) || SHELL_FUNCTION.test(text)) && !/=/.test(text)) {
      return { text: headOf(text), level };
    }
    return undefined;
  }
  if (level > 2) return undefined;
  if (TYPED_METHOD.test(text) && !text.endsWith(";")) return { text: headOf(text), level };
  const body = BODY.test(text) && METHOD.test(text);
  return body && !/[=.]\s*[\w$]*\(|=>|\bfunction\b/.test(text)
    ? { text: headOf(text), level }
    : undefined;
}

/** A tab counts as much as two to four spaces. */
function indentLevel(line: string): number {
  let tabs = 0;
  let spaces = 0;
  for (let index = 0; index < line.length; index += 1) {
    const unit = line.charCodeAt(index);
    if (unit === 9) tabs += 1;
    else if (unit === 32) spaces += 1;
    else break;
  }
  return tabs + (spaces === 0 ? 0 : Math.ceil(spaces / 4));
}

/** The declaration without what opens its body. */
function headOf(text: string): string {
  const head = /[{:]$/.test(text) ? text.slice(0, -1).trimEnd() : text;
  return head
    .replace(/, (?:async )?(?:\([^()]*\) =>|function ?\([^()]*\))$/, ")")
    .replace(/ do$/, "");
}

/** The declaration without its parameters: enough to find it by. */
export function nameOf(text: string): string {
  // The first parentheses of a Go method hold its receiver.
  const from = /^func \(/.test(text) ? text.indexOf(")") : 0;
  const parameters = text.indexOf("(", Math.max(from, 0));
  return parameters > 4 && !/["'`]/.test(text) ? text.slice(0, parameters) : text;
}
