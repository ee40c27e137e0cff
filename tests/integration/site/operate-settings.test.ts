import { describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runSettings } from '../../../src/commands/settings.ts'
import type { OperatorSettings } from '../../../src/features/settings/model.ts'
import { loadSettings } from '../../../src/features/settings/service.ts'
import { drawPng } from '../../helpers/files/pictures.ts'
import { readData } from '../../helpers/json.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)

const read = async () => await readData<OperatorSettings>(await operator.fetch('/api/v1/operator/settings'))

const send = (path: string, fields: Record<string, string>) => submitForm(operator, path, fields)

const save = (fields: Record<string, string>) => send('/operate/settings', fields)

describe('the page of the settings', () => {
  test('saves one group, and brings its default back', async () => {
    const answer = await save({
      group: 'identity',
      name: 'Lantern',
      tagline: 'Lit',
      description: '',
      do: 'save',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/operate/settings?done=saved#identity',
    ])
    expect(await read()).toMatchObject({
      name: 'Lantern',
      tagline: 'Lit',
      description: '',
      accent: '#4f3bd6',
    })
    expect((await save({ group: 'identity', do: 'default' })).status).toBe(303)
    expect(await read()).toMatchObject({ name: 'Playshelf', tagline: 'Games worth an evening' })
  })

  test('shows a preview of the whole page, and saves nothing', async () => {
    const page = await save({ group: 'looks', accent: '#e4572e', typeface: 'figtree', do: 'preview' })
    expect(page.status).toBe(200)
    const text = await page.text()
    expect(text).toContain('Nothing is saved yet')
    expect(text).toContain('/assets/palettes/e4572e.')
    expect(text).toContain('/assets/looks/figtree-rounded-comfortable.')
    expect(text).toContain('Every text passes WCAG AA')
    expect(await read()).toMatchObject({ accent: '#4f3bd6', typeface: 'system' })
    const words = await (await save({ group: 'identity', name: 'Only seen', do: 'preview' })).text()
    expect(words).toContain('Only seen</span>')
    expect((await read()).name).toBe('Playshelf')
  })

  test('shows a fault at its field with everything that was entered', async () => {
    const page = await save({
      group: 'footer',
      footer_labels: 'Blog',
      footer_urls: 'http://x',
      contact: 'me',
      do: 'save',
    })
    expect(page.status).toBe(400)
    const text = await page.text()
    expect(text).toContain('value="http://x"')
    expect(text).toContain('value="me"')
    expect(text).toContain('id="footer_links-fault"')
    expect(text).toContain('id="contact-fault"')
  })

  test('takes groups of words that mean the same, one on each line, and shows what is wrong there', async () => {
    const answer = await save({
      group: 'search',
      synonyms: 'sofa, couch\r\n\r\n tea ,brew,  char',
      do: 'save',
    })
    expect(answer.status).toBe(303)
    expect((await read()).synonyms).toEqual([
      ['sofa', 'couch'],
      ['tea', 'brew', 'char'],
    ])
    const text = await (await operator.fetch('/operate/settings')).text()
    expect(text).toContain('sofa, couch\ntea, brew, char</textarea>')
    const refused = await save({ group: 'search', synonyms: 'alone', do: 'save' })
    expect(refused.status).toBe(400)
    const shown = await refused.text()
    expect(shown).toContain('id="synonyms-fault"')
    expect(shown).toContain('alone</textarea>')
    await save({ group: 'search', do: 'default' })
    expect((await read()).synonyms).toEqual([])
  })

  test('orders the sections of the home page, and leaves some out', async () => {
    const places = { 'home.tags': '1', 'home.newest': '2', 'home.featured': '' }
    const hero = { 'hero.headline': 'Hello', 'hero.text': '' }
    expect((await save({ group: 'home', ...hero, ...places, do: 'save' })).status).toBe(303)
    expect((await read()).home).toEqual(['tags', 'newest'])
    await save({ group: 'home', do: 'default' })
  })

  test('sets an announcement with its time, and an empty text ends it', async () => {
    const fields = {
      group: 'announcement',
      'announcement.until': '2040-01-02T03:04',
      'announcement.level': 'warning',
    }
    await save({ ...fields, 'announcement.markdown': 'Soon', do: 'save' })
    expect((await read()).announcement).toEqual({
      markdown: 'Soon',
      from: null,
      until: '2040-01-02T03:04:00.000Z',
      level: 'warning',
    })
    await save({ ...fields, 'announcement.markdown': ' ', do: 'save' })
    expect((await read()).announcement).toBeNull()
  })

  test('refuses a form that was made from older settings', async () => {
    const page = await (await operator.fetch('/operate/settings')).text()
    const [, revision = ''] = /name="revision" value="(\d+)"/.exec(page) ?? []
    await save({ group: 'policies', fee_percent: '12', do: 'save' })
    const late = await save({ group: 'policies', fee_percent: '13', revision, do: 'save' })
    expect(late.status).toBe(412)
    expect((await read()).fee_percent).toBe(12)
  })

  test('writes, renames and deletes pages, and names a taken address', async () => {
    const page = (fields: Record<string, string>) =>
      send('/operate/settings/page', { do: 'save', was: '', ...fields })
    expect((await page({ slug: 'imprint', title: 'Imprint', markdown: 'We' })).status).toBe(303)
    expect((await page({ slug: 'terms', title: 'Terms', markdown: 'You' })).status).toBe(303)
    const taken = await page({ slug: 'terms', title: 'Others', markdown: 'All of it stays' })
    expect(taken.status).toBe(400)
    const text = await taken.text()
    expect(text).toContain('id="slug-fault"')
    expect(text).toContain('All of it stays')
    expect((await page({ was: 'terms', slug: 'rules', title: 'Rules', markdown: 'You' })).status).toBe(303)
    expect((await read()).pages.map(({ slug }) => slug)).toEqual(['imprint', 'rules'])
    const long = { slug: 'long', title: 'Long', markdown: '漢'.repeat(50_000) }
    expect((await page(long)).status).toBe(303)
    expect((await read()).pages.at(-1)).toEqual(long)
    const longer = await page({ ...long, was: 'long', markdown: `${long.markdown}!` })
    expect(longer.status).toBe(400)
    expect(await longer.text()).toContain(`${long.markdown}!`)
    expect((await send('/operate/settings/page/delete', { was: 'long' })).status).toBe(303)
    const seen = await page({ slug: 'new', title: 'New', markdown: '**Bold**', do: 'preview' })
    expect(await seen.text()).toContain('<strong>Bold</strong>')
    expect((await send('/operate/settings/page/delete', { was: 'rules' })).status).toBe(303)
    expect((await read()).pages.map(({ slug }) => slug)).toEqual(['imprint'])
    expect((await operator.fetch('/operate/settings/page?slug=rules')).status).toBe(404)
  })

  test('an empty page is refused; starters have blanks, and a page with blanks is told', async () => {
    const page = (fields: Record<string, string>) =>
      send('/operate/settings/page', { do: 'save', was: '', ...fields })
    const empty = await page({ slug: 'privacy', title: 'Privacy', markdown: ' \n ' })
    expect(empty.status).toBe(400)
    expect(await empty.text()).toContain('id="markdown-fault">The text must not be empty.')
    const open = (path: string) => readPage(operator, path)
    for (const slug of ['privacy', 'terms', 'imprint']) {
      const editor = await open(`/operate/settings/page?new=${slug}`)
      const starter = /<textarea[^>]*>(.*?)<\/textarea>/s.exec(editor)?.[1] ?? ''
      expect(starter).toMatch(/\[Fill in: [^\]]+\]/)
    }
    const blanks = 'We are [Fill in: your name], at [Fill in: your address].'
    expect((await page({ slug: 'privacy', title: 'Privacy', markdown: blanks })).status).toBe(303)
    expect(await open('/operate/settings')).toContain('2 blanks to fill')
    expect(await open('/operate/settings/page?slug=privacy')).toContain('2 blanks to fill')
    await page({ slug: 'terms', title: 'Terms', markdown: 'You' })
    expect(await open('/operate')).toContain('There are blanks to fill in privacy.')
    await send('/operate/settings/page/delete', { was: 'terms' })
    await send('/operate/settings/page/delete', { was: 'privacy' })
  })

  test('takes images without script, and says what is wrong with one', async () => {
    const upload = async (file: Blob) => {
      const form = new FormData()
      form.append('file', file, 'logo.png')
      return await operator.fetch('/operate/settings/images/logo', { method: 'POST', body: form })
    }
    expect((await upload(new Blob(['no image'], { type: 'image/png' }))).status).toBe(400)
    expect((await read()).logo).toBeNull()
    expect((await upload(await drawPng(300, 60))).status).toBe(303)
    expect((await read()).logo).not.toBeNull()
    expect((await send('/operate/settings/images/logo/delete', {})).status).toBe(303)
    expect((await read()).logo).toBeNull()
  })

  test('shows new invitations once', async () => {
    const made = await send('/operate/invites', { count: '2', uses: '3', expires_at: '' })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    const codes = [...(await made.text()).matchAll(/\/sign-up\?invite=([a-z2-7-]+)/g)].map(([, code]) => code)
    expect(codes).toHaveLength(2)
    const later = await (await operator.fetch('/operate/invites')).text()
    for (const code of codes) expect(later).not.toContain(code ?? '')
    expect((await send('/operate/invites', { count: '101', uses: '1' })).status).toBe(400)
  })
})

/** The same JSON with the members of every object in another order. */
function turnMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, turnMembers(member)]),
  )
}

describe('playshelf settings', () => {
  test('that are equal are no change, whatever the order of their members', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settings-'))
    const file = join(folder, 'store.json')
    const patch = {
      hero: { headline: 'Hello', text: 'There' },
      announcement: { markdown: 'News', level: 'info' },
      pages: [{ slug: 'imprint', title: 'Imprint', markdown: 'Who we are' }],
      footer_links: [{ label: 'Rules', url: 'https://store.example/rules' }],
    }
    const change = async (body: object) => {
      const answer = await operator.json('PATCH', '/api/v1/operator/settings', body)
      expect(answer.status).toBe(200)
    }
    try {
      await change(patch)
      const { revision } = await loadSettings(server.deps, server.deps.db)
      await runSettings(server.deps, ['export', file])
      expect(await runSettings(server.deps, ['import', file])).toBe('Nothing would change.')
      await writeFile(file, JSON.stringify(turnMembers(JSON.parse(await readFile(file, 'utf8')))))
      expect(await runSettings(server.deps, ['import', file])).toBe('Nothing would change.')
      // Saving what is there makes no new revision either.
      await change(turnMembers(patch) as object)
      expect((await loadSettings(server.deps, server.deps.db)).revision).toBe(revision)
    } finally {
      await change({ hero: null, announcement: null, pages: null, footer_links: null })
      await rm(folder, { recursive: true })
    }
  })

  test('exports to a file and imports it: says what would change, asks, and saves all or nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settings-'))
    const file = join(folder, 'store.json')
    try {
      expect(await runSettings(server.deps, ['export', file])).toContain('are written')
      const written = JSON.parse(await readFile(file, 'utf8')) as object
      expect(await runSettings(server.deps, ['import', file])).toBe('Nothing would change.')
      const printed: string[] = []
      const print = (text: string) => void printed.push(text)
      await writeFile(file, JSON.stringify({ ...written, name: 'From a file', accent: '#123456' }))
      const no = { print, confirm: async () => false }
      expect(await runSettings(server.deps, ['import', file], no)).toBe('Nothing was changed.')
      expect(printed.join('\n')).toContain('name: Playshelf → From a file')
      expect(runSettings(server.deps, ['import', file], { print })).rejects.toThrow('Add --yes')
      expect((await read()).name).toBe('Playshelf')
      await runSettings(server.deps, ['import', file, '--yes'], { print })
      expect(await read()).toMatchObject({ name: 'From a file', accent: '#123456' })
      expect(await (await server.fetch('/')).text()).toContain('· From a file</title>')
      await writeFile(file, JSON.stringify({ name: 'Half', contact: 'nobody' }))
      expect(runSettings(server.deps, ['import', file, '--yes'], { print })).rejects.toThrow(
        'contact must be',
      )
      await writeFile(file, JSON.stringify({ nmae: 'Typo' }))
      expect(runSettings(server.deps, ['import', file, '--yes'], { print })).rejects.toThrow()
      expect((await read()).name).toBe('From a file')
      expect(runSettings(server.deps, ['import'])).rejects.toThrow('settings takes')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
