/**
 * What belongs to `offloadToolResult` and `offloadToolResults`: your own writer, and reading their references and files.
 *
 * @module files
 */
export {
  parseFileReference,
  type FileWriter,
  type FolderFile,
  type FolderWrite,
  type FolderWriteOutcome,
  type FolderWriter,
  type ParsedFileReference,
} from "./core/files/file-sink.js";
export { NodeFileWriter, readOffloadedFile } from "./infrastructure/files/file-writer.js";
export { offloadToolResultWithWriter } from "./presets/offload-tool-result.js";
export {
  offloadToolResultsWithWriter,
  type HistoryThresholds,
} from "./presets/offload-tool-results.js";
