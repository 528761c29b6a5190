/** What was found: all right, something that could be set up, or something that is broken. */
export interface Finding {
  readonly state: "ok" | "hint" | "broken";
  readonly text: string;
}
