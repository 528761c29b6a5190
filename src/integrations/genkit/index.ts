export {
  offloadMiddleware,
  type GenkitOptions,
  type OffloadMiddleware,
} from "./offload-middleware.js";
