import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

import { isObject } from '../../lib/field-readers.ts'
import { parseJsonOrNull } from '../../lib/json.ts'
import { fetchOutside, OutsideFailure } from '../outside/fetch-outside.ts'

const FRESH_MS = 60 * 60 * 1000
/** How soon an unknown key id leads to another read: it may be new, but anybody can make one up. */
const REFETCH_MS = 60_000
/** How long all callers get the same failure before the issuer is asked again. */
const FAILURE_MS = 5000

export type KeySet = ReturnType<typeof createLocalJWKSet>

export interface KeySets {
  /** The issuer's published keys, read again if none of them has this id. Throws `OutsideFailure`. */
  find(issuer: string, keyId: string): Promise<KeySet>
}

interface Issuer {
  keys: { ids: ReadonlySet<unknown>; set: KeySet; at: number } | null
  failure: OutsideFailure | null
  /** When it was last asked. */
  triedAt: number
  loading: Promise<void> | null
}

/** Remembers as many issuers as callers ask for, which are only those that the operator and the code name. */
export function createKeySets(
  read: (issuer: string) => Promise<JSONWebKeySet> = fetchKeySet,
  now: () => number = Date.now,
): KeySets {
  const issuers = new Map<string, Issuer>()

  async function load(name: string, issuer: Issuer): Promise<void> {
    issuer.triedAt = now()
    try {
      const { keys } = await read(name)
      issuer.keys = { ids: new Set(keys.map(({ kid }) => kid)), set: createLocalJWKSet({ keys }), at: now() }
      issuer.failure = null
    } catch (error) {
      if (!(error instanceof OutsideFailure)) throw error
      issuer.failure = error
    } finally {
      issuer.loading = null
    }
  }

  return {
    async find(name, keyId) {
      const issuer = issuers.get(name) ?? { keys: null, failure: null, triedAt: -Infinity, loading: null }
      issuers.set(name, issuer)
      if (!knows(issuer, keyId, now()) && (issuer.loading || isDue(issuer, now())))
        await (issuer.loading ??= load(name, issuer))
      const { keys, failure } = issuer
      if (keys && isFresh(issuer, now()) && (keys.ids.has(keyId) || !failure)) return keys.set
      throw failure ?? new OutsideFailure('no_answer', 'Its keys are out of date.')
    },
  }
}

function isFresh({ keys }: Issuer, now: number): boolean {
  return keys !== null && now - keys.at < FRESH_MS
}

/** Known keys remain usable while the issuer is asked for others. */
function knows(issuer: Issuer, keyId: string, now: number): boolean {
  return isFresh(issuer, now) && issuer.keys?.ids.has(keyId) === true
}

function isDue(issuer: Issuer, now: number): boolean {
  if (isFresh(issuer, now)) return now - issuer.triedAt >= REFETCH_MS
  return issuer.failure === null || now - issuer.triedAt >= FAILURE_MS
}

/** For both documents together: a pipeline waits for them. */
const TIMEOUT_MS = 5000
const ANSWER_BYTES_MAX = 256 * 1024
const KEYS_MAX = 100

/** Reads the keys that an OpenID Connect issuer publishes. Throws `OutsideFailure`, whatever is wrong. */
export async function fetchKeySet(issuer: string): Promise<JSONWebKeySet> {
  const deadline = performance.now() + TIMEOUT_MS
  const discovery = await fetchDocument(
    issuer,
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    deadline,
  )
  if (discovery.issuer !== issuer)
    throw fault('Its discovery document names another issuer. Check the address in TRUSTED_ISSUERS.')
  const { keys } = await fetchDocument(issuer, parseKeysUrl(issuer, discovery.jwks_uri), deadline)
  if (!Array.isArray(keys) || !keys.every(isObject)) throw fault('Its key set has no list of keys.')
  if (keys.length > KEYS_MAX) throw fault(`Its key set has more than ${KEYS_MAX} keys.`)
  return { keys: keys.filter(hasKeyType) }
}

/** Only an issuer on this machine, which the operator named, may have its keys on this machine, at the same port. */
function parseKeysUrl(issuer: string, given: unknown): string {
  const url = typeof given === 'string' ? URL.parse(given) : null
  const isLocal = isLocalIssuer(issuer)
  if (url && (isLocal ? url.origin === new URL(issuer).origin : url.protocol === 'https:')) return url.href
  throw fault('Its discovery document has no jwks_uri that can be used.')
}

function isLocalIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'http:' && hostname === '127.0.0.1'
}

async function fetchDocument(issuer: string, address: string, deadline: number) {
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
