import { describe, expect, test } from 'bun:test'

import { eq, sql } from 'drizzle-orm'

import { builds, files } from '../../../../src/db/schema/builds.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { jamVisits } from '../../../../src/db/schema/jams.ts'
import { JAM_CHANNEL } from '../../../../src/domain/builds/channels.ts'
import type { InstallBuilds } from '../../../../src/features/catalog/installs/model.ts'
import type { PlayLink } from '../../../../src/features/play/visits/model.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { insertBuild, insertFile } from '../../../helpers/builds.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import {
  endAndPin,
  endJam,
  entryPath,
  findPinnedAt,
  inMinutes,
  insertFit,
  insertRunning,
  listPins,
  pinNow,
  readState,
  submit,
} from '../../../helpers/jams/entries.ts'
import { type JamRow, moveJam } from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { GAME_FILES, PAGE, pinOf, releaseWeb, visit } from '../../../helpers/play.ts'
import { release, rollBack, settle } from '../../../helpers/releases.ts'
import { runScanNow, storeFile } from '../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const stranger = usePerson(server)

const versionsOf = async (jam: JamRow, game: GameRow) =>
  (await readState(owner, jam, game)).files.map(({ version, os }) => `${os} ${version}`)

describe('the versions of a jam', () => {
  test('are the clean stable files of the game itself at its end', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await release(server, game.uid, { os: 'windows', version: '1.1.0' })
    await release(server, game.uid, { version: '9.0.0', channel: 'beta' })
    await release(server, game.uid, { version: '2.0.0' }, 'server')
    const scanning = await insertBuild(server, game.uid, { version: '3.0.0', os: 'macos' })
    await insertFile(server, scanning, { scan: 'infected' })
    await submit(owner, jam, game)
    expect(await versionsOf(jam, game)).toEqual([])
    await endAndPin(server, jam)
    expect(await findPinnedAt(server, jam)).not.toBeNull()
    expect(await versionsOf(jam, game)).toEqual(['linux 1.0.0', 'windows 1.1.0'])
  })

  test('stay when developers go on: releases, rollbacks and a second run change nothing', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await release(server, game.uid, { version: '1.5.0' })
    await submit(owner, jam, game)
    await endAndPin(server, jam)
    const [pins, at] = [await listPins(server, jam, game), await findPinnedAt(server, jam)]
    await release(server, game.uid, { version: '2.0.0' })
    expect((await rollBack(owner, game.uid)).status).toBe(200)
    await pinNow(server)
    expect(await listPins(server, jam, game)).toEqual(pins)
    expect(await findPinnedAt(server, jam)).toEqual(at)
    expect(await versionsOf(jam, game)).toEqual(['linux 1.5.0'])
  })

  test('take an upload that was running at the end, and none that began after it', async () => {
    const jam = await insertRunning(server, { graceMinutes: 30 })
    const [running, later] = [await insertFit(server, owner), await insertFit(server, stranger)]
    await submit(owner, jam, running)
    await submit(stranger, jam, later)
    const begun = createUid()
    await endJam(server, jam)
    const inTime = await insertBuild(server, running.uid, { version: '2.0.0' })
    await insertFile(server, inTime, { uid: begun })
    await settle(server, inTime)
    // Longer after the end than clocks of processes may differ.
    const afterwards = Bun.randomUUIDv7('hex', Date.now() + 10_000)
    const tooLate = await insertBuild(server, later.uid, { version: '2.0.0' })
    await insertFile(server, tooLate, { uid: afterwards })
    await settle(server, tooLate)
    await pinNow(server)
    expect(await findPinnedAt(server, jam)).toBeNull()
    await moveJam(server, jam, { graceMinutes: 0 })
    await server.deps.db.execute(sql`update jams set ends_at = ends_at where uid = ${jam.uid}`)
    // As if the grace had passed: the file finished within it.
    await server.deps.db.execute(sql`
      update files set uploaded_at = (select ends_at from jams where uid = ${jam.uid}) where uid = ${begun}`)
    await pinNow(server)
    expect(await versionsOf(jam, running)).toEqual(['linux 2.0.0'])
    const state = await readData<{ files: { version: string }[] }>(
      await stranger.fetch(entryPath(jam, later)),
    )
    expect(state.files.map(({ version }) => version)).toEqual(['1.0.0'])
  })

  test('wait for the scan of a file that arrived in time', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await submit(owner, jam, game)
    const build = await insertBuild(server, game.uid, { version: '2.0.0' })
    const file = await insertFile(server, build, { scan: 'scanning' })
    await endAndPin(server, jam)
    expect(await findPinnedAt(server, jam)).toBeNull()
    await server.deps.db.update(files).set({ scan: 'clean' }).where(eq(files.uid, file.uid))
    await settle(server, build)
    await pinNow(server)
    expect(await versionsOf(jam, game)).toEqual(['linux 2.0.0'])
  })

  test('are fixed at the time that counts now: a jam that was moved is left alone', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner)
    await submit(owner, jam, game)
    await endJam(server, jam)
    await moveJam(server, jam, { endsAt: inMinutes(30) })
    await pinNow(server)
    expect(await findPinnedAt(server, jam)).toBeNull()
    expect(await listPins(server, jam, game)).toEqual([])
  })

  test('are fixed once by several processes', async () => {
    const jam = await insertRunning(server, { entriesPerPerson: 5 })
    const made = await Promise.all(Array.from({ length: 5 }, () => insertFit(server, owner)))
    for (const game of made) await submit(owner, jam, game)
    await endJam(server, jam)
    await Promise.all([pinNow(server), pinNow(server), pinNow(server)])
    expect(await findPinnedAt(server, jam)).not.toBeNull()
    for (const game of made) expect(await listPins(server, jam, game)).toHaveLength(1)
  })
})

describe('a pinned build', () => {
  test('cannot be deleted, nor its listing, until the entry is taken out', async () => {
    const jam = await insertRunning(server)
    const game = await insertFit(server, owner, { visibility: 'draft' })
    await submit(owner, jam, game)
    await endAndPin(server, jam)
    const [pin] = await listPins(server, jam, game)
    await release(server, game.uid, { version: '2.0.0' })
    const path = `/api/v1/private/games/${game.uid}`
    for (const target of [`${path}/builds/${pin?.buildUid}`, path]) {
      const failure = await readFailure(await owner.json('DELETE', target))
      expect(failure).toMatchObject({ status: 409, code: 4090 })
      expect(failure.message).toContain(jam.title)
    }
    expect(await listPins(server, jam, game)).toEqual(pin ? [pin] : [])
    expect((await owner.json('DELETE', entryPath(jam, game))).status).toBe(200)
    expect((await owner.json('DELETE', `${path}/builds/${pin?.buildUid}`)).status).toBe(200)
    expect((await owner.json('DELETE', path)).status).toBe(200)
  })

  test('keeps its file when the same file of the same build is uploaded again', async () => {
    const jam = await insertRunning(server)
    const game = await insertPublicGame(server, owner)
    const old = await releaseWeb(server, game.uid)
    await submit(owner, jam, game)
    await endAndPin(server, jam)
    const [build] = await server.deps.db.select().from(builds).where(eq(builds.uid, old.uid))
    if (!build) throw new Error('The build is gone')
    const changed = await storeFile(server, build, makeZip([{ name: 'index.html', data: 'New' }]))
    await runScanNow(server, changed.uid)
    const [pin] = await listPins(server, jam, game)
    expect(pin?.fileUid).toBe(old.fileUid)
    const [kept] = await server.deps.db
      .select()
      .from(builds)
      .where(eq(builds.uid, pin?.buildUid ?? ''))
    expect(kept).toMatchObject({ version: '1.0.0', channel: JAM_CHANNEL })
    expect(await server.deps.db.$count(files, eq(files.buildUid, old.uid))).toBe(1)
    const answer = await stranger.json('POST', `/api/v1/private/games/${game.uid}/play`, { jam: jam.slug })
    expect(await readFirstPage(game, await readData<PlayLink>(answer))).toContain(PAGE)
    expect(
      (await owner.json('DELETE', `/api/v1/private/games/${game.uid}/builds/${pin?.buildUid}`)).status,
    ).toBe(409)
  })
})

async function readFirstPage(game: GameRow, { url }: PlayLink): Promise<string> {
  const opened = await visit(server, game.uid, `/${new URL(url).search}`)
  expect(opened.status).toBe(302)
  return await (await visit(server, game.uid, '/', pinOf(opened))).text()
}

/** A draft in the voting of a jam, with a web build and one for Linux. */
async function pinnedDraft(values: Parameters<typeof insertFit>[2] = {}) {
  const jam = await insertRunning(server)
  const game = await insertFit(server, owner, { visibility: 'draft', ...values })
  const web = await releaseWeb(server, game.uid)
  await submit(owner, jam, game)
  await endAndPin(server, jam)
  // What players get meanwhile is newer.
  await releaseWeb(server, game.uid, [{ name: 'index.html', data: 'The newest' }], { version: '2.0.0' })
  const linux = (await readState(owner, jam, game)).files.find(({ os }) => os === 'linux')
  return { jam, game, web, linux: linux?.file_uid ?? '' }
}

const play = (person: Person, game: GameRow, body: object) =>
  person.json('POST', `/api/v1/private/games/${game.uid}/play`, body)
const download = (person: Person, game: GameRow, fileUid: string) =>
  person.fetch(`/api/v1/private/games/${game.uid}/files/${fileUid}/download`)

describe('people who see the jam', () => {
  test('play, download and install the version of a draft without a licence', async () => {
    const { jam, game, linux, web } = await pinnedDraft()
    expect((await play(stranger, game, {})).status).toBe(404)
    const link = await readData<PlayLink>(await play(stranger, game, { jam: jam.slug }))
    expect(await readFirstPage(game, link)).toBe(GAME_FILES[0]?.data as string)
    expect((await download(stranger, game, linux)).status).toBe(200)
    const page = await stranger.fetch(`/games/${game.vanityName}/play?jam=${jam.slug}`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('1.0.0')
    const made = await stranger.json('POST', '/api/v1/private/player-keys', {
      label: 'launcher',
      scopes: ['player:install'],
    })
    const bearer = { authorization: `Bearer ${(await readData<{ key: string }>(made)).key}` }
    const path = `/api/v1/player/games/${game.vanityName}/builds`
    expect((await server.fetch(path, { headers: bearer })).status).toBe(404)
    const found = await server.fetch(`${path}?jam=${jam.slug}`, { headers: bearer })
    const { builds: listed } = await readData<InstallBuilds>(found)
    expect(listed.map(({ os, version }) => `${os} ${version}`)).toEqual(['linux 1.0.0', 'web 1.0.0'])
    const installed = await server.fetch(`/api/v1/player/files/${web.fileUid}/download`, { headers: bearer })
    expect(installed.status).toBe(200)
  })

  test('go on with the newest version on the page of the game', async () => {
    const { jam, game } = await pinnedDraft({ visibility: 'public' })
    const inJam = await readData<PlayLink>(await play(stranger, game, { jam: jam.uid }))
    expect(await readFirstPage(game, inJam)).toContain(PAGE)
    const page = await server.fetch(`/games/${game.vanityName}/play`)
    // Only a ticket replaces the version of the jam, to which the browser may be pinned.
    const [, ticket = ''] = /data-url="[^"]*\?(ticket=[^"]+)"/.exec(await page.text()) ?? []
    const opened = await visit(server, game.uid, `/?${ticket}`)
    expect(await (await visit(server, game.uid, '/', pinOf(opened))).text()).toBe('The newest')
  })

  test('need the opt-in for adult entries, and to be voters for what costs something', async () => {
    const adult = await pinnedDraft({ adult: true })
    expect((await play(stranger, adult.game, { jam: adult.jam.slug })).status).toBe(403)
    expect((await download(stranger, adult.game, adult.linux)).status).toBe(403)
    const sold = await pinnedDraft({ priceCents: 500 })
    expect((await play(stranger, sold.game, { jam: sold.jam.slug })).status).toBe(402)
    expect((await download(stranger, sold.game, sold.linux)).status).toBe(402)
    await moveJam(server, sold.jam, { voters: 'everyone', endsAt: inMinutes(60 * 48) })
    expect((await play(stranger, sold.game, { jam: sold.jam.slug })).status).toBe(402)
    await verifyEmail(server, stranger)
    await waitFor('they may play it', async () => {
      const { status } = await play(stranger, sold.game, { jam: sold.jam.slug })
      return status === 201
    })
    expect((await download(stranger, sold.game, sold.linux)).status).toBe(200)
  })

  test('lose it at once when the listing is taken down, withdrawn, or the jam is hidden', async () => {
    const takeDown = ({ game }: { game: GameRow }) =>
      server.deps.db
        .update(games)
        .set({ visibility: 'owner', takenDown: { at: '', reason: 'No', visibility: 'draft' } })
        .where(eq(games.uid, game.uid))
    const withdraw = ({ jam, game }: { jam: JamRow; game: GameRow }) =>
      owner.json('DELETE', entryPath(jam, game))
    const hide = ({ jam }: { jam: JamRow }) => moveJam(server, jam, { visibility: 'draft' })
    for (const act of [takeDown, withdraw, hide]) {
      const entry = await pinnedDraft()
      const { jam, game, linux } = entry
      const link = await readData<PlayLink>(await play(stranger, game, { jam: jam.slug }))
      const pin = pinOf(await visit(server, game.uid, `/${new URL(link.url).search}`))
      expect((await visit(server, game.uid, '/', pin)).status).toBe(200)
      await act(entry)
      expect((await play(stranger, game, { jam: jam.slug })).status).toBe(404)
      expect((await download(stranger, game, linux)).status).toBe(404)
      if (act !== hide) {
        await waitFor('the visit ends', async () => (await visit(server, game.uid, '/', pin)).status === 404)
      }
    }
  })
})

describe('what opens the rating', () => {
  const visitOf = async (person: Person) => {
    const [row] = await server.deps.db.select().from(jamVisits).where(eq(jamVisits.userUid, person.uid))
    return row
  }

  test('is the time between two reports, however many are sent at once', async () => {
    const { jam, game } = await pinnedDraft()
    const player = await signUp(server)
    const beat = () =>
      player.json('POST', `/api/v1/private/games/${game.uid}/play/heartbeat`, {
        session_id: 'one',
        jam: jam.slug,
      })
    const back = (seconds: number) =>
      server.deps.db
        .update(jamVisits)
        .set({ lastPlayedAt: sql`${jamVisits.lastPlayedAt} - make_interval(secs => ${seconds})` })
        .where(eq(jamVisits.userUid, player.uid))
    const started = performance.now()
    /** Checks the credited seconds; the time that the test itself has taken may be among them. */
    const expectCredit = async (seconds: number) => {
      const played = (await visitOf(player))?.playedSeconds ?? -1
      expect(played).toBeGreaterThanOrEqual(seconds)
      expect(played).toBeLessThanOrEqual(seconds + Math.ceil((performance.now() - started) / 1000))
    }
    await Promise.all(Array.from({ length: 20 }, beat))
    await expectCredit(0)
    await back(15.4)
    expect((await beat()).status).toBe(200)
    await expectCredit(15)
    // A longer pause is no play.
    await back(3600)
    await beat()
    await expectCredit(15)
    await back(24.5)
    await beat()
    await expectCredit(39)
    expect(
      (await server.fetch(`/api/v1/private/games/${game.uid}/play/heartbeat`, { method: 'POST' })).status,
    ).toBe(401)
  })

  test('is a download of that version, not of another one', async () => {
    const { jam, game, linux } = await pinnedDraft({ visibility: 'public', anonymousDownloads: true })
    const player = await signUp(server)
    const newer = await release(server, game.uid, { version: '3.0.0' })
    const [file] = await server.deps.db.select().from(files).where(eq(files.buildUid, newer.uid))
    await player.json('POST', `/api/v1/private/games/${game.uid}/claim`)
    expect((await download(player, game, file?.uid ?? '')).status).toBe(200)
    expect(await visitOf(player)).toBeUndefined()
    expect((await download(player, game, linux)).status).toBe(200)
    const first = await visitOf(player)
    expect(first?.downloadedAt).toBeInstanceOf(Date)
    expect((await download(player, game, linux)).status).toBe(200)
    expect(await visitOf(player)).toEqual(first)
    expect(await findPinnedAt(server, jam)).not.toBeNull()
  })
})
