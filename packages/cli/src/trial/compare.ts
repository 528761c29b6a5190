/** With fewer runs each, an interval says more about luck than about the two ways. */
export const MIN_RUNS = 5;

/** The difference of two means or shares, and its 95 % interval. */
export interface Difference {
  readonly with: number;
  readonly without: number;
  /** `with − without`. */
  readonly difference: number;
  /** `undefined` where there are too few runs. */
  readonly interval: readonly [from: number, to: number] | undefined;
}

/** By Welch's t. */
export function compareMeans(withUs: readonly number[], without: readonly number[]): Difference {
  const [one, other] = [describe(withUs), describe(without)];
  const difference = one.mean - other.mean;
  const means = { with: one.mean, without: other.mean, difference };
  if (Math.min(withUs.length, without.length) < MIN_RUNS) return { ...means, interval: undefined };
  const [a, b] = [one.variance / withUs.length, other.variance / without.length];
  const error = Math.sqrt(a + b);
  const freedom =
    error === 0
      ? withUs.length + without.length - 2
      : (a + b) ** 2 / (a ** 2 / (withUs.length - 1) + b ** 2 / (without.length - 1));
  const margin = error * quantileOfT(freedom);
  return { ...means, interval: [difference - margin, difference + margin] };
}

/** Of those that succeeded, in percent; by Newcombe's score interval, which holds for few runs and for all or none. */
export function compareShares(withUs: readonly boolean[], without: readonly boolean[]): Difference {
  const [one, other] = [scoreOf(withUs), scoreOf(without)];
  const difference = one.share - other.share;
  const means = { with: one.share, without: other.share, difference };
  if (Math.min(withUs.length, without.length) < MIN_RUNS) return { ...means, interval: undefined };
  const below = Math.hypot(one.share - one.from, other.to - other.share);
  const above = Math.hypot(one.to - one.share, other.share - other.from);
  return { ...means, interval: [difference - below, difference + above] };
}

/** The 0.975 quantile of the normal distribution. */
const NORMAL = 1.959964;

/** Wilson's interval of one share, in percent. */
function scoreOf(outcomes: readonly boolean[]) {
  const count = outcomes.length;
  const successes = outcomes.filter(Boolean).length;
  const square = NORMAL ** 2;
  const center = successes + square / 2;
  const half = NORMAL * Math.sqrt((successes * (count - successes)) / count + square / 4);
  const percent = 100 / (count + square);
  return {
    share: (100 * successes) / count,
    ...{ from: (center - half) * percent, to: (center + half) * percent },
  };
}

/** Whether the interval leaves open which of the two is larger. */
export function isOpen({ interval }: Difference): boolean {
  return !interval || (interval[0] <= 0 && interval[1] >= 0);
}

function describe(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / Math.max(1, values.length - 1) };
}

/** The 0.975 quantile of Student's t, by degrees of freedom from 1 on. */
const QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
];

/** Rounded to the wider interval. */
function quantileOfT(freedom: number): number {
  return QUANTILES[Math.min(QUANTILES.length, Math.max(1, Math.floor(freedom))) - 1] as number;
}
