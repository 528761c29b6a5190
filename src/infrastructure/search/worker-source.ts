/**
 * The source code of the search worker, as a string, so that it works in every bundle. The build
 * (`scripts/bundle.mjs`) and Vitest replace this placeholder.
 */
export const WORKER_SOURCE: string = `throw new Error("the search worker was not built: run npm run build");`;
