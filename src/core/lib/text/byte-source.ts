/** Bytes that can be read piece by piece, wherever they are kept. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly size: number;
  /** The bytes from `start` up to, not including, `end`; fewer where they end before. */
  read(start: number, end: number): Promise<Uint8Array>;
}
