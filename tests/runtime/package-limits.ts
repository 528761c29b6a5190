/** What the package may weigh. A change that needs more says so here. */
export const PACKAGE_LIMITS = {
  /** Bytes of the tarball: joined code, declarations, the source that their maps lead to, and the docs. */
  packedBytes: 1_000_000, // the stores and their suite, the drop-ins with a page and all types for each, twenty more formats, all of the API list
  /** Files of code in the tarball. */
  codeFiles: 40, // one for each drop-in
  /** Files that `import "context-offload"` reads. */
  importedFiles: 16, // one for each set of entries that share something
  /** Bytes of code that it reads. */
  importedBytes: 820_000, // the stores, which connection strings need at once, and the formats
};
