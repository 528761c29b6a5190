import { rolldown } from "rolldown";

/**
 * The module `worker-source` with the search worker and everything that it imports as one CommonJS
 * script, for `new Worker(text, { eval: true })`. Minified, since no minifier shortens a string.
 *
 * @param {string} entry the worker's main file, as TypeScript or compiled
 * @returns {Promise<string>}
 */
export async function bundleWorkerSource(entry) {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    transform: { target: "node18" },
  });
  const { output } = await bundle.generate({
    format: "cjs",
    minify: true,
  });
  await bundle.close();
  const [{ code }] = output;
  return `export const WORKER_SOURCE = ${JSON.stringify(code)};\n`;
}
