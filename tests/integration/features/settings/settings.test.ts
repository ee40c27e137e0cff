import { describe, expect, test } from 'bun:test'

import { TYPEFACE_NAMES, writeLooks } from '../../../../src/domain/looks.ts'
import { PAIRS, SURFACES } from '../../../../src/domain/palette.ts'
import type { Act } from '../../../../src/features/audit/model.ts'
import { mailStore } from '../../../../src/features/mail/store.ts'
import type { OperatorSettings, PublicStore } from '../../../../src/features/settings/model.ts'
import { loadSettings } from '../../../../src/features/settings/service.ts'
import { palettePath } from '../../../../src/features/settings/storefront.ts'
import { contrastOf } from '../../../../src/lib/color/oklch.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import { readData, readJson } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const SETTINGS = '/api/v1/operator/settings'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)

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
    const shown = await readPage(server, '/pages/page-9')
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

const change = async (body: object) => {
  expect((await patch(body)).status).toBe(200)
}

/** The colours of both themes as a browser reads them from the served sheet. */
function parseSheet(css: string): Record<'light' | 'dark', Map<string, string>> {
  const found = [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)]
  return {
    light: new Map(found.map(([, name = '', light = '']) => [name, light])),
    dark: new Map(found.map(([, name = '', , dark = '']) => [name, dark])),
  }
}

describe('the accent', () => {
  test('200 random ones and the extremes: every pair with text passes WCAG AA in both themes', async () => {
    const random = createRandom('accents')
    const drawn = Array.from(
      { length: 200 },
      () => `#${random.below(0x1000000).toString(16).padStart(6, '0')}`,
    )
    const pure = [
      '#ffffff',
      '#000000',
      '#ff0000',
      '#00ff00',
      '#0000ff',
      '#ffff00',
      '#00ffff',
      '#ff00ff',
      '#808080',
    ]
    for (const accent of [...pure, ...drawn]) {
      const answer = await server.fetch(palettePath(accent))
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-type')).toContain('text/css')
      const themes = parseSheet(await answer.text())
      for (const [theme, colours] of Object.entries(themes)) {
        expect(SURFACES.every((name) => colours.has(name))).toBe(true)
        for (const [text, grounds, least] of PAIRS)
          for (const on of grounds) {
            const ratio = contrastOf(colours.get(text) ?? '', colours.get(on) ?? '')
            if (!(ratio >= least)) throw new Error(`${accent} ${theme}: ${text} on ${on} has ${ratio}`)
          }
      }
    }
  })

  test('of #fff is saved, and pages link the sheet that makes it readable', async () => {
    await change({ accent: '#fff' })
    const page = await readPage(server, '/')
    const [, path = ''] = /<link rel="stylesheet" href="(\/assets\/palettes\/[^"]+)"/.exec(page) ?? []
    const { light } = parseSheet(await (await server.fetch(path)).text())
    expect(contrastOf(light.get('accent') ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    expect(await (await server.fetch('/favicon.svg')).text()).toContain('#ffffff')
    await change({ accent: null })
    expect(await readPage(server, '/')).not.toContain('/assets/palettes/')
  })

  test('nothing else is made from an address', async () => {
    for (const file of ['ffffff.css', 'ffffff.00000000.css', 'red.12345678.css', 'ffffff.12345678.css%0a'])
      expect((await server.fetch(`/assets/palettes/${file}`)).status).toBe(404)
  })
})

describe('typeface, corners and density', () => {
  const sheetOf = (page: string) => /<link rel="stylesheet" href="(\/assets\/looks\/[^"]+)"/.exec(page)?.[1]

  test('are one sheet, whose fonts the store serves itself', async () => {
    expect(sheetOf(await readPage(server, '/'))).toBeUndefined()
    await change({ typeface: 'figtree', corner: 'square', density: 'compact' })
    const page = await readPage(server, '/')
    const answer = await server.fetch(sheetOf(page) ?? '')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    const sheet = await answer.text()
    expect(sheet).toContain("--sans: 'Figtree'")
    expect(sheet).toContain('--radius: 0;')
    expect(sheet).toContain('--control: 2.5rem;')
    const [, preloaded = ''] = /<link rel="preload" href="([^"]+)" as="font"/.exec(page) ?? []
    expect(sheet).toContain(`url(${preloaded})`)
    const font = await server.fetch(preloaded)
    expect(font.headers.get('content-type')).toBe('font/woff2')
    expect(font.headers.get('cache-control')).toContain('immutable')
    expect((await server.fetch('/')).headers.get('content-security-policy')).toContain("font-src 'self'")
    await change({ typeface: null, corner: null, density: null })
    expect(sheetOf(await readPage(server, '/'))).toBeUndefined()
  })

  test('have 60 KB a font at most, and a licence for each typeface', async () => {
    const folder = `${import.meta.dir}/../../../../src/features/settings/typefaces`
    for (const typeface of TYPEFACE_NAMES) {
      const sheet = writeLooks(
        { typeface, corner: 'rounded', density: 'comfortable' },
        (name, part) => `${name}-${part}.woff2`,
      )
      const files = Array.from(sheet.matchAll(/url\(([^)]+)\)/g), ([, file = '']) => file)
      expect(files).toHaveLength(2)
      for (const file of files) expect(Bun.file(`${folder}/${file}`).size).toBeLessThanOrEqual(60 * 1024)
      expect(await Bun.file(`${folder}/${typeface}-OFL.txt`).text()).toContain('SIL Open Font License')
    }
  })

  test('nothing else is made from an address', async () => {
    for (const path of [
      'looks/figtree-square-compact.00000000.css',
      'looks/comic-square-compact.12345678.css',
      'looks/figtree-constructor-compact.12345678.css',
      'fonts/figtree-latin.00000000.woff2',
      'fonts/figtree-OFL.txt',
    ])
      expect((await server.fetch(`/assets/${path}`)).status).toBe(404)
    expect((await patch({ typeface: 'comic' })).status).toBe(400)
  })
})

async function upload(name: string, file: Blob): Promise<Response> {
  const form = new FormData()
  form.append('file', file, 'picture.png')
  return await operator.fetch(`${SETTINGS}/${name}`, { method: 'PUT', body: form })
}

describe('an image of the store', () => {
  test('is re-encoded and shown: logos in the header, the icon in all sizes, the share image in previews', async () => {
    const uploaded = await drawPng(1000, 400)
    for (const name of ['logo', 'logo_dark', 'icon', 'share_image'])
      expect((await upload(name, uploaded)).status).toBe(200)
    const settings = await readData<OperatorSettings>(await operator.fetch(SETTINGS))
    const addresses = [settings.logo, settings.logo_dark, settings.icon, settings.share_image]
    const types = ['image/webp', 'image/webp', 'image/png', 'image/jpeg']
    for (const [index, address] of addresses.entries()) {
      const answer = await server.fetch(new URL(address ?? '').pathname)
      expect(answer.headers.get('content-type')).toBe(types[index] ?? '')
      expect(
        Buffer.from(await answer.arrayBuffer()).includes(Buffer.from(await uploaded.arrayBuffer())),
      ).toBe(false)
    }
    const page = await readPage(server, '/')
    expect(page).toMatch(/<img class="logo on-light"[^>]*alt="Playshelf"/)
    expect(page).toContain(`<meta property="og:image" content="${settings.share_image}"`)
    expect(page).toContain('rel="apple-touch-icon"')
    const manifest = (await (await server.fetch('/manifest.webmanifest')).json()) as {
      icons: { src: string; sizes: string }[]
    }
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['32x32', '180x180', '192x192', '512x512'])
    for (const { src, sizes } of manifest.icons) {
      const { width, height } = await new Bun.Image(
        Buffer.from(await (await server.fetch(src)).arrayBuffer()),
      ).metadata()
      expect(`${width}x${height}`).toBe(sizes)
    }
  })

  test('is a PNG in mails, because many programs for mail show no WebP', async () => {
    for (const name of ['logo', 'logo_dark'])
      expect((await upload(name, await drawPng(400, 100))).status).toBe(200)
    const { logo, darkLogo } = mailStore(server.url, await loadSettings(server.deps, server.deps.db))
    for (const picture of [logo, darkLogo]) {
      const answer = await server.fetch(new URL(picture?.url ?? '').pathname)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
      const { format, width, height } = await new Bun.Image(
        Buffer.from(await answer.arrayBuffer()),
      ).metadata()
      expect([format, width, height]).toEqual(['png', 384, 96])
      expect([picture?.width, picture?.height]).toEqual([384, 96])
    }
    const path = new URL(logo?.url ?? '').pathname
    for (const other of [path.replace('logo', 'icon'), path.replace('logo', 'share_image')])
      expect((await server.fetch(other)).status).toBe(404)
  })

  test('that is broken, too large or no image is refused, and the former one stays', async () => {
    const before = await readData<OperatorSettings>(await operator.fetch(SETTINGS))
    const whole = Buffer.from(await (await drawPng(200, 80)).arrayBuffer())
    const broken = new Blob([whole.subarray(0, whole.length - 40)], { type: 'image/png' })
    const script = new Blob(['<svg onload="alert(1)" xmlns="http://www.w3.org/2000/svg"/>'], {
      type: 'image/svg+xml',
    })
    expect((await upload('logo', broken)).status).toBe(400)
    expect((await upload('logo', script)).status).toBe(400)
    expect(
      (await upload('logo', new Blob([new Uint8Array(4 * 1024 ** 2 + 1)], { type: 'image/png' }))).status,
    ).toBe(413)
    expect(await readData<OperatorSettings>(await operator.fetch(SETTINGS))).toEqual(before)
  })

  test('is removed, which brings the default back and ends its address', async () => {
    const { logo } = await readData<OperatorSettings>(await operator.fetch(SETTINGS))
    for (const name of ['logo', 'logo_dark', 'icon', 'share_image'])
      expect((await operator.fetch(`${SETTINGS}/${name}`, { method: 'DELETE' })).status).toBe(200)
    expect(await readPage(server, '/')).not.toContain('class="logo')
    expect((await server.fetch(new URL(logo ?? '').pathname.replace('.full.', '.999.'))).status).toBe(404)
  })
})

describe('an announcement', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString()
  const past = () => new Date(Date.now() - 3_600_000).toISOString()

  test('stands on every page during its time, and can be dismissed without script', async () => {
    await change({
      announcement: { markdown: 'Jam **tonight**', from: past(), until: soon(), level: 'warning' },
    })
    const page = await readPage(server, '/rules')
    expect(page).toContain('<aside class="announcement warning"')
    expect(page).toContain('Jam <strong>tonight</strong>')
    expect(await readPage(server, '/no/such/page')).toContain('announcement warning')
    const [, id = ''] = /name="id" value="([0-9a-f]+)"/.exec(page) ?? []
    const dismissed = await server.fetch('/announcement/dismiss', {
      method: 'POST',
      headers: { origin: server.url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ id, next: '/rules' }).toString(),
    })
    expect([dismissed.status, dismissed.headers.get('location')]).toEqual([303, '/rules'])
    const cookie = dismissed.headers.get('set-cookie')?.split(';')[0] ?? ''
    const read = async () =>
      await (await server.fetch('/rules', { headers: { cookie, accept: 'text/html' } })).text()
    expect(await read()).not.toContain('announcement warning')
    await change({ announcement: { markdown: 'Another [one](/pages/jam)', level: 'info' } })
    expect(await read()).toContain(`Another <a href="${server.url}/pages/jam"`)
  })

  test('is not shown before and after', async () => {
    await change({ announcement: { markdown: 'Not yet', from: soon() } })
    expect(await readPage(server, '/')).not.toContain('Not yet')
    await change({ announcement: { markdown: 'Too late', until: past() } })
    expect(await readPage(server, '/')).not.toContain('Too late')
    await change({ announcement: null })
  })
})
