import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import type { Act } from '../../../../src/features/audit/model.ts'
import type { Collection, CollectionSummary } from '../../../../src/features/catalog/collections/model.ts'
import { indexChanges } from '../../../../src/features/catalog/search/indexing.ts'
import type { SearchAnswer } from '../../../../src/features/catalog/search/model.ts'
import { reindex } from '../../../../src/features/catalog/search/reindex.ts'
import { notifyChange } from '../../../../src/features/games/service.ts'
import type { OperatorCollection } from '../../../../src/features/operate/collections/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore, useTwin } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const OPERATOR = '/api/v1/operator/collections'
const PUBLIC = '/api/v1/public/collections'
const HOUR_MS = 3_600_000
const later = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

const server = useStore({ TRUST_PROXY: '1' })
const second = useTwin(server)
const operator = usePerson(server, signUpOperator)
let listed: GameRow[]
beforeAll(async () => {
  listed = []
  for (let index = 0; index < 4; index += 1) listed.push(await insertPublicGame(server, operator))
  await reindex(server.deps)
})

const uidOf = (index: number) => listed[index]?.uid ?? ''
const post = (body: object) => operator.json('POST', OPERATOR, body)
const create = async (body: object) => await readData<OperatorCollection>(await post(body))
const patch = (uid: string, body: object) => operator.json('PATCH', `${OPERATOR}/${uid}`, body)
const read = async (slug: string, from = server) =>
  await readData<Collection>(await from.fetch(`${PUBLIC}/${slug}`))
const uidsOf = ({ items }: { items: { uid: string }[] }) => items.map(({ uid }) => uid)
const search = async (query: string) =>
  await readData<SearchAnswer>(await server.fetch(`/api/v1/public/search?${query}`))
const showPage = (path: string, from = server) => readPage(from, path)
const fault = async (answer: Response) => {
  const { error, data } = await readJson<{
    error: { code: number }
    data?: { issues: { path: string }[] }
  }>(answer)
  return { code: error.code, paths: data?.issues.map(({ path }) => path) }
}

async function setVisibility(uid: string, visibility: 'public' | 'owner'): Promise<void> {
  await server.deps.db.transaction(async (tx) => {
    await tx.update(games).set({ visibility }).where(eq(games.uid, uid))
    await notifyChange(tx, uid)
  })
  await indexChanges(server.deps)
}

describe('a collection', () => {
  test('shows its listings in the order of the operators, named by uid or name', async () => {
    const made = await create({
      title: ' Rainy days ',
      text: 'For the sofa.',
      games: [uidOf(2), listed[0]?.vanityName, uidOf(1)],
    })
    expect(made).toMatchObject({
      slug: 'rainy-days',
      title: 'Rainy days',
      text: 'For the sofa.',
      games: [uidOf(2), uidOf(0), uidOf(1)],
      on_home: false,
      from: null,
      until: null,
    })
    const shown = await read('rainy-days')
    expect(uidsOf(shown)).toEqual([uidOf(2), uidOf(0), uidOf(1)])
    const all = await readData<Paged<CollectionSummary>>(await server.fetch(PUBLIC))
    expect(all.items.map(({ slug }) => slug)).toContain('rainy-days')
    await patch(made.uid, { games: [uidOf(1), uidOf(3)], title: 'Rain' })
    expect(await read('rainy-days')).toMatchObject({ title: 'Rain', text: 'For the sofa.' })
    expect(uidsOf(await read('rainy-days'))).toEqual([uidOf(1), uidOf(3)])
    const back = await patch('rainy-days', await create({ title: 'Another' }))
    expect((await fault(back)).code).toBe(4000)
    expect((await patch(made.uid, { ...made, games: made.games })).status).toBe(200)
  })

  test('leaves out what is no longer public, in API, page, feed and search, and shows it again', async () => {
    await create({ title: 'Moving', games: [uidOf(0), uidOf(1)] })
    const name = listed[0]?.name ?? ''
    const everywhere = async () => [
      uidsOf(await read('moving')).length,
      (await search('collection=moving')).total,
      (await showPage('/collections/moving')).includes(`>${name}</a>`),
      (await showPage('/collections/moving/feed.xml')).includes(`<title>${name}</title>`),
    ]
    expect(await everywhere()).toEqual([2, 2, true, true])
    await setVisibility(uidOf(0), 'owner')
    await waitFor('the index', async () => (await search('collection=moving')).total === 1)
    expect(await everywhere()).toEqual([1, 1, false, false])
    expect((await patch('moving', { text: 'Kept.' })).status).toBe(200)
    const [all] = [await readData<{ items: OperatorCollection[] }>(await operator.fetch(OPERATOR))]
    expect(all.items.find(({ slug }) => slug === 'moving')?.games).toEqual([uidOf(0), uidOf(1)])
    await setVisibility(uidOf(0), 'public')
    await waitFor('the index', async () => (await search('collection=moving')).total === 2)
    expect(uidsOf(await read('moving'))).toEqual([uidOf(0), uidOf(1)])
  })

  test('is refused with the name of each wrong field, and a taken slug with 4090', async () => {
    const draft = await insertGame(server, operator)
    const cases: [body: object, code: number, ...paths: string[]][] = [
      [{ title: '' }, 4000, 'title'],
      [{ title: ' ', slug: 'blank' }, 4000, 'title'],
      [{ title: 'x'.repeat(61) }, 4000, 'title'],
      [{ title: 'two\nlines' }, 4000, 'title'],
      [{ title: 'فن' }, 4000, 'slug'],
      [{ title: 'x', slug: 'No Slug' }, 4000, 'slug'],
      [{ title: 'x', text: 'x'.repeat(301) }, 4000, 'text'],
      [{ title: 'x', games: ['no-such-game'] }, 4000, 'games.0'],
      [{ title: 'x', games: [uidOf(0), draft.uid] }, 4000, 'games.1'],
      [{ title: 'x', games: Array.from({ length: 51 }, () => uidOf(0)) }, 4000, 'games'],
      [{ title: 'x', from: 'soon' }, 4000, 'from'],
      [{ title: 'x', from: later(2), until: later(1) }, 4000, 'until'],
      [{ title: 'x', colour: 'red' }, 4000, 'colour'],
    ]
    for (const [body, code, ...paths] of cases) expect(await fault(await post(body))).toEqual({ code, paths })
    await create({ title: 'First', slug: 'taken' })
    expect(await fault(await post({ title: 'Other', slug: 'taken' }))).toEqual({
      code: 4090,
      paths: ['slug'],
    })
    const other = await create({ title: 'فن', slug: 'art' })
    expect((await fault(await patch(other.uid, { slug: 'taken' }))).code).toBe(4090)
    expect((await patch('no-such-one', { title: 'x' })).status).toBe(404)
  })

  test('is shown from and until its times only', async () => {
    const made = await create({ title: 'Season', games: [uidOf(0)], from: later(1), until: later(2) })
    const isShown = async () => [
      (await server.fetch(`${PUBLIC}/season`)).status,
      (await server.fetch('/collections/season')).status,
      (await search('collection=season')).total,
    ]
    expect(await isShown()).toEqual([404, 404, 0])
    await patch(made.uid, { from: later(-1) })
    expect(await isShown()).toEqual([200, 200, 1])
    await patch(made.uid, { from: null, until: later(-1) })
    expect(await isShown()).toEqual([404, 404, 0])
  })

  test('is in the sitemap while it is shown, with the pages that operators wrote', async () => {
    const made = await create({ title: 'Mapped', games: [uidOf(0)] })
    const page = { slug: 'imprint', title: 'Imprint', markdown: 'Us.' }
    await operator.json('PATCH', '/api/v1/operator/settings', { pages: [page] })
    const paths = ['/', '/collections', '/collections/mapped', '/pages/imprint']
    const listed = async () => {
      const text = await (await server.fetch('/sitemap.xml')).text()
      return paths.filter((path) => text.includes(`<loc>${server.url}${path}</loc>`))
    }
    expect(await listed()).toEqual(paths)
    await patch(made.uid, { until: later(-1) })
    await operator.json('PATCH', '/api/v1/operator/settings', { pages: null })
    expect(await listed()).toEqual(['/', '/collections'])
  })

  test('hides adult listings from those who do not see them', async () => {
    const adult = await insertPublicGame(server, operator, { adult: true })
    await create({ title: 'Night', games: [adult.uid, uidOf(0)] })
    expect(uidsOf(await read('night'))).toEqual([uidOf(0)])
  })

  test('narrows a search together with other filters and with the facets', async () => {
    await create({ title: 'Narrow', games: [uidOf(0), uidOf(1)] })
    const found = await search('collection=narrow&genres=puzzle')
    expect(uidsOf(found).toSorted()).toEqual([uidOf(0), uidOf(1)].toSorted())
    expect(found.facets.genres).toEqual({ puzzle: 2 })
    expect((await search('collection=narrow&exclude_genres=puzzle')).total).toBe(0)
    expect((await search('collection=no-such-one')).total).toBe(0)
    const page = await showPage('/search?collection=narrow')
    expect(page).toContain('narrow collection')
  })

  test('is in the audit log, with what changed, and is gone once deleted', async () => {
    const { uid } = await create({ title: 'Short' })
    await patch(uid, { title: 'Shorter' })
    expect((await operator.json('DELETE', `${OPERATOR}/${uid}`)).status).toBe(200)
    expect((await server.fetch(`${PUBLIC}/short`)).status).toBe(404)
    const { items } = await readData<Paged<Act>>(await operator.fetch('/api/v1/operator/audit'))
    expect(items.slice(0, 3).map(({ act, subject, reason }) => [act, subject.name, reason])).toEqual([
      ['delete_collection', 'Shorter', null],
      ['change_collection', 'Shorter', 'title: Short → Shorter'],
      ['create_collection', 'Short', null],
    ])
  })
})

describe('the pages of guests', () => {
  test('show a change in this process at once, and in another within a second', async () => {
    const made = await create({ title: 'Front row', games: [uidOf(0)], on_home: true })
    for (const from of [server, second]) {
      await waitFor('the page', async () => (await showPage('/', from)).includes('Front row'), PROMPT_MS)
      await waitFor(
        'the page',
        async () => (await showPage('/collections', from)).includes('Front row'),
        PROMPT_MS,
      )
    }
    await patch(made.uid, { title: 'Back row' })
    expect(await showPage('/')).toContain('Back row')
    await waitFor('the page', async () => (await showPage('/', second)).includes('Back row'), PROMPT_MS)
    await patch(made.uid, { on_home: false })
    expect(await showPage('/')).not.toContain('Back row')
    expect(await showPage('/collections')).toContain('Back row')
    await operator.json('DELETE', `${OPERATOR}/${made.uid}`)
    expect(await showPage('/collections')).not.toContain('Back row')
    await waitFor(
      'the page',
      async () => !(await showPage('/collections', second)).includes('Back row'),
      PROMPT_MS,
    )
  })

  test('hold no markup of a title or text', async () => {
    await create({
      title: '<b>x</b>',
      slug: 'markup',
      text: '<script>1</script>',
      games: [uidOf(0)],
      on_home: true,
    })
    for (const path of ['/', '/collections', '/collections/markup', '/collections/markup/feed.xml']) {
      const page = await showPage(path)
      expect(page).toContain('&lt;b')
      expect(page).not.toContain('<script>1')
    }
  })
})
