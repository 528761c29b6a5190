/** What the package may weigh. A change that needs more says so here. */
export const PACKAGE_LIMITS = {
  /** Bytes of the tarball: joined code, declarations, the source that their maps lead to, and the docs. */
  packedBytes: 1_300_000, // the stores and their suite, the drop-ins with a page and all types for each, twenty more formats, all of the API list
  /** Files of code in the tarball. */
  codeFiles: 80, // one for each entry, and chunks that entries share or load on use
  /** Files that `import "context-offload"` reads. */
  importedFiles: 32,
  /** Bytes of code that it reads. */
  importedBytes: 900_000, // with the ledger, tombstones and lookups by index; without the search, the reading verbs and their worker, which are loaded on use
};
