import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { eq } from 'drizzle-orm'

import { saveSets, saveSlots } from '../../../../src/db/schema/saves.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { SAVE_BYTES_MAX, SLOTS_MAX } from '../../../../src/domain/saves.ts'
import type { WrittenSave } from '../../../../src/features/saves/slots/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, setPlayMinutes } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { callSaves, listObjects, newSaveGame, newSavePlayer, readConflict } from '../../../helpers/saves.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const MB = 1024 ** 2

describeEachStorage('writing saves', (env) => {
  const server = useStore(() => ({ TRUST_PROXY: '1', ...env() }))
  let owner: Person
  let game: GameRow
  beforeAll(async () => {
    owner = await signUp(server)
    game = await newSaveGame(server, owner)
  })
  const player = () => newSavePlayer(server, game)

  test('a new slot, its next revision, and what both were', async () => {
    const { saves, person } = await player()
    await setPlayMinutes(server, game.uid, person, 90)
    const made = await saves.put('main', 'level 1', null, {
      'x-save-device': 'Steam Deck',
      'x-save-note': encodeURIComponent('Vor dem Turm – 塔'),
      'x-checksum-sha256': sha256Hex('level 1'),
    })
    expect(made.status).toBe(201)
    const first = await readData<WrittenSave>(made)
    expect(first).toEqual({ revision: expect.any(String), size: 7, sha256: sha256Hex('level 1') })
    expect(made.headers.get('etag')).toBe(`"${first.revision}"`)
    const second = await saves.write('main', 'level 2', first.revision)
    const { slots, quota } = await saves.list()
    expect(slots).toEqual([
      {
        slot: 'main',
        revision: second.revision,
        size: 7,
        sha256: sha256Hex('level 2'),
        device: null,
        note: null,
        play_minutes: 90,
        at: expect.any(String),
        deleted_at: null,
      },
    ])
    expect(quota).toEqual({ used: 14, limit: 200 * MB })
    const read = await saves.read('main')
    expect(read.headers.get('etag')).toBe(`"${second.revision}"`)
    expect(await read.text()).toBe('level 2')
    expect(await saves.text('main', first.revision)).toBe('level 1')
    const history = await saves.history('main')
    expect(history).toMatchObject({ total: 2, page: 1 })
    expect(
      history.items.map((one) => [one.revision, one.device, one.note, one.current, one.refused]),
    ).toEqual([
      [second.revision, null, null, true, false],
      [first.revision, 'Steam Deck', 'Vor dem Turm – 塔', false, false],
    ])
    const known = await saves.call('/main', { headers: { 'if-none-match': `"${second.revision}"` } })
    expect(known.status).toBe(304)
    expect((await saves.read('other')).status).toBe(404)
    expect((await saves.call('/other/revisions')).status).toBe(404)
  })

  test('a lost race keeps both: 412 names theirs, and what was sent is a revision of its own', async () => {
    const { saves } = await player()
    const base = await saves.write('main', 'base', null)
    const theirs = await saves.write('main', 'theirs', base.revision)
    const lost = await readConflict(await saves.put('main', 'mine', base.revision))
    expect(lost.theirs).toBe(theirs.revision)
    expect(await saves.text('main')).toBe('theirs')
    expect(await saves.text('main', lost.yours_kept_as)).toBe('mine')
    const [newest] = (await saves.history('main')).items
    expect(newest).toMatchObject({ revision: lost.yours_kept_as, refused: true, current: false })

    const twice = await readConflict(await saves.put('main', 'new', null))
    expect(twice.theirs).toBe(theirs.revision)
    const nowhere = await readConflict(await saves.put('gone', 'bytes', base.revision))
    expect(nowhere.theirs).toBeNull()
    expect(await saves.text('gone', nowhere.yours_kept_as)).toBe('bytes')
    expect((await saves.read('gone')).status).toBe(404)
    expect((await saves.list()).slots.map(({ slot }) => slot)).toEqual(['main'])

    const used = await readData<{ revision: string }>(await saves.restore('main', lost.yours_kept_as))
    expect(await saves.text('main')).toBe('mine')
    expect((await saves.list()).slots[0]?.revision).toBe(used.revision)
    await saves.write('gone', 'now there', null)
    expect(await saves.text('gone', nowhere.yours_kept_as)).toBe('bytes')
  })

  test('what is wrong is told, and nothing of it is kept', async () => {
    const { saves } = await player()
    const before = await listObjects(server)
    const put = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer> = 'x') =>
      saves.call('/main', { method: 'PUT', body, headers })
    const fresh = { 'if-none-match': '*' }
    const wrong: [Record<string, string>, number, number][] = [
      [{}, 428, 4000],
      [{ 'if-none-match': '"abc"' }, 400, 4000],
      [{ 'if-match': '*' }, 400, 4000],
      [{ 'if-match': 'bare' }, 400, 4000],
      [{ 'if-match': '"a", "b"' }, 400, 4000],
      [{ 'if-match': '"a"', ...fresh }, 400, 4000],
      [{ ...fresh, 'x-checksum-sha256': 'short' }, 400, 4000],
      [{ ...fresh, 'x-checksum-sha256': sha256Hex('other') }, 400, 4046],
      [{ ...fresh, 'x-save-note': 'n'.repeat(201) }, 400, 4000],
      [{ ...fresh, 'x-save-note': 'a%0Ab' }, 400, 4000],
      [{ ...fresh, 'x-save-device': 'd'.repeat(81) }, 400, 4000],
    ]
    for (const [headers, status, code] of wrong)
      expect(await readFailure(await put(headers))).toMatchObject({ status, code })
    const large = await put(fresh, new Uint8Array(SAVE_BYTES_MAX + 1))
    expect(await readFailure(large)).toMatchObject({ status: 413, code: 4130 })
    expect(await saves.list()).toMatchObject({ slots: [], quota: { used: 0 } })
    expect((await put({ ...fresh, 'x-save-note': 'n'.repeat(200) })).status).toBe(201)
    expect(await listObjects(server)).toHaveLength(before.length + 1)
  })

  test('names of slots are names that a file can have on every system', async () => {
    const { saves, key } = await player()
    // Dots alone never arrive as a slot, so that these answers are of other routes.
    const raw = callSaves({ fetch: (path, init) => fetch(server.url + path, init) }, game.uid, key)
    const hostile = [
      '..',
      '.',
      'a/b',
      'a\\b',
      '/etc/passwd',
      'C:',
      'con',
      'NUL.txt',
      'a:b',
      'a\u0000b',
      'a\nb',
    ]
    const bad = [
      ...hostile,
      'x'.repeat(65),
      ' a',
      'a ',
      'a.',
      'a?',
      'a*',
      '<a>',
      'a|b',
      '"a"',
      '\u202ea',
      '\u200b',
    ]
    for (const slot of bad) {
      const answer = await raw.put(slot, 'x', null)
      expect([slot, answer.status >= 400 && answer.status < 500]).toEqual([slot, true])
    }
    for (const slot of [
      'x'.repeat(64),
      'Quick save 1',
      'spielstand-ü',
      '塔'.repeat(64),
      'a.b.c',
      '%41',
      '😀',
    ])
      expect([slot, (await saves.put(slot, 'x', null)).status]).toEqual([slot, 201])
    // One name, however it is composed.
    expect((await saves.put('spielstand-u\u0308', 'y', null)).status).toBe(412)
    expect(new Set((await saves.list()).slots.map(({ slot }) => slot))).toContain('spielstand-ü')
  })

  test('an empty save and one of 32 MiB come back as they were', async () => {
    const { saves } = await player()
    const large = crypto.getRandomValues(new Uint8Array(65_536))
    const body = new Uint8Array(SAVE_BYTES_MAX)
    for (let at = 0; at < body.length; at += large.length) body.set(large, at)
    body.set([1, 2, 3], SAVE_BYTES_MAX - 3)
    await saves.write('large', body, null)
    const back = await saves.bytes('large')
    expect(Buffer.from(back).equals(body)).toBe(true)
    expect(await saves.write('empty', '', null)).toMatchObject({ size: 0, sha256: sha256Hex('') })
    expect(await saves.text('empty')).toBe('')
  })

  test('without Content-Length, a checksum tells that all of it arrived', async () => {
    const { saves } = await player()
    const stream = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const text of ['in ', 'pieces']) controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        },
      })
    const refused = await saves.put('main', stream(), null)
    expect(await readFailure(refused)).toMatchObject({ status: 400, code: 4000 })
    const made = await saves.put('main', stream(), null, { 'x-checksum-sha256': sha256Hex('in pieces') })
    expect(made.status).toBe(201)
    expect(await saves.text('main')).toBe('in pieces')
    const before = (await listObjects(server)).length
    let left = SAVE_BYTES_MAX + MB
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        if ((left -= 65_536) < 0) controller.close()
        else controller.enqueue(new Uint8Array(65_536))
      },
    })
    const large = await saves.put('large', endless, null, { 'x-checksum-sha256': sha256Hex('unknown') })
    expect(await readFailure(large)).toMatchObject({ status: 413, code: 4130 })
    expect(await listObjects(server)).toHaveLength(before)
    expect((await saves.list()).slots.map(({ slot }) => slot)).toEqual(['main'])
  })

  test('half an upload leaves nothing', async () => {
    const { saves, key } = await player()
    const before = (await listObjects(server)).length
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      [
        `PUT /api/v1/player/games/${game.uid}/saves/main HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${key}`,
        'If-None-Match: *',
        'Content-Length: 3000000',
        '',
        'x'.repeat(1_000_000),
      ].join('\r\n'),
    )
    await waitFor('the store receives it', async () => socket.bytesWritten > 1_000_000)
    socket.destroy()
    await saves.write('other', 'whole', null)
    await waitFor(
      'only the whole one is there',
      async () => (await listObjects(server)).length === before + 1,
    )
    expect((await saves.list()).slots.map(({ slot }) => slot)).toEqual(['other'])
  })

  test('the same bytes cost nothing, in any slot and however often', async () => {
    const { saves } = await player()
    const before = (await listObjects(server)).length
    const bytes = 'x'.repeat(1000)
    let { revision } = await saves.write('a', bytes, null)
    for (let again = 0; again < 3; again += 1) revision = (await saves.write('a', bytes, revision)).revision
    await saves.write('b', bytes, null)
    await readConflict(await saves.put('b', bytes, null))
    expect((await saves.list()).quota.used).toBe(1000)
    expect(await listObjects(server)).toHaveLength(before + 1)
    expect(await saves.text('b')).toBe(bytes)
  })
})

describe('the bounds of saves', () => {
  const server = useStore({ TRUST_PROXY: '1', SAVES_PER_GAME: '10 KB' })
  let game: GameRow
  beforeAll(async () => {
    game = await newSaveGame(server, await signUp(server))
  })

  test('over quota is 4131 with what can be deleted; the same bytes still fit', async () => {
    const { saves } = await newSavePlayer(server, game)
    const old = await saves.write('main', 'a'.repeat(4000), null)
    const current = await saves.write('main', 'b'.repeat(4000), old.revision)
    const full = await saves.put('main', 'c'.repeat(4000), current.revision)
    expect(await readFailure(full)).toMatchObject({
      status: 413,
      code: 4131,
      data: {
        used: 8000,
        limit: 10_240,
        deletable: [
          { slot: 'main', revision: old.revision, size: 4000 },
          { slot: 'main', revision: current.revision, size: 4000 },
        ],
      },
    })
    expect(await saves.text('main')).toBe('b'.repeat(4000))
    const again = await saves.write('main', 'a'.repeat(4000), current.revision)
    expect((await saves.list()).quota).toEqual({ used: 8000, limit: 10_240 })

    expect((await saves.remove('main', `?revision=${current.revision}`)).status).toBe(200)
    expect((await saves.list()).quota.used).toBe(4000)
    await saves.write('main', 'c'.repeat(4000), again.revision)
    expect((await saves.read('main', current.revision)).status).toBe(404)
    // Both revisions with the bytes `a` are left, so deleting one gives nothing back.
    expect((await saves.remove('main', `?revision=${old.revision}`)).status).toBe(200)
    expect((await saves.list()).quota.used).toBe(8000)
    expect(await saves.text('main', again.revision)).toBe('a'.repeat(4000))
  })

  test('the bin counts until it is emptied, and saves count as storage of the account', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    const { revision } = await saves.write('main', 'a'.repeat(6000), null)
    expect((await saves.remove('main')).status).toBe(200)
    expect((await saves.list()).quota.used).toBe(6000)
    expect((await saves.put('next', 'b'.repeat(6000), null)).status).toBe(413)
    expect(await readFailure(await saves.remove('main', `?revision=${revision}`))).toMatchObject({
      code: 4090,
    })
    const data = await (await person.fetch('/account/data')).text()
    expect(data).toContain('5.9 KB of')
    expect((await saves.remove('main', '?bin=1')).status).toBe(200)
    expect((await saves.list('?bin=1')).slots).toEqual([])
    await saves.write('next', 'b'.repeat(6000), null)
  })

  test(`${SLOTS_MAX} slots, and not one more`, async () => {
    const { saves, person } = await newSavePlayer(server, game)
    await saves.write('slot 0', 'x', null)
    const [set] = await server.deps.db.select().from(saveSets).where(eq(saveSets.userUid, person.uid))
    const headUid = (await saves.list()).slots[0]?.revision
    const names = Array.from({ length: SLOTS_MAX - 1 }, (_, index) => `slot ${index + 1}`)
    await server.deps.db
      .insert(saveSlots)
      .values(names.map((name) => ({ name, setUid: set?.uid ?? '', headUid: headUid ?? null })))
    expect(await readFailure(await saves.put('one more', 'x', null))).toMatchObject({
      status: 409,
      code: 4090,
    })
    expect((await saves.list()).slots).toHaveLength(SLOTS_MAX)
    await saves.write('slot 0', 'y', headUid ?? '')
    expect((await saves.remove('slot 1')).status).toBe(200)
    await saves.write('one more', 'x', null)
  })

  test(`${LIMITS.save_write.max} writes a minute of a player in a game; a 429 keeps nothing`, async () => {
    const { saves, key, person } = await newSavePlayer(server, game)
    let { revision } = await saves.write('main', '0', null)
    for (let count = 1; count < LIMITS.save_write.max; count += 1)
      revision = (await saves.write('main', String(count), revision)).revision
    const refused = await saves.put('main', 'too much', revision)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    const byName = callSaves(server, game.vanityName, key)
    expect((await byName.put('main', 'too much', revision)).status).toBe(429)
    expect((await saves.history('main')).total).toBe(LIMITS.save_write.max)
    const other = await newSaveGame(server, person)
    expect((await callSaves(server, other.uid, key).put('main', 'x', null)).status).toBe(201)
  })
})
