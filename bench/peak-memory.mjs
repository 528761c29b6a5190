import { readFileSync } from "node:fs";

/**
 * The most memory that this process has had, in bytes. What the system counts for a process that was
 * started by a larger one begins with that one's size, so Linux is asked for the process itself.
 */
export function peakMemory() {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
