import type { DatabaseHandle } from '../../db/client.ts'
import { coalesce } from '../../lib/flow/coalesce.ts'
import { listOutdated } from './queries.ts'

/** The minimum time between two checks under load; an idle process checks immediately. */
const CHECKS_APART_MS = 2
const [BETWEEN_PACKAGES, BETWEEN_PARTS] = [',', ' ']

interface Shown {
  uid: string
  updatedAt: Date
}

/** Identifies the packages of a response in the state in which it shows them. */
export function stateOf(packages: readonly Shown[]): string {
  return packages
    .map(({ uid, updatedAt }) => uid + BETWEEN_PARTS + updatedAt.getTime())
    .join(BETWEEN_PACKAGES)
}

/**
 * Returns whether a cached response still shows its packages as they are. A notification may arrive after the response
 * to the change, so the database is asked; concurrent requests share one query.
 */
export function createConfirmation({ db }: DatabaseHandle): (state: string) => Promise<boolean> {
  const findOutdated = coalesce(async (states) => {
    const shown = [...new Set(states.flatMap((state) => state.split(BETWEEN_PACKAGES)))]
    const parts = shown.map((each) => each.split(BETWEEN_PARTS))
    const rows = await listOutdated(
      db,
      parts.map(([uid = '']) => uid),
      parts.map(([, time]) => Number(time)),
    )
    const outdated = new Set(rows.map(({ uid, time }) => uid + BETWEEN_PARTS + time))
    const isOutdated = (state: string) => state.split(BETWEEN_PACKAGES).some((each) => outdated.has(each))
    return new Map(outdated.size === 0 ? [] : states.filter(isOutdated).map((state) => [state, true]))
  }, CHECKS_APART_MS)
  return async (state) => state === '' || !(await findOutdated(state))
}
