import { createLocalJWKSet, type JSONWebKeySet } from 'jose'

import { OutsideFailure } from '../outside/outside-failure.ts'
import { readKeySet } from './read-key-set.ts'

const FRESH_MS = 60 * 60 * 1000
/** An unknown key may be a new one; anybody can make one up. */
const REFETCH_MS = 60_000
/** How long a failure is repeated to others before the issuer is asked again. */
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
  read: (issuer: string) => Promise<JSONWebKeySet> = readKeySet,
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

/** Keys that are known go on working while the issuer is asked for others. */
function knows(issuer: Issuer, keyId: string, now: number): boolean {
  return isFresh(issuer, now) && issuer.keys?.ids.has(keyId) === true
}

function isDue(issuer: Issuer, now: number): boolean {
  if (isFresh(issuer, now)) return now - issuer.triedAt >= REFETCH_MS
  return issuer.failure === null || now - issuer.triedAt >= FAILURE_MS
}
