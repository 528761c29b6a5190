/** A 256-bit hash of a text's stored bytes, in lower-case hexadecimal. Injected, since core is pure. */
export type Hash = (data: string | Uint8Array) => string;
