import { colorSequence } from "./printable.js";

/** Text in colors, or as it is where there are none. */
export type Colors = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

export function createColors(isOn: boolean): Colors {
  const paint = (start: number, end: number) => (text: string) =>
    isOn ? colorSequence(start) + text + colorSequence(end) : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
