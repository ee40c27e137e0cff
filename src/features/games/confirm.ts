import type { Database } from '../../db/client.ts'
import { coalesceMany } from '../../lib/flow/coalesce.ts'
import { listOutdated } from './state-queries.ts'

/** The minimum time between two checks under load; an idle process checks immediately. */
const CHECKS_APART_MS = 2
const UID_LENGTH = 36

export interface ShownListing {
  uid: string
  visibility: string
  adult: boolean
  updatedAt: Date
}

/** Identifies a listing in the state in which something shows it; every edit and change of visibility changes it. */
export function stateOf({ uid, visibility, adult, updatedAt }: ShownListing): string {
  return `${uid}${visibility} ${adult} ${updatedAt.getTime()}`
}

/** The states of these listings when only some of them are shown: the others are not public, which is a state too. */
export function listStates<Shown extends { uid: string }>(
  uids: readonly string[],
  shown: readonly Shown[],
  stateOfShown: (one: Shown) => string,
): string[] {
  const states = new Map(shown.map((one) => [one.uid, stateOfShown(one)]))
  return uids.map((uid) => states.get(uid) ?? uid)
}

/** Returns those of the states in which their listing no longer is. */
export type FindOutdated = (states: readonly string[]) => Promise<ReadonlyMap<string, true>>

/**
 * A notification may arrive after the response to the change, so the primary is asked before anything cached is used.
 * Concurrent requests share one small query.
 */
export function createConfirmation(db: Database): FindOutdated {
  return coalesceMany(async (states) => {
    const uids = states.map((state) => state.slice(0, UID_LENGTH))
    const rest = states.map((state) => state.slice(UID_LENGTH))
    const outdated = await listOutdated(db, uids, rest)
    return new Map(outdated.map(({ uid, state }) => [uid + state, true]))
  }, CHECKS_APART_MS)
}
