const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** Whether a host, as a URL has it, names the machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}
