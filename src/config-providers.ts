import { isObject } from './lib/field-readers.ts'
import { parseJsonOrNull } from './lib/json.ts'
import { isLoopbackHost } from './lib/net/loopback.ts'

/** Those that the account library knows; all others are OpenID Connect issuers. */
export const KNOWN_PROVIDERS = ['github', 'google', 'discord', 'gitlab'] as const
export type KnownProvider = (typeof KNOWN_PROVIDERS)[number]

export interface SignInProvider {
  id: string
  /** On the button: Continue with … */
  name: string
  /** null for those that the account library knows. */
  issuer: string | null
  clientId: string
  clientSecret: string
}

const PROVIDERS_MAX = 10
const ID = /^[a-z0-9-]{1,32}$/
const NAMES: Readonly<Record<KnownProvider, string>> = {
  github: 'GitHub',
  google: 'Google',
  discord: 'Discord',
  gitlab: 'GitLab',
}
export const PROVIDERS_EXAMPLE =
  '[{"id":"forge","name":"Forge","issuer":"https://forge.example.org","client_id":"…","client_secret":"…"}]'

/** Calls back with each fault: `is not a JSON list`. */
export function readProviders(text: string | null, fault: (problem: string) => void): SignInProvider[] {
  if (text === null) return []
  const list = parseJsonOrNull(text)
  if (!Array.isArray(list) || list.length > PROVIDERS_MAX) {
    fault(`is not a JSON list of at most ${PROVIDERS_MAX} providers`)
    return []
  }
  const providers = list.flatMap((entry: unknown, index) => {
    const problem = findProblem(entry)
    if (problem !== null || !isObject(entry)) {
      fault(`has an entry (number ${index + 1}) ${problem}`)
      return []
    }
    const { id, name, issuer, client_id, client_secret } = entry
    const known = isKnown(id) ? NAMES[id] : String(id)
    return [
      {
        id: String(id),
        name: typeof name === 'string' && name !== '' ? name : known,
        issuer: typeof issuer === 'string' ? issuer.replace(/\/+$/, '') : null,
        clientId: String(client_id),
        clientSecret: String(client_secret),
      },
    ]
  })
  if (new Set(providers.map(({ id }) => id)).size < providers.length) fault('names a provider twice')
  return providers
}

export function isKnown(id: unknown): id is KnownProvider {
  return KNOWN_PROVIDERS.some((known) => known === id)
}

function findProblem(entry: unknown): string | null {
  if (!isObject(entry)) return 'that is no object'
  const { id, issuer, client_id, client_secret } = entry
  if (typeof id !== 'string' || !ID.test(id) || id === 'credential') return 'without an id of a-z, 0-9 and -'
  if (typeof client_id !== 'string' || client_id === '') return 'without a client_id'
  if (typeof client_secret !== 'string' || client_secret === '') return 'without a client_secret'
  if (issuer === undefined) return isKnown(id) ? null : 'without an issuer'
  const url = typeof issuer === 'string' ? URL.parse(issuer) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  return isSafe ? null : 'whose issuer is not an https:// address'
}
