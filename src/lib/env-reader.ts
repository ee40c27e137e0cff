import { isEmail } from './text/names.ts'
import { parseBytes } from './text/show.ts'

export type Environment = Readonly<Record<string, string | undefined>>
export type EnvReader<Name extends string> = ReturnType<typeof createEnvReader<Name>>

export const HTTP = ['http:', 'https:'] as const
export const POSTGRES = ['postgres:', 'postgresql:'] as const

/**
 * Typed readers of single variables. They add a sentence to `faults` instead of throwing, so all are reported
 * together.
 */
export function createEnvReader<Name extends string>(env: Environment, faults: string[]) {
  const text = (name: Name): string | null => env[name]?.trim() || null
  const fault = (name: Name, problem: string, example: string) =>
    faults.push(`${name} ${problem}, for example ${name}=${example}`)

  function url(name: Name, protocols: readonly string[], example: string): string | null {
    const value = text(name)
    if (value === null) return null
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      fault(name, `is not a URL starting with ${protocols.map((p) => `${p}//`).join(' or ')}`, example)
      return null
    }
    return value.replace(/\/+$/, '')
  }

  return {
    text,
    fault,
    url,
    origin(name: Name, example: string): string | null {
      const value = url(name, HTTP, example)
      if (value === null) return null
      const { origin, pathname, search, hash } = new URL(value)
      if (pathname !== '/' || search || hash) fault(name, 'must be an address without a path', example)
      return origin
    },
    integer(name: Name, fallback: number, min: number, max: number): number {
      const value = text(name)
      if (value === null) return fallback
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= min && number <= max) return number
      fault(name, `is not a whole number from ${min} to ${max}`, String(Math.max(min, fallback)))
      return fallback
    },
    /** Like "50 GB"; a number alone is bytes. */
    bytes(name: Name, fallback: string): number {
      const bytes = parseBytes(text(name) ?? fallback)
      if (bytes === null) fault(name, 'is not a size in bytes, KB, MB, GB or TB', fallback)
      return bytes ?? 0
    },
    oneOf<const T extends string>(name: Name, values: readonly T[], fallback: T): T {
      const value = text(name)
      if (value === null) return fallback
      const found = values.find((candidate) => candidate === value)
      if (found === undefined) fault(name, `is not one of ${values.join(', ')}`, fallback)
      return found ?? fallback
    },
    date(name: Name): string | null {
      const value = text(name)
      if (value === null) return null
      const valid = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
      if (!valid) fault(name, 'is not a date', '2026-01-31')
      return valid ? value : null
    },
    headerName(name: Name, example: string): string | null {
      const value = text(name)
      if (value === null) return null
      const valid = /^[\w-]+$/.test(value)
      if (!valid) fault(name, 'is not the name of a header', example)
      return valid ? value : null
    },
    emails(name: Name): string[] {
      const addresses = (text(name) ?? '').split(',').flatMap((part) => part.trim().toLowerCase() || [])
      if (!addresses.every(isEmail)) {
        fault(name, 'is not a list of e-mail addresses separated by commas', 'ada@example.org,bo@example.org')
      }
      return addresses
    },
    secret(name: Name): string | null {
      const value = text(name)
      if (value !== null && value.length < 32) {
        faults.push(`${name} is shorter than 32 characters: make one with \`openssl rand -base64 48\``)
      }
      return value
    },
  }
}
