export {
  ARTIFACT_URI_TEMPLATE,
  artifactUri,
  parseArtifactUri,
  type ArtifactAddress,
} from "./artifact-resources.js";
export { createMcpServer, type McpServerOptions, serveStdio } from "./create-mcp-server.js";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway/gateway.js";
export type { ProjectStore } from "./gateway/places.js";
export {
  parseGatewayConfig,
  type GatewayConfig,
  type HttpServerConfig,
  type OffloadConfig,
  type ServerConfig,
  type StdioServerConfig,
  type ToolPolicy,
  type GatewayLimits,
} from "./gateway/gateway-config.js";
export { isSwitchedOff, OFF_FILE, OFF_VARIABLE } from "./off-switch.js";
export type { ReadingToolList } from "./toolbox.js";
export { serveHttp, type HttpServerHandle, type ServeHttpOptions } from "./serve-http.js";
