import type { Db } from '../../../db/client.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { type AskedSession, type FoundSession, listSessions } from './queries.ts'

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 5

export type FindSession = (asked: AskedSession) => Promise<FoundSession | undefined>

/** Requests that come together are answered by one statement. */
export function createFindSession(db: Db): FindSession {
  const find = coalesce(async (keys) => {
    const found = await listSessions(db, keys.map(fromKey))
    return new Map(found.map((session) => [toKey(session), session]))
  }, READS_APART_MS)
  return (asked) => find(toKey(asked))
}

const toKey = ({ gameUid, jti }: AskedSession) => `${gameUid} ${jti}`.toLowerCase()

function fromKey(key: string): AskedSession {
  const [gameUid = '', jti = ''] = key.split(' ')
  return { gameUid, jti }
}
