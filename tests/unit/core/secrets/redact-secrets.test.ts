import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SECRET_PATTERNS } from "../../../../src/core/secrets/known-tokens.js";
import { redactSecrets } from "../../../../src/core/secrets/redact-secrets.js";
import { AROUND, HARMLESS, PLANTED_SECRETS, TOKENS } from "../../../support/planted-secrets.js";

describe("redactSecrets", () => {
  it("has an example of every kind", () => {
    const kinds = new Set(PLANTED_SECRETS.map(({ kind }) => kind));
    expect(SECRET_PATTERNS.filter(({ name }) => !kinds.has(name))).toEqual([]);
  });

  it.each(PLANTED_SECRETS)("finds a $kind in $text", ({ kind, text, secret }) => {
    const redacted = redactSecrets(text);
    expect(redacted).not.toContain(secret);
    expect(redacted).toContain(`[redacted ${kind}]`);
  });

  it("keeps what is around a secret", () => {
    const url = "postgres://user:pa:ss/wo#rd@db.internal/app?mail=a@b.org";
    expect(redactSecrets(url)).toBe(
      "postgres://user:[redacted password]@db.internal/app?mail=a@b.org",
    );
    expect(redactSecrets("A=1\nDB_PASSWORD=hunter2; B=2")).toBe(
      "A=1\nDB_PASSWORD=[redacted password]; B=2",
    );
    expect(redactSecrets('{"password":"hunter2","user":"ada"}')).toBe(
      '{"password":"[redacted password]","user":"ada"}',
    );
  });

  it.each(Object.keys(AROUND))("finds every token in %s", (name) => {
    const around = AROUND[name] ?? ((token) => token);
    const missed = Object.values(TOKENS)
      .flat()
      .filter((token) => redactSecrets(around(token)).includes(token));
    expect(missed).toEqual([]);
  });

  it("finds every secret in the text of JSON, and of JSON in JSON", () => {
    const escape = (text: string) => JSON.stringify({ stdout: `before\n${text}\nafter` });
    const missed = PLANTED_SECRETS.filter(({ text, secret }) => {
      const inJson = JSON.stringify(secret).slice(1, -1);
      return (
        redactSecrets(escape(text)).includes(inJson) ||
        redactSecrets(escape(escape(text))).includes(JSON.stringify(inJson).slice(1, -1))
      );
    });
    expect(missed).toEqual([]);
  });

  it.each(HARMLESS)("leaves alone: %s", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it("leaves hashes, ids and plain words alone, whatever they are", () => {
    const hash = fc.stringMatching(/^[0-9a-f]{7,128}$/);
    const words = fc.stringMatching(/^[a-z ,.\n]{0,200}$/);
    fc.assert(
      fc.property(fc.oneof(hash, fc.uuid(), words, fc.date().map(String)), (text) => {
        expect(redactSecrets(text)).toBe(text);
      }),
    );
  });

  it("redacts nothing twice", () => {
    for (const { text } of PLANTED_SECRETS) {
      const once = redactSecrets(text);
      expect(redactSecrets(once)).toBe(once);
    }
  });

  it("finds a secret wherever it is in a text, and changes nothing else", () => {
    const lines = fc.array(fc.stringMatching(/^[a-z0-9 .,()/]{0,60}$/), { maxLength: 20 });
    const planted = fc.constantFrom(...PLANTED_SECRETS);
    fc.assert(
      fc.property(lines, planted, lines, (before, { text, secret }, after) => {
        const around = [before.join("\n"), after.join("\n")] as const;
        const redacted = redactSecrets([around[0], text, around[1]].join("\n"));
        expect(redacted).not.toContain(secret);
        expect(redacted.startsWith(around[0])).toBe(true);
        expect(redacted.endsWith(around[1])).toBe(true);
      }),
    );
  });

  it("knows a value by the name of its field", () => {
    const isRedacted = (field: string, text: string) => redactSecrets(text, { field }) !== text;
    expect(isRedacted("password", "hunter2")).toBe(true);
    expect(isRedacted("DB_PASSWORD", "correct")).toBe(true);
    expect(isRedacted("SecretAccessKey", "aB3dE5gH7jK9mN1pQ2/x")).toBe(true);
    expect(isRedacted("password", "string")).toBe(false);
    expect(isRedacted("nextToken", "aB3dE5gH7jK9mN1pQ2/x")).toBe(false);
    expect(isRedacted("name", "hunter2")).toBe(false);
  });
});
