import { CommandError } from "../command-error.js";

/** The price of a million tokens, as an option gives it. */
export function readPrice(text: string): number {
  const price = Number(text);
  if (text.trim() !== "" && Number.isFinite(price) && price >= 0) return price;
  throw new CommandError(
    `the price ${JSON.stringify(text)} is not a number; pass one, as in --price 3`,
  );
}
