import type { NoticeKind } from '../../../src/domain/notices.ts'
import type { Notice, Notices } from '../../../src/features/community/notices/model.ts'
import { readData } from '../json.ts'
import type { GameRow } from '../listings.ts'
import type { Person } from '../people.ts'

const NOTICES = '/api/v1/private/notices'
const FOLLOWS = '/api/v1/private/follows'

export async function readNotices(person: Person, query = ''): Promise<Notices> {
  return await readData<Notices>(await person.fetch(`${NOTICES}${query}`))
}

/** The kind and title of each notice, newest first. */
export async function toldTo(person: Person, kind?: NoticeKind): Promise<[NoticeKind, string][]> {
  const { items } = await readNotices(person, kind === undefined ? '' : `?kind=${kind}`)
  return items.map((notice) => [notice.kind, notice.title])
}

/** Follows every page to the end. */
export async function readAllNotices(person: Person, limit: number): Promise<Notice[]> {
  const notices: Notice[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Notices = await readNotices(person, `?limit=${limit}&cursor=${cursor}`)
    notices.push(...page.items)
    cursor = page.next_cursor
  }
  return notices
}

export const markNotices = (person: Person, body: object) => person.json('POST', `${NOTICES}/read`, body)

export async function followGame(person: Person, game: { uid: string }, body: object = {}): Promise<void> {
  const answer = await person.json('PUT', `${FOLLOWS}/games/${game.uid}`, body)
  if (!answer.ok) throw new Error(`The follow was refused: ${await answer.text()}`)
}

export async function followDeveloper(person: Person, of: { uid: string }, body: object = {}): Promise<void> {
  const answer = await person.json('PUT', `${FOLLOWS}/developers/${of.uid}`, body)
  if (!answer.ok) throw new Error(`The follow was refused: ${await answer.text()}`)
}

export async function editListing(owner: Person, game: Pick<GameRow, 'uid'>, patch: object): Promise<void> {
  const answer = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, patch)
  if (!answer.ok) throw new Error(`The edit was refused: ${await answer.text()}`)
}

export async function setVisibility(owner: Person, game: { uid: string }, visibility: string): Promise<void> {
  const answer = await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility })
  if (!answer.ok) throw new Error(`The move was refused: ${await answer.text()}`)
}
