import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { VISIBILITIES, type Visibility } from '../../../../src/domain/listings/visibility.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertCover, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

type Who = 'owner' | 'admin' | 'invited' | 'other'

const server = useStore({ TRUST_PROXY: '1' })
let people: Record<Who, Person>
beforeAll(async () => {
  const [owner, admin, invited, other] = await Promise.all([1, 2, 3, 4].map(() => signUp(server)))
  if (!owner || !admin || !invited || !other) throw new Error('Nobody signed up')
  people = { owner, admin, invited, other }
  await verifyEmail(server, owner)
})

/** A page that would pass the check, in the given state, with an admin and an invited one. */
async function makePage(visibility: Visibility): Promise<GameRow> {
  const game = await insertGame(server, people.owner, { visibility })
  await insertCover(server, game.uid)
  await insertAdmin(server, game.uid, people.admin, 'accepted')
  await insertAdmin(server, game.uid, people.invited, 'invited')
  return game
}

const move = (who: Who, game: GameRow, visibility: Visibility) =>
  people[who].json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility })

const readRow = async (uid: string) => {
  const [row] = await server.deps.db.select().from(games).where(eq(games.uid, uid))
  if (!row) throw new Error('The listing is gone')
  return row
}

describe('who gets what on a private route of a page', () => {
  const EXPECTED: Record<Visibility, Record<Who, number>> = {
    draft: { owner: 200, admin: 200, invited: 404, other: 404 },
    owner: { owner: 200, admin: 200, invited: 404, other: 404 },
    invisible: { owner: 200, admin: 200, invited: 403, other: 403 },
    public: { owner: 200, admin: 200, invited: 403, other: 403 },
  }

  test.each(VISIBILITIES)('%s', async (visibility) => {
    const game = await makePage(visibility)
    const answers = await Promise.all(
      Object.entries(people).map(async ([who, person]) => {
        const { status } = await person.fetch(`/api/v1/private/games/${game.uid}`)
        return [who, status] as const
      }),
    )
    expect(Object.fromEntries(answers)).toEqual(EXPECTED[visibility])
  })

  test('a hidden page and one that does not exist answer alike', async () => {
    const game = await makePage('draft')
    const [hidden, missing] = await Promise.all(
      [game.uid, '01890b6e-7c3a-7000-8000-000000000000'].map((uid) =>
        people.other.fetch(`/api/v1/private/games/${uid}`),
      ),
    )
    expect(hidden?.status).toBe(404)
    expect(await hidden?.text()).toBe((await missing?.text()) ?? '')
  })
})

describe('moves', () => {
  const byAdmin = new Set<Visibility>(['draft', 'invisible', 'public'])
  const moves = VISIBILITIES.flatMap((from) => VISIBILITIES.map((to) => [from, to] as const))

  test.each(moves)('%s to %s by the owner', async (from, to) => {
    const game = await makePage(from)
    const answer = await move('owner', game, to)
    expect(answer.status).toBe(200)
    expect(await readData<object>(answer)).toMatchObject({ visibility: to })
    expect((await readRow(game.uid)).visibility).toBe(to)
  })

  test.each(moves)('%s to %s by an accepted admin', async (from, to) => {
    const game = await makePage(from)
    const answer = await move('admin', game, to)
    const allowed = byAdmin.has(from) && byAdmin.has(to)
    expect(answer.status).toBe(allowed ? 200 : 403)
    expect((await readRow(game.uid)).visibility).toBe(allowed ? to : from)
  })

  test('an unknown state is 4000', async () => {
    const game = await makePage('draft')
    const answer = await people.owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, {
      visibility: 'secret',
    })
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('published_at is the first publication and stays', async () => {
    const game = await makePage('draft')
    const first = await readData<{ published_at: string }>(await move('owner', game, 'public'))
    expect(first.published_at).toBeString()
    await move('owner', game, 'draft')
    const again = await readData<{ published_at: string }>(await move('owner', game, 'public'))
    expect(again.published_at).toBe(first.published_at)
  })
})

describe('public needs the listing check', () => {
  test.each(['draft', 'owner', 'invisible'] as const)(
    '%s with errors stays as it is: 4225 with the report',
    async (from) => {
      const game = await insertGame(server, people.owner, { visibility: from, tags: ['one'] })
      const answer = await move('owner', game, 'public')
      const {
        status,
        code: failure,
        data,
      } = await readFailure<{ lint: { ok: boolean; errors: { code: string }[] } }>(answer)
      expect([status, failure]).toEqual([422, 4225])
      expect(data.lint.ok).toBe(false)
      expect(data.lint.errors.map(({ code }) => code)).toEqual(['cover_missing', 'tags_count'])
      expect((await readRow(game.uid)).visibility).toBe(from)
      const report = await people.owner.fetch(`/api/v1/private/games/${game.uid}/lint`)
      expect(await readData<object>(report)).toEqual(data.lint)
    },
  )

  test('an unverified owner may draft, not publish', async () => {
    const unverified = await signUp(server)
    const game = await insertGame(server, unverified)
    await insertCover(server, game.uid)
    const answer = await unverified.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, {
      visibility: 'public',
    })
    const { data } = await readJson<{ data: { lint: { errors: { code: string }[] } } }>(answer)
    expect(data.lint.errors.map(({ code }) => code)).toEqual(['owner_unverified'])
  })

  test('warnings never block', async () => {
    const game = await makePage('draft')
    const report = await people.owner.fetch(`/api/v1/private/games/${game.uid}/lint`)
    const lint = await readData<{ ok: boolean; errors: unknown[]; warnings: unknown[] }>(report)
    expect(lint).toMatchObject({ ok: true, errors: [] })
    expect(lint.warnings.length).toBeGreaterThan(0)
    expect((await move('owner', game, 'public')).status).toBe(200)
  })
})

describe('edits of a public page', () => {
  const edit = (game: GameRow, patch: object) =>
    people.owner.json('PATCH', `/api/v1/private/games/${game.uid}`, patch)

  test.each([
    [{ tags: ['one', 'two'] }, 'tags_count'],
    [{ genres: [] }, 'genres_missing'],
    [{ description: 'short' }, 'description_short'],
    [{ tagline: null }, 'tagline_missing'],
    [{ adult: true }, 'warnings_missing'],
    [{ asset_type: 'mod' }, 'parent_missing'],
    [{ asset_type: 'dev_asset' }, 'license_missing'],
  ])('%j would add %s and is refused whole', async (patch, code) => {
    const game = await makePage('public')
    const answer = await edit(game, { ...patch, website: 'https://never.example' })
    const {
      status,
      code: failure,
      data,
    } = await readFailure<{ lint: { errors: { code: string }[] } }>(answer)
    expect([status, failure]).toEqual([422, 4225])
    expect(data.lint.errors.map((error) => error.code)).toContain(code)
    expect(await readRow(game.uid)).toMatchObject({
      website: null,
      revision: game.revision,
      visibility: 'public',
    })
  })

  test('of a page that fails already: removing an error is fine, keeping one too, adding one not', async () => {
    const game = await insertGame(server, people.owner, { visibility: 'public', tags: [], tagline: '' })
    expect((await edit(game, { tagline: 'Now there is one.' })).status).toBe(200)
    expect((await edit(game, { website: 'https://example.org' })).status).toBe(200)
    expect((await edit(game, { tags: ['one'] })).status).toBe(200)
    expect(await readFailure(await edit(game, { genres: [] }))).toMatchObject({ status: 422, code: 4225 })
  })

  test('other states take any edit', async () => {
    const game = await makePage('invisible')
    expect((await edit(game, { tags: [], genres: [] })).status).toBe(200)
  })
})
