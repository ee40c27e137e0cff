import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { extstoreLinks } from '../../../../src/db/schema/extstore.ts'
import type { Imported } from '../../../../src/features/extstore/import/model.ts'
import type { PageImages } from '../../../../src/features/listings/images/model.ts'
import type { PressKit } from '../../../../src/features/listings/press/model.ts'
import type { StoreLinks } from '../../../../src/features/listings/store-links/model.ts'
import { gamePage } from '../../../helpers/ext-store-double/fixture.ts'
import {
  askImport,
  importedOf,
  preview,
  runImport,
  skippedOf,
  useImports,
  WEB_API_KEY,
} from '../../../helpers/extstore/imports.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../helpers/listings.ts'
import type { Person } from '../../../helpers/people.ts'

const world = useImports()

describe('an import', () => {
  let nextAppId = 800_000

  /** A page of its own for every test, since one app has one listing. */
  function addApp(changes: Record<string, unknown> = {}): number {
    nextAppId += 1
    world.double.addApp(gamePage(nextAppId, `Lantern Keeper ${nextAppId}`, changes))
    world.double.addKey(WEB_API_KEY, [nextAppId])
    return nextAppId
  }

  async function read<Data>(person: Person, uid: string, path = ''): Promise<Data> {
    return await readData<Data>(await person.fetch(`/api/v1/private/games/${uid}${path}`))
  }

  describe('the target', () => {
    test('is a new draft of the caller, named by the store', async () => {
      const person = await world.signUpDeveloper()
      const app_id = addApp()
      expect((await preview(person, { app_id })).target).toEqual({ game_uid: null })
      const answer = await askImport(person, { app_id })
      expect(answer.status).toBe(201)
      const imported = await readData<Imported>(answer)
      expect(imported).toMatchObject({ created: true, vanity_name: `lantern-keeper-${app_id}` })
      expect(await read(person, imported.game_uid)).toMatchObject({
        visibility: 'draft',
        asset_type: 'game',
        role: 'owner',
        name: `Lantern Keeper ${app_id}`,
        vanity_name: imported.vanity_name,
      })
    })

    test('a new listing always takes name and description, whatever the groups', async () => {
      const person = await world.signUpDeveloper()
      const { report, game_uid } = await runImport(person, { app_id: addApp(), groups: ['status'] })
      expect(Object.keys(importedOf(report))).toEqual(['name', 'description', 'status'])
      expect(await read(person, game_uid)).toMatchObject({
        tagline: '',
        genres: [],
        price_cents: 0,
        cover: null,
      })
    })

    test('is a listing the caller owns, by uid or vanity name; it takes the groups asked for alone', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person, { priceCents: 500 })
      const app_id = addApp()
      const shown = await preview(person, { app_id, game_uid: game.vanityName, groups: ['status', 'price'] })
      expect(shown).toMatchObject({ target: { game_uid: game.uid }, screenshots: [] })
      const answer = await askImport(person, {
        app_id,
        game_uid: game.vanityName,
        groups: ['status', 'price'],
      })
      expect(answer.status).toBe(200)
      const { report, ...imported } = await readData<Imported>(answer)
      expect(imported).toMatchObject({ game_uid: game.uid, vanity_name: game.vanityName, created: false })
      expect(importedOf(report)).toEqual({ status: 'released', price_cents: 1999 })
      expect(await read(person, game.uid)).toMatchObject({
        name: game.name,
        description: game.description,
        genres: ['puzzle'],
        vanity_name: game.vanityName,
        status: 'released',
        price_cents: 1999,
      })
    })

    test('is a listing the caller helps run', async () => {
      const [owner, admin] = [await world.signUpDeveloper(), await world.signUpDeveloper()]
      const game = await insertGame(world.server, owner)
      await insertAdmin(world.server, game.uid, admin, 'accepted')
      const { report } = await runImport(admin, { app_id: addApp(), game_uid: game.uid, groups: ['text'] })
      expect(Object.keys(importedOf(report))).toEqual(['name', 'tagline', 'description'])
    })

    test('an app can be imported again into its own listing', async () => {
      const person = await world.signUpDeveloper()
      const app_id = addApp()
      const { game_uid } = await runImport(person, { app_id, groups: ['status'] })
      expect(await runImport(person, { app_id, game_uid })).toMatchObject({ game_uid, created: false })
    })
  })

  describe('what is written', () => {
    test('pictures replace all that were there; the first screenshot is cover and thumbnail', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person)
      const images = `/api/v1/private/games/${game.uid}/images`
      const old = await readData<{ url: string }>(
        await send(person, `${images}/gallery`, await drawPng(64, 36)),
      )
      await runImport(person, { app_id: addApp(), game_uid: game.uid, groups: ['images'] })
      const { cover, thumbnail, gallery } = await read<PageImages>(person, game.uid, '/images')
      expect(cover).toMatchObject({ width: 1280, height: 720 })
      expect(thumbnail).toMatchObject({ width: 640, height: 360 })
      expect(gallery.map(({ width, height }) => `${width}×${height}`)).toEqual(Array(3).fill('1280×720'))
      expect(gallery.map(({ url }) => url)).not.toContain(old.url)
      for (const { url } of [cover, thumbnail, ...gallery].flatMap((image) => image ?? [])) {
        expect((await world.server.fetch(new URL(url).pathname)).status).toBe(200)
      }
    })

    test('where no screenshot is good enough, the pictures stay', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person)
      await send(person, `/api/v1/private/games/${game.uid}/images/cover`, await drawPng(64, 36))
      const before = await read<PageImages>(person, game.uid, '/images')
      const app_id = addApp({ screenshots: [] })
      const { report } = await runImport(person, { app_id, game_uid: game.uid, groups: ['images'] })
      expect(report.imported).toEqual([])
      expect(await read<PageImages>(person, game.uid, '/images')).toEqual(before)
    })

    test('the press kit keeps what the store does not tell, and credits of people', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person)
      await person.json('PUT', `/api/v1/private/games/${game.uid}/press`, {
        history: 'Long ago.',
        contact_email: 'press@example.org',
        release_date: 'Soon',
        team: [
          { name: 'Ada', role: 'Music' },
          { name: 'Someone else', role: 'Publisher' },
        ],
      })
      await runImport(person, { app_id: addApp(), game_uid: game.uid, groups: ['press'] })
      expect(await read<PressKit>(person, game.uid, '/press')).toMatchObject({
        history: 'Long ago.',
        contact_email: 'press@example.org',
        release_date: 'Mar 4, 2025',
        team: [
          { name: 'Night Shift', role: 'Developer', url: null },
          { name: 'Small Hours', role: 'Publisher', url: null },
          { name: 'Ada', role: 'Music', url: null },
        ],
      })
    })

    test('the store link takes the place of the one before; links to other stores stay', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person, {
        storeLinks: [
          { platform: 'store_02', url: 'https://x.itch.io/y' },
          { platform: 'store_01', url: 'https://store.steampowered.com/app/1/' },
        ],
      })
      const app_id = addApp()
      await runImport(person, { app_id, game_uid: game.uid, groups: ['store_link'] })
      const { store_links } = await read<StoreLinks>(person, game.uid, '/store-links')
      expect(store_links.map(({ url }) => url)).toEqual([
        `https://store.steampowered.com/app/${app_id}/`,
        'https://x.itch.io/y',
      ])
    })

    test('a price is skipped while anonymous downloads are on; free is not', async () => {
      const person = await world.signUpDeveloper()
      const game = await insertGame(world.server, person, { anonymousDownloads: true })
      const app_id = addApp()
      const shown = await preview(person, { app_id, game_uid: game.uid, groups: ['price'] })
      const { report } = await runImport(person, { app_id, game_uid: game.uid, groups: ['price'] })
      const reason = 'price_cents: Anonymous downloads are on; turn them off before setting a price.'
      expect([skippedOf(shown), skippedOf(report)]).toEqual([[reason], [reason]])
      const other = await insertGame(world.server, person, { anonymousDownloads: true })
      const free = addApp({ is_free: true, price_overview: undefined })
      expect(
        importedOf(
          (await runImport(person, { app_id: free, game_uid: other.uid, groups: ['price'] })).report,
        ),
      ).toEqual({ price_cents: 0 })
    })

    test.each([
      ['digits', (id: number) => String(id)],
      ['a number', (id: number) => id],
      ['a store link', (id: number) => `https://store.steampowered.com/app/${id}/Lantern_Keeper/?snr=1#x`],
      ['a short store link', (id: number) => ` https://store.steampowered.com/app/${id} `],
    ])('the app may be named by %s', async (_, write) => {
      const person = await world.signUpDeveloper()
      const app_id = addApp()
      const { settings } = await runImport(person, { app_id: write(app_id), groups: ['status'] })
      expect(settings.app_id).toBe(String(app_id))
    })
  })

  describe('the key', () => {
    const linkOf = async (gameUid: string) => {
      const [row] = await world.server.deps.db
        .select()
        .from(extstoreLinks)
        .where(eq(extstoreLinks.gameUid, gameUid))
      return row
    }

    test('is used for this import alone and not saved', async () => {
      const person = await world.signUpDeveloper()
      const { game_uid, settings } = await runImport(person, { app_id: addApp(), groups: ['status'] })
      expect(settings).toMatchObject({ enabled: false, has_web_api_key: false, ticket_key: null })
      expect(settings.last_sync_at).not.toBeNull()
      expect(await linkOf(game_uid)).toMatchObject({ webApiKey: null, authKey: null })
    })

    test('is saved, encrypted, with enable_auth, which turns sign-in on', async () => {
      const person = await world.signUpDeveloper()
      const app_id = addApp()
      const answer = await askImport(person, { app_id, groups: ['status'], enable_auth: true })
      const { game_uid, settings } = await readData<Imported>(answer)
      expect(settings).toMatchObject({ enabled: true, has_web_api_key: true })
      expect(settings.ticket_key).toMatch(/^svc_[0-9a-f]{32}$/)
      expect(JSON.stringify(await linkOf(game_uid))).not.toContain(WEB_API_KEY)
      const again = await runImport(person, { app_id, game_uid, groups: ['status'], enable_auth: true })
      expect(again.settings).toMatchObject({ ticket_key: settings.ticket_key })
      expect(again.settings.auth_key_last4).toBe(settings.auth_key_last4)
    })

    test('is checked before anything is read from the store', async () => {
      const person = await world.signUpDeveloper()
      const app_id = addApp()
      const from = world.double.requests.length
      await runImport(person, { app_id })
      const points = world.double.requests.slice(from).map(({ point }) => point)
      expect(points[0]).toBe('appList')
      expect(points.slice(1)).not.toContain('appList')
    })
  })
})

describe('importing again', () => {
  let person: Person
  const APP_ID = 810_000
  beforeAll(async () => {
    world.double.addApp(gamePage(APP_ID, 'Lantern Keeper'))
    world.double.addKey(WEB_API_KEY, [APP_ID])
    person = await world.signUpDeveloper()
  })

  const ask = (uid: string, body: object, who = person) =>
    who.json('POST', `/api/v1/private/games/${uid}/steam/resync`, body)

  describe('resync', () => {
    let uid: string
    test('takes the groups asked for from the linked app once more', async () => {
      const imported = await runImport(person, { app_id: APP_ID, groups: ['text'] })
      uid = imported.game_uid
      world.double.addApp(gamePage(APP_ID, 'Lantern Keeper: Dawn', { short_description: 'New.' }))
      const answer = await ask(uid, { groups: ['text'], web_api_key: WEB_API_KEY })
      expect(answer.status).toBe(200)
      const { report, settings, ...rest } = await readData<Imported>(answer)
      expect(rest).toEqual({ game_uid: uid, vanity_name: imported.vanity_name, created: false })
      expect(importedOf(report)).toMatchObject({ name: 'Lantern Keeper: Dawn', tagline: 'New.' })
      expect(Object.keys(importedOf(report))).toEqual(['name', 'tagline', 'description'])
      expect(Date.parse(settings.last_sync_at ?? '')).toBeGreaterThan(
        Date.parse(imported.settings.last_sync_at ?? ''),
      )
      const listing = await person.fetch(`/api/v1/private/games/${uid}`)
      expect(await readData(listing)).toMatchObject({ name: 'Lantern Keeper: Dawn', genres: [] })
    })

    test.each([[{}], [{ web_api_key: '' }], [{ web_api_key: null }]])(
      'without a key it is 400/4240 while sign-in is off: %j',
      async (body) => {
        expect(await readFailure(await ask(uid, body))).toMatchObject({ status: 400, code: 4240 })
      },
    )

    test.each([[{}], [{ web_api_key: '' }]])(
      'while sign-in is on the saved key is used: %j',
      async (body) => {
        const enabled = await person.json('POST', `/api/v1/private/games/${uid}/steam/enable`, {
          web_api_key: WEB_API_KEY,
        })
        expect(enabled.status).toBe(200)
        const { report, settings } = await readData<Imported>(await ask(uid, body))
        expect(importedOf(report)).toMatchObject({ status: 'released', genres: ['adventure'] })
        expect(settings.enabled).toBe(true)
      },
    )

    test('a saved key that no longer covers the app is 403/4241', async () => {
      world.double.addKey(WEB_API_KEY, [])
      const failure = await readFailure(await ask(uid, {}))
      world.double.addKey(WEB_API_KEY, [APP_ID])
      expect(failure).toMatchObject({ status: 403, code: 4241 })
    })

    test.each([
      ['no groups', { groups: [] }, 400, 4240],
      ['an unknown group', { groups: ['music'] }, 400, 4240],
      ['a key of another shape', { web_api_key: 'x' }, 400, 4240],
      ['an unknown field', { app_id: APP_ID }, 400, 4000],
    ])('%s is refused', async (_, body, status, code) => {
      expect(await readFailure(await ask(uid, body))).toMatchObject({ status, code })
    })

    test('a listing that is not linked is 404/4244', async () => {
      const game = await insertGame(world.server, person)
      const failure = await readFailure(await ask(game.uid, { web_api_key: WEB_API_KEY }))
      expect(failure).toMatchObject({ status: 404, code: 4244 })
    })

    test('needs developer mode', async () => {
      const other = await world.signUpDeveloper()
      await other.json('PATCH', '/api/v1/private/me', { developer_mode: false })
      expect(await readFailure(await ask(uid, {}, other))).toMatchObject({ status: 403, code: 4105 })
    })
  })
})
