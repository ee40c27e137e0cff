import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { PAIRS, SURFACES } from '../../../../src/domain/palette.ts'
import type { OperatorSettings } from '../../../../src/features/settings/model.ts'
import { palettePath } from '../../../../src/features/settings/storefront.ts'
import { contrastOf } from '../../../../src/lib/color/oklch.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import { readData } from '../../../helpers/json.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import type { Person } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let server: TestServer
let operator: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  operator = await signUpOperator(server)
})
afterAll(() => server.stop())

const SETTINGS = '/api/v1/operator/settings'
const patch = async (body: object) => {
  expect((await operator.json('PATCH', SETTINGS, body)).status).toBe(200)
}
const readPage = async (path: string) =>
  await (await server.fetch(path, { headers: { accept: 'text/html' } })).text()

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
    await patch({ accent: '#fff' })
    const page = await readPage('/')
    const [, path = ''] = /<link rel="stylesheet" href="(\/assets\/palettes\/[^"]+)"/.exec(page) ?? []
    const { light } = parseSheet(await (await server.fetch(path)).text())
    expect(contrastOf(light.get('accent') ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    expect(await (await server.fetch('/favicon.svg')).text()).toContain('#ffffff')
    await patch({ accent: null })
    expect(await readPage('/')).not.toContain('/assets/palettes/')
  })

  test('nothing else is made from an address', async () => {
    for (const file of ['ffffff.css', 'ffffff.00000000.css', 'red.12345678.css', 'ffffff.12345678.css%0a'])
      expect((await server.fetch(`/assets/palettes/${file}`)).status).toBe(404)
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
    const page = await readPage('/')
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
    expect(await readPage('/')).not.toContain('class="logo')
    expect((await server.fetch(new URL(logo ?? '').pathname.replace('.full.', '.999.'))).status).toBe(404)
  })
})

describe('an announcement', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString()
  const past = () => new Date(Date.now() - 3_600_000).toISOString()

  test('stands on every page during its time, and can be dismissed without script', async () => {
    await patch({
      announcement: { markdown: 'Jam **tonight**', from: past(), until: soon(), level: 'warning' },
    })
    const page = await readPage('/rules')
    expect(page).toContain('<aside class="announcement warning"')
    expect(page).toContain('Jam <strong>tonight</strong>')
    expect(await readPage('/no/such/page')).toContain('announcement warning')
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
    await patch({ announcement: { markdown: 'Another [one](/pages/jam)', level: 'info' } })
    expect(await read()).toContain(`Another <a href="${server.url}/pages/jam"`)
  })

  test('is not shown before and after', async () => {
    await patch({ announcement: { markdown: 'Not yet', from: soon() } })
    expect(await readPage('/')).not.toContain('Not yet')
    await patch({ announcement: { markdown: 'Too late', until: past() } })
    expect(await readPage('/')).not.toContain('Too late')
    await patch({ announcement: null })
  })
})
