/** A result that is stored, or would be. */
export interface StoredResult {
  readonly reference: string;
  readonly tokens: number;
  /** `undefined` when nothing was stored yet. */
  readonly artifactId: string | undefined;
}

/** Why a result stayed though the policy let it go. */
export interface Refusal {
  readonly outcome: "kept" | "failed";
  readonly reason: string;
  readonly error?: unknown;
}
