/** The hash of a text, as lower-case hexadecimal digits of at least 256 bits. Handed in, since core is pure. */
export type Hash = (text: string) => string;
