import { describe, expect, it } from "vitest";
import { redactSecrets } from "../../src/index.js";
import { SECRET_PATTERNS } from "../../src/core/secrets/known-tokens.js";
import { PLANTED_SECRETS } from "../support/planted-secrets.js";

// Redaction runs on the host's own thread, over whatever a tool printed: no text may take much longer
// than another one of its length.
const CHARS = 40_000;
/** The worst takes about ten times as long as plain text; an expression that goes back over what it has read, hundreds of times. */
const MAX_RATIO = 60;

/** What expressions could stumble over, again and again: beginnings, near misses, and each of them whole. */
const UNITS = [
  ...new Set(
    PLANTED_SECRETS.flatMap(({ text }) => [
      ...[3, 4, 5, 8, 12, 20].map((chars) => text.slice(0, chars)),
      text.slice(0, -1),
      `${text.slice(0, -1)}!`,
      `${text.slice(0, Math.ceil(text.length / 2))}-`,
      text,
    ]),
  ),
  ...["eyJ", "eyJ-", "eyJhbGciOiJIUzI1.", "eyJhbGciOiJIUzI1.eyJ", "a://:", "://", "x:y@", "@", ":"],
  ...["password=", "password:", "token=(", "token: token(", "secret = [", "--password ", "?token="],
  ...'password=`|\'password\'|"password":"|\\"token\\":\\"|TOKEN=|_auth=|;pwd='.split("|"),
  ...[
    "-----",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMII\n",
    "-----END A-----",
  ],
  ...["\\n", "\\", "\u001b[", "\u001b[0m", "%3D", "[1;", "login a password ", "Private-Lines: 1\n"],
  ...["a", "A", "0", "_", "-", ".", "=", "/", " ", "\t", "\n", '"', "aB3", "a=1&", "name: TOKEN\n"],
];

function cpuOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const repeat = (unit: string) => unit.repeat(Math.ceil(CHARS / unit.length)).slice(0, CHARS);

describe("redactSecrets takes time in proportion to the text", () => {
  it("whatever the text repeats", () => {
    const plain = repeat("A line of plain words, with a number 42 in it.\n");
    for (let run = 0; run < 5; run++) redactSecrets(plain);
    // Together, since a single one is too short to be measured.
    const usual = cpuOf(() => {
      for (let run = 0; run < 20; run++) redactSecrets(plain);
    });
    const slow = UNITS.filter((unit) => {
      const text = repeat(unit);
      const isSlow = () => cpuOf(() => redactSecrets(text)) > (usual / 20) * MAX_RATIO;
      // Again, since a garbage collection may have come in between.
      return isSlow() && isSlow() && isSlow();
    });
    expect(slow).toEqual([]);
  });

  it("since nothing comes after what may be repeated at will", () => {
    // A web token is three runs with dots between them, looked at from where the first one begins. An
    // address goes on from one @ to the next, and has 256 characters before the first one.
    const exceptions = ["JSON web token", "password"];
    const wrong = SECRET_PATTERNS.filter(({ name, pattern }) => {
      const bare = pattern.source.replace(/\\./g, "E").replace(/\[[^\]]*\]/g, "C");
      return !exceptions.includes(name) && /[\w)](?:[*+]|\{\d+,\})[^|)]/.test(bare);
    });
    expect(wrong.map(({ name, pattern }) => [name, pattern.source])).toEqual([]);
  });
});
