/**
 * Sends all results whole: what the others are measured against.
 *
 * @type {import("../replay.mjs").System}
 */
export const everything = {
  name: "everything",
  start: async () => ({ overhead: "", present: (history) => [...history] }),
};
