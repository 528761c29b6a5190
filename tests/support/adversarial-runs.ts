import fc from "fast-check";

/** How many generated cases to try: so many in CI, and a multiple of it with ADVERSARIAL_RUNS. */
export function runs(inCi: number): number {
  return Math.ceil(Number(process.env["ADVERSARIAL_RUNS"] ?? 1) * inCi);
}

/** The seed for what fast-check does not generate; the same one that FC_SEED sets. */
export function runSeed(): number {
  return fc.readConfigureGlobal().seed ?? Math.floor(Math.random() * 2 ** 31);
}
