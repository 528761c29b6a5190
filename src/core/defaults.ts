/** Every threshold of the package, once. The documentation quotes these. */
export const DEFAULTS = Object.freeze({
  /** A tool result shorter than this stays in a history pass (`OFFLOAD_CHAR_THRESHOLD`). */
  charThreshold: 100,
  /** A history pass is skipped when less than this share could leave (`OFFLOAD_RATIO_THRESHOLD`). */
  ratioThreshold: 0.2,
  /** How many contents are written at the same time. */
  writeConcurrency: 8,
});
