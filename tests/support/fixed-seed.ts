import fc from "fast-check";

/**
 * Generated inputs are the same in every run, so that a red test is red again. To look further, set
 * FC_SEED to your own number, or to "random".
 */
const { FC_SEED = "20260301" } = process.env;
if (FC_SEED !== "random") fc.configureGlobal({ seed: Number(FC_SEED) });
