/** Text in colors, or as it is where there are none. */
export type Colors = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>
>;

export function createColors(isOn: boolean): Colors {
  const paint = (start: number, end: number) => (text: string) =>
    isOn ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Control characters of stored content must not reach a terminal, where they could do harm. */
export function harmless(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are the characters to be shown as something else
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
}
