import { requireString } from "./arguments.js";

/** A kind of secret that can be recognized by its form. */
export interface SecretPattern {
  /** What takes its place: `[redacted <name>]`. */
  readonly name: string;
  /** With the flag `g`. The first group, if there is one, is kept; what follows it is the secret. */
  readonly pattern: RegExp;
}

/**
 * Secrets of the most common kinds, each by a form that hardly anything else has. Every expression is
 * linear: no part of one can match where another part of it could match as well.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    name: "private key",
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^-]{1,16384}(?:-----END [A-Z0-9 ]{1,60}-----)?/g,
  },
  { name: "AWS access key", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g },
  {
    name: "AWS secret key",
    pattern:
      /(aws_?secret_?(?:access_?)?key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  { name: "Google API key", pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  { name: "Google OAuth token", pattern: /\bya29\.[\w-]{20,512}/g },
  { name: "GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b/g },
  { name: "GitLab token", pattern: /\bgl(?:pat|ptt|dt|rt|cbt|ft|soat)-[\w-]{20,64}(?![\w-])/g },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g },
  {
    name: "Slack webhook",
    pattern: /(https:\/\/hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]{20,120}/g,
  },
  { name: "Stripe key", pattern: /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}\b/g },
  { name: "Anthropic key", pattern: /\bsk-ant-[\w-]{20,200}(?![\w-])/g },
  {
    name: "OpenAI key",
    pattern: /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,250}|[A-Za-z0-9]{48})(?![\w-])/g,
  },
  { name: "Hugging Face token", pattern: /\bhf_[A-Za-z]{34}\b/g },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: "PyPI token", pattern: /\bpypi-AgE[\w-]{50,1000}/g },
  { name: "SendGrid key", pattern: /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/g },
  { name: "Twilio key", pattern: /\bSK[0-9a-f]{32}\b/g },
  { name: "DigitalOcean token", pattern: /\bdo[op]_v1_[0-9a-f]{64}\b/g },
  { name: "Azure storage key", pattern: /(AccountKey=)[A-Za-z0-9+/]{86}==/g },
  {
    name: "JSON web token",
    pattern: /\beyJ[\w-]{10,4096}\.eyJ[\w-]{10,8192}\.[\w-]{20,1024}(?![\w-])/g,
  },
  {
    name: "password",
    // The password in the address of a database, a queue or a server.
    pattern:
      /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/?#"'<>]{0,128}:)[^\s:@/?#"'<>]{1,256}(?=@[^\s@/]{1,256})/gi,
  },
  {
    name: "bearer token",
    pattern:
      /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s)[\w.~+/=-]{16,4096}/gi,
  },
  {
    name: "secret",
    pattern:
      /(\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret)["']?\s{0,4}[:=]\s{0,4}["'])[^"'\s]{12,512}(?=["'])/gi,
  },
];

/**
 * Replaces secrets of the common kinds by a mark that names the kind: keys of clouds and services,
 * tokens, private keys, passwords in connection strings.
 *
 * @example
 * const workspace = createWorkspace({ root: ".offload", redact: redactSecrets });
 */
export function redactSecrets(text: string): string {
  let redacted = requireString("text", text);
  for (const { name, pattern } of SECRET_PATTERNS) {
    redacted = redacted.replace(pattern, (...match: unknown[]) => {
      const [, kept] = match;
      return `${typeof kept === "string" ? kept : ""}[redacted ${name}]`;
    });
  }
  return redacted;
}
