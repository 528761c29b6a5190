export {
  ARTIFACT_URI_TEMPLATE,
  artifactUri,
  parseArtifactUri,
  type ArtifactAddress,
} from "./artifact-uri.js";
export { createMcpServer, type McpServerOptions } from "./create-mcp-server.js";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway/gateway.js";
export {
  parseGatewayConfig,
  type GatewayConfig,
  type HttpServerConfig,
  type OffloadConfig,
  type ServerConfig,
  type StdioServerConfig,
  type ToolPolicy,
} from "./gateway/gateway-config.js";
export type { GatewayTimes } from "./gateway/gateway-times.js";
export { isSwitchedOff, OFF_FILE, OFF_VARIABLE } from "./off-switch.js";
export { serveHttp, type HttpServerHandle, type ServeHttpOptions } from "./serve-http.js";
export { serveStdio } from "./serve-stdio.js";
