import type { PageSegment, PageStrip } from "../page-types.js";
import { counted, h, name, svg, visible } from "./dom.js";

const WIDTH = 1_000;
const HEIGHT = 40;
const GAP = 0.8;
/** Parts that are narrower are joined with those beside them. */
const MIN_WIDTH = 0.6;

type Measure = "whole" | "sent";

/** A conversation as two bars of the same scale: as it is whole, and as it was sent in the end. */
export function renderStrip(
  strip: PageStrip | undefined,
  session: string | undefined,
  open: (artifactId: string) => void,
): HTMLElement {
  const title = h("h2", { id: "strip-title" }, "Conversation");
  const section = h("section", { class: "strip", "aria-labelledby": "strip-title" }, title);
  if (!strip || session === undefined || strip.segments.length === 0) {
    section.append(
      h(
        "p",
        { class: "soft" },
        "The ledger does not tell what was sent of this session, and no recording of it was found; name one with ",
        h("code", {}, "--recorded"),
        ".",
      ),
    );
    return section;
  }
  const sum = (measure: Measure): number =>
    strip.segments.reduce((tokens, segment) => tokens + segment[measure], 0);
  const max = Math.max(1, sum("whole"), sum("sent"));
  section.append(
    h(
      "p",
      { class: "soft" },
      "Session ",
      name(session),
      strip.recording === undefined
        ? ": its results and what was read of them. The messages between them are only in the recorded conversation; name it with "
        : ", as recorded in ",
      strip.recording === undefined ? h("code", {}, "--recorded") : name(strip.recording),
      ".",
    ),
    renderBar("whole", `whole: ${counted(sum("whole"), "token")}`),
    renderBar("sent", `with references: ${counted(sum("sent"), "token")}`),
    h(
      "p",
      { class: "legend" },
      ...[
        ["message", "messages"],
        ["result", "results"],
        ["reference", "references"],
        ["read", "read back"],
      ].map(([kind, text]) =>
        h("span", { class: "entry" }, h("i", { class: `swatch ${kind ?? ""}` }), text),
      ),
    ),
  );
  return section;

  function renderBar(measure: Measure, label: string): HTMLElement {
    return h(
      "figure",
      {},
      h("figcaption", {}, label),
      svg(
        "svg",
        {
          class: "strip-bar",
          viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": label,
        },
        ...layOut(measure).map(({ segment, x, width, tokens }) => {
          const kind =
            segment.kind === "result" && measure === "sent" && segment.sent < segment.whole
              ? "reference"
              : segment.kind;
          const { artifactId } = segment;
          return svg(
            "rect",
            {
              ...{
                class: artifactId === undefined ? kind : `${kind} opens`,
                x,
                y: 0,
                width,
                height: HEIGHT,
              },
              ...(artifactId === undefined
                ? {}
                : {
                    click: () => {
                      open(artifactId);
                    },
                  }),
            },
            svg("title", {}, `${visible(segment.label)}: ${counted(tokens, "token")}`),
          );
        }),
      ),
    );
  }

  function layOut(measure: Measure) {
    const scale = WIDTH / max;
    const placed: { segment: PageSegment; x: number; width: number; tokens: number }[] = [];
    let at = 0;
    for (const segment of strip?.segments ?? []) {
      const tokens = segment[measure];
      if (tokens === 0) continue;
      const last = placed.at(-1);
      if (
        last &&
        last.width < MIN_WIDTH + GAP &&
        last.segment.kind === segment.kind &&
        tokens * scale < MIN_WIDTH + GAP
      ) {
        last.tokens += tokens;
        last.width = (at + tokens) * scale - last.x;
      } else placed.push({ segment, x: at * scale, width: tokens * scale, tokens });
      at += tokens;
    }
    return placed.map((one) => ({ ...one, width: Math.max(MIN_WIDTH, one.width - GAP) }));
  }
}
