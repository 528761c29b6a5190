import { linesOf, type SampledText } from "./line-scanner.js";

const MOST_LINES = 10;

/**
 * Where the output proper begins when a harness has put a few lines about the run before it, which
 * end in a line `Output:` or `OBSERVATION:`. Nothing is guessed beyond these.
 */
export function withoutPreamble(sampled: SampledText): {
  readonly sampled: SampledText;
  readonly offset: number;
} {
  const [segment, ...others] = sampled.segments;
  if (segment === undefined) return { sampled, offset: 0 };
  let offset = 0;
  let seen = 0;
  for (const line of linesOf(segment)) {
    if (seen >= MOST_LINES || line.text.length > 200) break;
    seen += 1;
    offset = segment.text.indexOf("\n", offset) + 1;
    if (offset === 0) break;
    if (!/^(?:output|observation|stdout|result):\s*$/i.test(line.text)) continue;
    const rest = { ...segment, text: segment.text.slice(offset), firstLine: line.number + 1 };
    return { sampled: { ...sampled, segments: [rest, ...others] }, offset };
  }
  return { sampled, offset: 0 };
}
