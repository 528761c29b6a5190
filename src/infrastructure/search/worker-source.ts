/**
 * The program of the search worker, as text, so that it is found wherever a bundler puts this
 * package. The build puts the real one here (`scripts/bundle-worker.mjs`), and so does Vitest.
 */
export const WORKER_SOURCE: string = `throw new Error("the search worker was not built: run npm run build");`;
