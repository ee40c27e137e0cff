import { beforeAll, describe, expect, test } from 'bun:test'

import { DomUtils, parseDocument } from 'htmlparser2'

import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import type { OperatorCollection } from '../../../src/features/operate/collections/model.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)
let listed: GameRow[]
beforeAll(async () => {
  listed = []
  for (let index = 0; index < 3; index += 1) listed.push(await insertPublicGame(server, operator))
})

const uidOf = (index: number) => listed[index]?.uid ?? ''
const readAll = async () =>
  (await readData<{ items: OperatorCollection[] }>(await operator.fetch('/api/v1/operator/collections')))
    .items
const find = async (slug: string) => (await readAll()).find((one) => one.slug === slug)
const open = async (path: string) => {
  const page = await operator.fetch(path, { headers: { accept: 'text/html' } })
  return { status: page.status, text: await page.text() }
}

const send = (path: string, fields: Record<string, string>) => submitForm(operator, path, fields)

test('collections with one title have names of their own, and only the first cards load at once', async () => {
  for (let count = 0; count < 2; count += 1) {
    const games = listed.map(({ uid }) => uid)
    await operator.json('POST', '/api/v1/operator/collections', {
      title: 'Classics',
      slug: `classics-${count}`,
      games,
      on_home: true,
    })
  }
  for (const path of ['/', '/collections']) {
    const { text } = await open(path)
    const page = parseDocument(text)
    const named = (id: string) => DomUtils.textContent(DomUtils.getElementById(id, page) ?? [])
    const names = DomUtils.getElementsByTagName('section', page).flatMap(
      ({ attribs }) => attribs['aria-label'] ?? named(attribs['aria-labelledby'] ?? ''),
    )
    expect([path, names.filter((name) => name.startsWith('Classics'))]).toEqual([
      path,
      ['Classics', 'Classics (2)'],
    ])
    expect(new Set(names).size).toBe(names.length)
    const pictures = DomUtils.getElementsByTagName('img', page).filter(
      ({ attribs }) => attribs.class === 'cover',
    )
    expect(pictures.filter(({ attribs }) => attribs.loading === 'eager').length).toBeLessThanOrEqual(4)
    expect(pictures.filter(({ attribs }) => attribs.loading === 'lazy').length).toBeGreaterThan(2)
  }
})

describe('the pages for collections', () => {
  test('make one from names, addresses and uids, and put it on the home page', async () => {
    const add = [listed[0]?.vanityName, `https://store.example/games/${listed[1]?.vanityName}?x=1`, uidOf(2)]
    const answer = await send('/operate/collections/new', {
      title: 'Quiet evenings',
      text: 'Slow,\r\nand kind.',
      add: add.join('\r\n'),
      from: '2026-01-01T10:00',
      on_home: 'true',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/operate/collections?done=saved'])
    expect(await find('quiet-evenings')).toMatchObject({
      text: 'Slow, and kind.',
      games: [uidOf(0), uidOf(1), uidOf(2)],
      on_home: true,
      from: '2026-01-01T10:00:00.000Z',
      until: null,
    })
    expect((await open('/operate/collections')).text).toContain('Quiet evenings')
    expect((await open('/')).text).toContain('Quiet evenings')
  })

  test('change the order, and leave out what has no place', async () => {
    await send('/operate/collections/new', { title: 'Order', add: [uidOf(0), uidOf(1), uidOf(2)].join(' ') })
    const { uid = '' } = (await find('order')) ?? {}
    const path = `/operate/collections/${uid}`
    expect((await open(path)).text).toContain(`Place of ${listed[2]?.name}`)
    const places = { [`place.${uidOf(0)}`]: '9', [`place.${uidOf(1)}`]: '', [`place.${uidOf(2)}`]: '1' }
    expect((await send(path, { title: 'Order', slug: 'order', ...places })).status).toBe(303)
    expect(await find('order')).toMatchObject({ games: [uidOf(2), uidOf(0)], on_home: false })
    expect((await send(`${path}/delete`, {})).status).toBe(303)
    expect(await find('order')).toBeUndefined()
    expect((await open(path)).status).toBe(404)
  })

  test('show each fault at its field with everything that was entered', async () => {
    const draft = await insertGame(server, operator)
    const answer = await send('/operate/collections/new', {
      title: 'Kept title',
      slug: 'kept',
      add: `${draft.vanityName}\nno-such-game`,
      until: 'tomorrow',
    })
    expect(answer.status).toBe(400)
    const early = await answer.text()
    expect(early).toContain('must be a day and a time')
    expect(early).toContain('value="Kept title"')
    const second = await send('/operate/collections/new', {
      title: 'Kept title',
      slug: 'kept',
      add: `${draft.vanityName}\nno-such-game`,
    })
    const text = await second.text()
    expect(text).toContain(`${draft.vanityName} is no public listing.`)
    expect(text).toContain('no-such-game is no public listing.')
    await send('/operate/collections/new', { title: 'First', slug: 'one' })
    const taken = await send('/operate/collections/new', { title: 'Second', slug: 'one' })
    expect(taken.status).toBe(409)
    expect(await taken.text()).toContain('address is taken')
  })

  test('keep in a rejected form what was chosen, in its order', async () => {
    const places = { [`place.${uidOf(2)}`]: '1', [`place.${uidOf(0)}`]: '2', [`place.${uidOf(1)}`]: '' }
    const answer = await send('/operate/collections/new', { title: '', ...places, 'place.nonsense': '3' })
    const page = await answer.text()
    expect(answer.status).toBe(400)
    const shown = [...page.matchAll(/data-uid="([^"]+)"/g)].map(([, uid]) => uid)
    expect(shown).toEqual([uidOf(2), uidOf(0), uidOf(1)])
  })
})

describe('the picker', () => {
  const ask = async (query: string) => {
    const answer = await server.fetch(`/picker?${query}`, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(200)
    return [...(await answer.text()).matchAll(/data-uid="([^"]+)"/g)].map(([, uid]) => uid)
  }

  test('finds public listings of the wanted types by their names, or by their addresses in that order', async () => {
    const tool = await insertPublicGame(server, operator, { name: 'Marmalade Engine', assetType: 'tool' })
    const game = await insertPublicGame(server, operator, { name: 'Marmalade <b>Road</b>' })
    const draft = await insertGame(server, operator, { name: 'Marmalade Draft', visibility: 'draft' })
    const adult = await insertPublicGame(server, operator, { name: 'Marmalade Night', adult: true })
    await reindex(server.deps)
    expect(new Set(await ask('q=marmalade'))).toEqual(new Set([tool.uid, game.uid]))
    expect(await ask('q=marmalade&types=tool,application')).toEqual([tool.uid])
    const names = [game.vanityName, draft.vanityName, 'no-such', tool.uid, adult.vanityName]
    expect(await ask(`names=${names.join()}`)).toEqual([game.uid, tool.uid])
    const page = await (await server.fetch('/picker?q=marmalade')).text()
    expect(page).toContain('Marmalade &lt;b>Road&lt;/b>')
  })

  test.each([
    '',
    'q=',
    'names=',
    'names=,,,',
    'q=%00',
    'types=x',
    `q=${'a'.repeat(3000)}`,
    `names=${'a,'.repeat(2000)}`,
  ])('answers %p', async (query) => {
    const { status } = await server.fetch(`/picker?${query}`)
    expect([200, 400]).toContain(status)
  })
})
