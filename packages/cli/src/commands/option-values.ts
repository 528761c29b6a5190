import { CommandError } from "../command-error.js";

/** A whole number, as an option gives it. */
export function parseCount(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new CommandError(`${text}: is not a whole number; pass one such as 10`);
}

/** The price of a million tokens, as an option gives it. */
export function parsePrice(text: string): number {
  const price = Number(text);
  if (text.trim() !== "" && Number.isFinite(price) && price >= 0) return price;
  throw new CommandError(
    `the price ${JSON.stringify(text)} is not a number; pass one, as in --price 3`,
  );
}
