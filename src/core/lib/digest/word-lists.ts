/** Endings by which a word with a dot is a file rather than a property. */
export const FILE_ENDINGS: ReadonlySet<string> = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs json jsonl json5 jsonc yaml yml toml md mdx rst txt log csv tsv " +
    "py pyi ipynb rb go mod sum rs java kt swift c cc cpp h hpp cs php lua sh bash zsh fish ps1 sql " +
    "html htm css scss less vue svelte xml svg png jpg jpeg gif pdf lock env ini cfg conf snap patch " +
    "diff proto tf gradle zip gz tar tgz whl exe db sqlite ttf woff woff2 wasm ex exs erl hs ml scala dart"
  ).split(" "),
);

/** Words that announce a failure, in small letters. */
export const TROUBLE_WORDS: readonly string[] = (
  "error errors err fail fails failed failure failures failing exception exceptions panic panicked fatal " +
  "traceback critical severe denied refused abort aborted unhandled timeout threshold cannot " +
  "missing invalid undefined unexpected segmentation warning warn"
).split(" ");

/** What statements and declarations begin with, in the languages that agents see most. */
export const CODE_WORDS: ReadonlySet<string> = new Set(
  (
    "import export const let var function class interface enum namespace module def defp defmodule func fn " +
    "fun struct trait impl mod pub use package public private protected internal static final abstract " +
    "override async await return if else elif for while switch case try catch finally throw raise with from " +
    "type typedef extern template using require include describe it test beforeEach afterEach expect print " +
    "self this super new yield assert defer go select do end unless until begin rescue then fi done esac " +
    "echo local set readonly declare extends default break continue del global nonlocal lambda pass except " +
    "CREATE SELECT INSERT UPDATE ALTER DROP FROM WHERE"
  ).split(" "),
);

/** What declarations begin with: the lines that say what a file offers. */
export const DECLARING_WORDS: ReadonlySet<string> = new Set(
  (
    "export function class interface enum namespace module def defp defmodule defmacro func fn fun struct " +
    "trait impl mod pub type typedef public protected abstract describe it test macro_rules object record " +
    "protocol extension data sealed CREATE"
  ).split(" "),
);
