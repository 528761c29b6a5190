import { DEFAULTS } from "../../defaults.js";

/** Whether a reference is worth leaving: it must save a good part of what it stands for. */
export function savesEnough(referenceTokens: number, contentTokens: number): boolean {
  return referenceTokens <= contentTokens * (1 - DEFAULTS.minSavedShare);
}
