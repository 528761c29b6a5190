import { requireObject, requireString } from "../arguments.js";
import { isSecretField, redactAssignments } from "./assignments.js";
import { SECRET_PATTERNS } from "./known-tokens.js";
import { redactPrivateKeys } from "./private-keys.js";

/**
 * Replaces secrets of the common kinds by a mark that names the kind: keys of clouds and services,
 * tokens, private keys, passwords in addresses, and values whose name says that they are secret, in
 * variables, settings, headers and JSON. Takes time in proportion to the text.
 *
 * @param context - With `field`, the name under which the text is stored in a value.
 * @example
 * const workspace = createWorkspace({ root: ".offload", redact: redactSecrets });
 */
export function redactSecrets(
  text: string,
  context: { readonly field?: string | undefined } = {},
): string {
  requireObject("context", context, "an object, or omitted");
  const { field } = context;
  let redacted = redactPrivateKeys(requireString("text", text), mark("private key"));
  for (const { name, pattern } of SECRET_PATTERNS) {
    redacted = redacted.replace(pattern, (_, kept: unknown) =>
      typeof kept === "string" ? kept + mark(name) : mark(name),
    );
  }
  redacted = redactAssignments(redacted, markOf);
  if (redacted !== text || field === undefined) return redacted;
  const secret = isSecretField(field, text);
  return secret ? markOf(secret.isPassword) : text;
}

function markOf(isPassword: boolean): string {
  return mark(isPassword ? "password" : "secret");
}

function mark(name: string): string {
  return `[redacted ${name}]`;
}
