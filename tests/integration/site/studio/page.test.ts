import { describe, expect, test } from 'bun:test'

import { readData } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertPublicGame,
  LONG_TEXT,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { faultOf, openTab, readFields, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

const readListing = async (game: GameRow) =>
  await readData<Record<string, unknown>>(await owner.fetch(`/api/v1/private/games/${game.uid}`))

/** Opens the form, changes some of its fields, and returns what a browser would send. */
async function edit(person: Person, game: GameRow, changes: Record<string, string | string[]>) {
  return { ...readFields(await openTab(person, game, 'page'), 'page-form'), ...changes }
}

const save = (person: Person, game: GameRow, fields: Record<string, string | string[]>) =>
  submitForm(person, `/studio/${game.vanityName}/page`, fields)

describe('the editor of a page', () => {
  test('shows all faults at once, each at its field', async () => {
    const game = await insertGame(server, owner)
    const changes = {
      website: 'http://a.example',
      tags: 'lamp, ü!',
      engines: 'Ü?',
      'languages.audio': 'german',
    }
    const answer = await save(owner, game, await edit(owner, game, changes))
    const page = await answer.text()
    for (const name of Object.keys(changes)) expect([name, faultOf(page, name)]).not.toEqual([name, null])
  })

  test('saves every field of the form', async () => {
    const [similar, pack] = [
      await insertPublicGame(server, owner),
      await insertPublicGame(server, owner, { assetType: 'game_asset', licenseKind: 'cc0' }),
    ]
    const game = await insertGame(server, owner)
    const fields = await edit(owner, game, {
      name: 'Grey Seal',
      tagline: 'A seal, a pier.',
      status: 'released',
      website: 'https://seal.example/',
      description: 'One\r\ntwo',
      license_kind: 'cc-by',
      adult: 'true',
      genres: ['action', 'puzzle'],
      tags: 'Sea side, seal,  seal, pier',
      tone: ['cozy'],
      inputs: ['gamepad'],
      content_warnings: ['gore'],
      session_bucket: '1h',
      net: 'local',
      players_min: '1',
      players_max: '4',
      engines: 'Godot, own',
      authorship: 'human',
      authorship_credit: 'Two friends',
      ai_uses: ['code'],
      accessibility: ['one_handed', 'mono_audio'],
      'languages.interface': 'en, PT_br',
      'languages.subtitles': 'en, de',
      'requirements.linux.minimum': '4 GB\r\n2 cores',
      similar_titles: similar.vanityName,
      'dependencies.uses': pack.vanityName,
    })
    const answer = await save(owner, game, fields)
    expect(answer.headers.get('location')).toBe(`/studio/${game.vanityName}/page?done=saved`)
    expect(await readListing(game)).toMatchObject({
      name: 'Grey Seal',
      tagline: 'A seal, a pier.',
      status: 'released',
      website: 'https://seal.example/',
      description: 'One\ntwo',
      license_kind: 'cc-by',
      adult: true,
      genres: ['action', 'puzzle'],
      tags: ['sea-side', 'seal', 'pier'],
      tone: ['cozy'],
      inputs: ['gamepad'],
      content_warnings: ['gore'],
      session_bucket: '1h',
      net: 'local',
      players_min: 1,
      players_max: 4,
      engines: ['godot', 'own'],
      authorship: 'human',
      authorship_credit: 'Two friends',
      ai_uses: ['code'],
      accessibility: ['one_handed', 'mono_audio'],
      languages: [
        { language: 'en', interface: true, audio: false, subtitles: true },
        { language: 'pt-BR', interface: true, audio: false, subtitles: false },
        { language: 'de', interface: false, audio: false, subtitles: true },
      ],
      requirements: { linux: { minimum: '4 GB\n2 cores', recommended: null } },
      similar_titles: [{ uid: similar.uid }],
      dependencies: [{ kind: 'uses', uid: pack.uid }],
    })
  })

  test('opened and saved as it is, it changes nothing', async () => {
    const game = await insertGame(server, owner, {
      genres: ['puzzle', 'action'],
      adult: true,
      indexable: false,
    })
    const before = await readListing(game)
    delete before.updated_at
    expect((await save(owner, game, await edit(owner, game, {}))).status).toBe(303)
    expect(await readListing(game)).toMatchObject(before)
  })

  test('empty fields and unticked boxes are cleared', async () => {
    const game = await insertGame(server, owner, {
      adult: true,
      tone: ['cozy'],
      playersMin: 2,
      website: 'https://a.example/',
    })
    const fields = await edit(owner, game, { players_min: '', website: '' })
    delete fields.adult
    delete fields.tone
    await save(owner, game, fields)
    expect(await readListing(game)).toMatchObject({
      adult: false,
      tone: [],
      players_min: null,
      website: null,
    })
  })

  test('a mod names its parent and how it is installed', async () => {
    const parent = await insertPublicGame(server, owner)
    const mod = await insertGame(server, owner, { assetType: 'mod' })
    const settings = { 'mod_settings.install_path': 'mods/', 'mod_settings.loader': 'bepinex' }
    await save(owner, mod, await edit(owner, mod, { 'parent.game': parent.vanityName, ...settings }))
    expect(await readListing(mod)).toMatchObject({
      parent: { game: parent.uid },
      mod_settings: { install_path: 'mods/', loader: 'bepinex' },
    })
  })

  test('a language that is none is quoted at the field it was typed into', async () => {
    const game = await insertGame(server, owner)
    const fields = await edit(owner, game, { 'languages.interface': 'en', 'languages.audio': 'en, german' })
    const page = await (await save(owner, game, fields)).text()
    expect(page).toContain('“german” in Languages of speech must be a tag such as en or pt-BR.')
    expect(page).toContain('value="en, german"')
  })

  test('a new address leads on at once', async () => {
    const game = await insertGame(server, owner)
    const name = `renamed-${crypto.randomUUID().slice(0, 6)}`
    const answer = await save(owner, game, await edit(owner, game, { vanity_name: name }))
    expect(answer.headers.get('location')).toBe(`/studio/${name}/page?done=saved`)
  })
})

describe('a rejected page', () => {
  test.each<[string, Record<string, string | string[]>, string]>([
    ['name', { name: '' }, 'Enter the name.'],
    ['tagline', { tagline: 'x'.repeat(141) }, '140'],
    ['website', { website: 'http://plain.example' }, 'https://'],
    ['tags', { tags: 'fine, not/fine' }, 'not/fine'],
    ['genres', { genres: ['action', 'card', 'idle', 'puzzle'] }, 'at most 3'],
    ['players_min', { players_min: '65' }, '1 to 64'],
    ['similar_titles', { similar_titles: 'no-such-game' }, '“no-such-game” in the similar titles must be'],
    [
      'dependencies.made_with',
      { 'dependencies.made_with': 'no-such-tool' },
      '“no-such-tool” in Made with must be',
    ],
    ['vanity_name', { vanity_name: 'NO' }, '3 to 64'],
  ])('shows the fault at %s and keeps every entry', async (id, wrong, expected) => {
    const game = await insertGame(server, owner)
    const fields = await edit(owner, game, { authorship_credit: 'Kept <b>entry</b>', ...wrong })
    const answer = await save(owner, game, fields)
    const page = await answer.text()
    expect(answer.status).toBeOneOf([400, 422])
    expect(faultOf(page, id)).toContain(expected)
    expect(page).toContain(`<a href="#${id}">`)
    expect(readFields(page, 'page-form')).toMatchObject(fields)
    expect(await readListing(game)).toMatchObject({ authorship_credit: null })
  })

  test.each<[string, string, Record<string, string>]>([
    ['parent.game', 'mod', { 'parent.game': 'no-such-game' }],
    ['mod_settings.install_path', 'plugin', { 'mod_settings.install_path': '../up' }],
  ])('a fault of %s stands at its field', async (id, assetType, wrong) => {
    const game = await insertGame(server, owner, { assetType: assetType as 'mod' })
    const page = await (await save(owner, game, await edit(owner, game, wrong))).text()
    expect(faultOf(page, id)).not.toBeNull()
  })

  test('a public page cannot lose what the check asks for', async () => {
    const game = await insertPublicGame(server, owner)
    const answer = await save(owner, game, await edit(owner, game, { tagline: '' }))
    expect([answer.status, faultOf(await answer.text(), 'tagline')]).toEqual([
      422,
      'Add a tagline: one line that says what this is.',
    ])
  })

  test('a foreign origin and a stranger are refused', async () => {
    const game = await insertPublicGame(server, owner)
    const fields = await edit(owner, game, { name: 'Stolen' })
    const path = `/studio/${game.vanityName}/page`
    expect((await submitForm(owner, path, fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await submitForm(await signUp(server), path, fields)).status).toBe(404)
    expect(await readListing(game)).toMatchObject({ name: game.name })
  })
})

describe('two people edit one page', () => {
  async function startBoth() {
    const helper = await signUp(server)
    const game = await insertGame(server, owner, { tagline: 'At first.', description: LONG_TEXT })
    await insertAdmin(server, game.uid, helper, 'accepted')
    return { helper, game }
  }

  test('the second sees both versions of what both changed, and keeps theirs or the own', async () => {
    const { helper, game } = await startBoth()
    const [first, second] = [
      await edit(owner, game, { tagline: 'The first version.' }),
      await edit(helper, game, { tagline: 'The second version.', name: 'Second Name' }),
    ]
    expect((await save(owner, game, first)).status).toBe(303)
    const stale = await save(helper, game, second)
    const page = await stale.text()
    expect(stale.status).toBe(412)
    for (const text of ['The first version.', 'The second version.', 'Keep mine'])
      expect(page).toContain(text)
    expect(await readListing(game)).toMatchObject({ tagline: 'The first version.' })

    const kept = readFields(page, 'page-form')
    expect(kept).toMatchObject({ tagline: 'The second version.', name: 'Second Name' })
    expect((await save(helper, game, kept)).status).toBe(303)
    expect(await readListing(game)).toMatchObject({ tagline: 'The second version.', name: 'Second Name' })
  })

  test('what only the first changed survives', async () => {
    const { helper, game } = await startBoth()
    const [first, second] = [
      await edit(owner, game, { tagline: 'Only the first.', genres: ['action'] }),
      await edit(helper, game, { name: 'Only the second' }),
    ]
    await save(owner, game, first)
    const page = await (await save(helper, game, second)).text()
    expect(page).toContain('Only they changed it')
    await save(helper, game, readFields(page, 'page-form'))
    expect(await readListing(game)).toMatchObject({
      tagline: 'Only the first.',
      name: 'Only the second',
      genres: ['action'],
    })
  })

  test('a change of what the form does not show is no reason to stop', async () => {
    const { game } = await startBoth()
    const fields = await edit(owner, game, { tagline: 'Typed meanwhile.' })
    await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { price_cents: 499 })
    expect((await save(owner, game, fields)).status).toBe(303)
    expect(await readListing(game)).toMatchObject({ tagline: 'Typed meanwhile.', price_cents: 499 })
  })
})

describe('the preview', () => {
  const preview = (person: Person, text: string) => submitForm(person, '/studio/preview', { text })

  test('renders Markdown as the store page does', async () => {
    const text = await (await preview(owner, '# Hello\n\n<script>alert(1)</script>')).text()
    expect(text).toContain('<h3>Hello</h3>')
    expect(text).not.toContain('<script>')
  })

  test('is for people who are signed in', async () => {
    const answer = await server.fetch('/studio/preview', {
      method: 'POST',
      body: new URLSearchParams({ text: 'x' }),
      headers: { origin: server.url },
    })
    expect(answer.status).toBe(401)
  })
})
