export {
  offloadProcessor,
  type MastraOptions,
  type OffloadProcessor,
} from "./offload-processor.js";
