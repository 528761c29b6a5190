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

/** A port, as an option gives it. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`${text}: is not a port; pass a number up to 65535`);
}

/** Until Ctrl-C: a server has no other end. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolvePromise) => {
    signal.addEventListener("abort", () => {
      resolvePromise();
    });
  });
}
