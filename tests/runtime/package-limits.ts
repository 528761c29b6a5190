/** What the package may weigh. A change that needs more says so here. */
export const PACKAGE_LIMITS = {
  /** Bytes of the tarball: joined code, declarations, the source that their maps lead to, and the docs. */
  packedBytes: 740_000, // the stores for SQLite, PostgreSQL and object storage, and the suite for stores
  /** Files of code in the tarball. */
  codeFiles: 10,
  /** Files that `import "context-offload"` reads. */
  importedFiles: 5,
  /** Bytes of code that it reads. */
  importedBytes: 680_000, // the stores, which connection strings need at once
};
