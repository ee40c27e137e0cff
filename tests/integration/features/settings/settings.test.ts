import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Act } from '../../../../src/features/operate/audit/model.ts'
import type { OperatorSettings, PublicStore } from '../../../../src/features/settings/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

const SETTINGS = '/api/v1/operator/settings'

let server: TestServer
let operator: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  operator = await signUpOperator(server)
})
afterAll(() => server.stop())

const patch = (body: object) => operator.json('PATCH', SETTINGS, body)
const read = async () => await readData<OperatorSettings>(await operator.fetch(SETTINGS))
const readStore = async () => await readData<PublicStore>(await server.fetch('/api/v1/public/store'))
const fault = async (body: object) => {
  const answer = await patch(body)
  const { error, data } = await readJson<{
    error: { code: number; message: string }
    data?: { issues: { path: string }[] }
  }>(answer)
  return { code: error.code, paths: data?.issues.map(({ path }) => path) }
}

describe('the settings', () => {
  test('have defaults, can be changed one by one, and null brings a default back', async () => {
    expect(await read()).toMatchObject({
      name: 'Playshelf',
      accent: '#4f3bd6',
      announcement: null,
      pages: [],
      sign_up: 'open',
      publishing: 'anyone',
      adult_content: 'allowed',
      second_factor: 'optional',
      fee_percent: 10,
      indexing: true,
      logo: null,
    })
    const answer = await patch({ name: '  Lantern Games ', accent: '#0F7' })
    expect(await readData<OperatorSettings>(answer)).toMatchObject({
      name: 'Lantern Games',
      accent: '#00ff77',
    })
    expect((await read()).tagline).toBe('Games worth an evening')
    await patch({ name: null, accent: null })
    expect(await read()).toMatchObject({ name: 'Playshelf', accent: '#4f3bd6' })
  })

  test('of a hero: members that are not sent stay, null brings the default of one back', async () => {
    const { uid, vanityName } = await insertPublicGame(server, operator)
    const { hero: standard } = await read()
    await patch({ hero: { headline: 'Night games', game: vanityName } })
    expect((await read()).hero).toEqual({ headline: 'Night games', text: standard.text, game: uid })
    await patch({ hero: { headline: null, text: '' } })
    expect((await read()).hero).toEqual({ headline: standard.headline, text: '', game: uid })
    await patch({ hero: null })
    expect((await read()).hero).toEqual(standard)
  })

  test('are refused with the name of the field, and nothing is half saved', async () => {
    const before = await read()
    const cases: [body: object, path: string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(41) }, 'name'],
      [{ name: 'two\nlines' }, 'name'],
      [{ name: 'evil\u202Ename' }, 'name'],
      [{ tagline: 'x'.repeat(81) }, 'tagline'],
      [{ description: 'x'.repeat(301) }, 'description'],
      [{ accent: 'red;}' }, 'accent'],
      [{ accent: 'url(//evil)' }, 'accent'],
      [{ hero: { headline: '' } }, 'hero.headline'],
      [{ hero: { text: 'x'.repeat(201) } }, 'hero.text'],
      [{ hero: { game: 'no-such-game' } }, 'hero.game'],
      [{ home: ['newest', 'newest'] }, 'home'],
      [{ home: ['nothing'] }, 'home.0'],
      [{ announcement: { markdown: 'x'.repeat(501) } }, 'announcement.markdown'],
      [{ announcement: { markdown: 'x', from: 'soon' } }, 'announcement.from'],
      [
        {
          announcement: {
            markdown: 'x',
            from: '2027-01-02T00:00:00.000Z',
            until: '2027-01-01T00:00:00.000Z',
          },
        },
        'announcement.until',
      ],
      [{ pages: [{ slug: 'A b', title: 'x', markdown: '' }] }, 'pages.0.slug'],
      [{ pages: [{ slug: 'a', title: 'x', markdown: 'x'.repeat(50_001) }] }, 'pages.0.markdown'],
      [{ footer_links: [{ label: 'x', url: 'javascript:alert(1)' }] }, 'footer_links.0.url'],
      [{ footer_links: [{ label: 'x', url: 'http://plain.example' }] }, 'footer_links.0.url'],
      [{ contact: 'nobody' }, 'contact'],
      [{ sign_up: 'maybe' }, 'sign_up'],
      [{ fee_percent: 51 }, 'fee_percent'],
      [{ fee_percent: 1.5 }, 'fee_percent'],
      [{ indexing: 'yes' }, 'indexing'],
    ]
    for (const [body, path] of cases)
      expect(await fault({ ...body, ...('name' in body ? {} : { name: 'Half saved' }) })).toEqual({
        code: 4000,
        paths: [path],
      })
    expect(await read()).toEqual(before)
  })

  test('a slug that is taken is refused, and ten pages of 50,000 characters are kept', async () => {
    const page = (slug: string, markdown = 'x') => ({ slug, title: `Page ${slug}`, markdown })
    expect(await fault({ pages: [page('terms'), page('terms')] })).toEqual({
      code: 4000,
      paths: ['pages.1.slug'],
    })
    const pages = Array.from({ length: 10 }, (_, index) => page(`page-${index}`, `${index}`.repeat(50_000)))
    expect((await patch({ pages })).status).toBe(200)
    expect((await read()).pages).toEqual(pages)
    expect((await fault({ pages: [...pages, page('one-more')] })).paths).toEqual(['pages'])
    const shown = await (await server.fetch('/pages/page-9', { headers: { accept: 'text/html' } })).text()
    expect(shown).toContain('9'.repeat(50_000))
    expect((await readStore()).pages[9]).toEqual({ slug: 'page-9', title: 'Page page-9' })
    const large = pages.map(({ slug }) => page(slug, '漢'.repeat(50_000)))
    expect((await patch({ pages: large })).status).toBe(200)
    expect((await read()).pages).toEqual(large)
    await patch({ pages: null })
    expect((await server.fetch('/api/v1/public/pages/page-9')).status).toBe(404)
  })

  test('are saved by one of two who read the same version', async () => {
    const etag = (await operator.fetch(SETTINGS)).headers.get('etag') ?? ''
    const save = (name: string) =>
      operator.fetch(SETTINGS, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: JSON.stringify({ name }),
      })
    expect((await save('First')).status).toBe(200)
    expect((await save('Second')).status).toBe(412)
    expect((await read()).name).toBe('First')
  })

  test('are in the audit log before and after, long texts from where they differ', async () => {
    await patch({ name: 'Before', announcement: { markdown: `${'a'.repeat(400)}b` } })
    await patch({ name: 'After', announcement: { markdown: `${'a'.repeat(400)}c` } })
    const { items } = await readData<Paged<Act>>(await operator.fetch('/api/v1/operator/audit'))
    expect(items[0]).toMatchObject({ act: 'change_settings', operator: { uid: operator.uid } })
    expect(items[0]?.reason).toMatch(/^name: Before → After; announcement: …a+b.* → …a+c/)
    await patch({ name: null, announcement: null })
  })

  test('that are public have an ETag, and say nothing of the second factor', async () => {
    const answer = await server.fetch('/api/v1/public/store')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    const etag = answer.headers.get('etag') ?? ''
    const again = () => server.fetch('/api/v1/public/store', { headers: { 'if-none-match': etag } })
    expect((await again()).status).toBe(304)
    expect(await readData<object>(answer)).not.toHaveProperty('second_factor')
    await patch({ tagline: 'Another one' })
    expect((await again()).status).toBe(200)
    await patch({ tagline: null })
  })

  test('of a row that another version wrote: fields that cannot be read have their default', async () => {
    await server.deps.db.execute(
      `update settings set stored = '{"name": 7, "home": ["arcade"], "tagline": "Kept", "unknown": 1}', revision = revision + 1`,
    )
    expect(await read()).toMatchObject({ name: 'Playshelf', tagline: 'Kept' })
    await patch({ name: null, home: null, tagline: null })
  })
})
