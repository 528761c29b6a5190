import { requireObject, requireText } from "../core/arguments.js";
import { InvalidArgumentError } from "../core/errors/argument-errors.js";
import type { FileWriter } from "../core/files/file-writer.js";

export function requireOutputDir(outputDir: unknown): string {
  return requireText("outputDir", outputDir, "the folder for the files");
}

export function requireWriter(writer: unknown): FileWriter {
  const candidate = requireObject("writer", writer, "an object with a writeFile method");
  if ("writeFile" in candidate && typeof candidate.writeFile === "function") {
    return candidate as FileWriter;
  }
  throw new InvalidArgumentError("writer", writer, "an object with a writeFile method");
}
