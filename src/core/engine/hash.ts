/** The hash of a text's stored bytes, as lower-case hexadecimal digits of 256 bits. Handed in, since core is pure. */
export type Hash = (data: string | Uint8Array) => string;
