import { factsIn, mentionsIn } from "./facts.mjs";

/**
 * Ways to describe a text within a number of characters, to measure digests by. Lines are printed with
 * their numbers, as in a digest.
 *
 * @typedef {(text: string, budgetChars: number, used: ReadonlySet<string>) => string} DigestWay
 */

/** @type {DigestWay} */
export const headAndTail = (text, budgetChars) => {
  const lines = numbered(text);
  const order = lines.flatMap((_, index) => [index, lines.length - 1 - index]);
  return fill(lines, [...new Set(order)], budgetChars);
};

/** @type {DigestWay} */
export const randomLines = (text, budgetChars) => {
  const lines = numbered(text);
  const order = [...lines.keys()];
  const random = seededRandom(lines.length);
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return fill(lines, order, budgetChars);
};

/** Names alone, in the order of the text: scores well and explains nothing. @type {DigestWay} */
export const bareNames = (text, budgetChars) => {
  let digest = "";
  for (const name of factsIn(text)) {
    if (digest.length + name.length + 1 <= budgetChars) digest += `${name} `;
  }
  return digest;
};

/** Lines with the most distinct names that no line before has shown, per character. @type {DigestWay} */
export const densestLines = (text, budgetChars) =>
  cover(text, budgetChars, (line) => factsIn(line));

/** The lines that show most of what is used later: what a digest that knew the future would show. @type {DigestWay} */
export const oracleLines = (text, budgetChars, used) => {
  const strict = [...used].some((fact) => fact.startsWith("\n"));
  return cover(text, budgetChars, (line) => {
    const mentions = mentionsIn(line, { strict });
    return new Set([...mentions].filter((name) => used.has(name)));
  });
};

/** The names that are used later. @type {DigestWay} */
export const oracleNames = (_text, budgetChars, used) => {
  let digest = "";
  for (const fact of used) {
    if (digest.length + fact.length + 1 <= budgetChars) digest += `${fact}\n`;
  }
  return digest;
};

/**
 * Takes the line that covers the most per character, again and again. What a line is worth only falls,
 * so a line that is still the best after it was counted anew is the best of all.
 *
 * @param {string} text
 * @param {number} budgetChars
 * @param {(line: string) => Set<string>} namesIn
 */
function cover(text, budgetChars, namesIn) {
  const lines = numbered(text);
  const names = lines.map((line) => namesIn(line));
  /** @type {Set<string>} */
  const shown = new Set();
  const worth = (/** @type {number} */ index) => {
    let count = 0;
    for (const name of names[index] ?? []) if (!shown.has(name)) count++;
    return count / (Math.min(lines[index]?.length ?? 0, budgetChars) + 1);
  };
  let queue = [...lines.keys()].map((index) => ({ index, worth: worth(index) }));
  queue = queue.filter((entry) => entry.worth > 0).sort((a, b) => b.worth - a.worth);
  /** @type {number[]} */
  const order = [];
  let room = budgetChars;
  while (room > 0 && queue.length > 0) {
    const [entry] = queue.splice(0, 1);
    if (!entry) break;
    const now = worth(entry.index);
    if (now === 0) continue;
    if (now < (queue[0]?.worth ?? 0)) {
      const at = queue.findIndex((other) => other.worth <= now);
      queue.splice(at < 0 ? queue.length : at, 0, { index: entry.index, worth: now });
      continue;
    }
    if ((lines[entry.index]?.length ?? 0) > room && order.length > 0) continue;
    order.push(entry.index);
    for (const name of names[entry.index] ?? []) shown.add(name);
    room -= (lines[entry.index]?.length ?? 0) + 1;
  }
  return fill(lines, order, budgetChars);
}

/** @param {string} text */
function numbered(text) {
  return text.split("\n").map((line, index) => `${index + 1}: ${line}`);
}

/**
 * The lines in this order of preference that fit, printed in the order of the text.
 *
 * @param {readonly string[]} lines
 * @param {readonly number[]} order
 * @param {number} budgetChars
 */
function fill(lines, order, budgetChars) {
  /** @type {number[]} */
  const chosen = [];
  let room = budgetChars;
  for (const index of order) {
    const length = (lines[index]?.length ?? 0) + 1;
    if (length > room && chosen.length > 0) continue;
    chosen.push(index);
    room -= length;
    if (room <= 0) break;
  }
  const text = chosen.sort((a, b) => a - b).map((index) => lines[index]);
  return text.join("\n").slice(0, budgetChars);
}

/** A small generator with a seed, so that every run gives the same. @param {number} seed */
function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
