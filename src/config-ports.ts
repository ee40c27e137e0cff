import type { Config } from './config.ts'

/** Where an address without a port leads. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'smtp:': 587,
  'smtps:': 465,
}

/**
 * The ports of the store and of every service it uses. Reads the whole configuration, whatever its settings are
 * called, so that a new service is included.
 */
export function listServicePorts(config: Config): ReadonlySet<number> {
  return new Set(portsIn('', config))
}

function portsIn(name: string, value: unknown): number[] {
  if (typeof value === 'number') return /port$/i.test(name) ? [value] : []
  if (typeof value === 'string') return portsOfAddress(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => portsIn(key, part))
}

function portsOfAddress(text: string): number[] {
  const url = URL.parse(text)
  const port = url && (Number(url.port) || DEFAULT_PORTS[url.protocol])
  return port ? [port] : []
}
