import type { LimitRow } from '../../domain/limit-table.ts'

const COUNTED: Readonly<Record<LimitRow['per'], string>> = {
  ip: 'per IP address',
  ip_and_origin: 'per IP address and play origin',
  visitor: 'per visitor',
  game: 'per game',
  account: 'per account',
  account_and_listing: 'per account to one listing, all of its private writes together',
  token: 'per token',
  mailbox: 'per mailbox',
  everyone: 'from all callers together',
}

/** `GET /api/v1/public/games/{game_id}/press.zip` is `getGamesByGameIdPressZip`. */
export function createOperationId(method: string, path: string): string {
  const segments = path.replace(/^\/api\/v\d+\/(public\/)?/, '/').split('/')
  const words = segments.map((segment) => {
    const name = segment
      .split(/[^a-zA-Z0-9]+/)
      .map(capitalise)
      .join('')
    return segment.startsWith('{') ? `By${name}` : name
  })
  return method.toLowerCase() + words.join('')
}

const WINDOWS: ReadonlyMap<number, string> = new Map([
  [60, 'a minute'],
  [3600, 'an hour'],
  [86_400, 'a day'],
])

export function describeLimit({ max, windowSeconds, per }: LimitRow): string {
  const window = WINDOWS.get(windowSeconds) ?? `in ${windowSeconds} s`
  return `At most ${max.toLocaleString('en')} requests ${window} ${COUNTED[per]}.`
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
