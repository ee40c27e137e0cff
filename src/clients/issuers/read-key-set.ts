import type { JSONWebKeySet } from 'jose'

import { isObject } from '../../lib/field-readers.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import { fetchOutside } from '../outside/fetch-outside.ts'
import { OutsideFailure } from '../outside/outside-failure.ts'

/** For both documents together: a pipeline waits for them. */
const TIMEOUT_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024
const KEYS_MAX = 100

/** Reads the keys that an OpenID Connect issuer publishes. Throws `OutsideFailure`, whatever is wrong. */
export async function readKeySet(issuer: string): Promise<JSONWebKeySet> {
  const deadline = performance.now() + TIMEOUT_MS
  const discovery = await readDocument(
    issuer,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    deadline,
  )
  if (discovery.issuer !== issuer)
    throw fault('Its discovery document names another issuer. Check the address in TRUSTED_ISSUERS.')
  const { keys } = await readDocument(issuer, readKeysUrl(issuer, discovery.jwks_uri), deadline)
  if (!Array.isArray(keys) || !keys.every(isObject)) throw fault('Its key set has no list of keys.')
  if (keys.length > KEYS_MAX) throw fault(`Its key set has more than ${KEYS_MAX} keys.`)
  return { keys: keys.filter(hasKeyType) }
}

/** Only an issuer on this machine, which the operator named, may have its keys on this machine, at the same port. */
function readKeysUrl(issuer: string, given: unknown): string {
  const url = typeof given === 'string' ? URL.parse(given) : null
  const isLocal = isLocalIssuer(issuer)
  if (url && (isLocal ? url.origin === new URL(issuer).origin : url.protocol === 'https:')) return url.href
  throw fault('Its discovery document has no jwks_uri that can be used.')
}

export function isLocalIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'http:' && hostname === '127.0.0.1'
}

async function readDocument(issuer: string, address: string, deadline: number) {
  const answer = await fetchOutside(address, {
    timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
    maxBytes: ANSWER_BYTES_MAX,
    headers: { accept: 'application/json' },
    exempt: () => isLocalIssuer(issuer),
  })
  if (answer.status !== 200) {
    await answer.body?.cancel()
    const isRedirect = answer.status >= 300 && answer.status < 400
    throw fault(
      isRedirect
        ? 'It redirects, which is not followed.'
        : `It answers ${answer.status} to ${new URL(address).pathname}.`,
    )
  }
  const content = parseJsonOrNull(await answer.text())
  if (!isObject(content)) throw fault('It does not answer with a JSON object.')
  return content
}

function hasKeyType(key: Record<string, unknown>): key is Record<string, unknown> & { kty: string } {
  return typeof key.kty === 'string'
}

function fault(message: string): OutsideFailure {
  return new OutsideFailure('no_answer', message)
}
