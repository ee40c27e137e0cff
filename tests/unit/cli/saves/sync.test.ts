import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, readFile, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { packSave } from '../../../../src/cli/saves/archive.ts'
import { collectSave } from '../../../../src/cli/saves/collect.ts'
import { finishSave, stageSave } from '../../../../src/cli/saves/place.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createSaveDevice, type SaveDevice } from '../../../helpers/cli/save-device.ts'
import { SavesDouble } from '../../../helpers/cli/saves-double.ts'

const FOLDER = '.local/share/moss'
let saves: SavesDouble
let server: Bun.Server<undefined>
const devices: SaveDevice[] = []
beforeEach(() => {
  saves = new SavesDouble()
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: saves.handle })
})
afterEach(async () => {
  await server.stop(true)
  for (const device of devices.splice(0)) await device.remove()
}, 60_000)
async function createDevice(slots?: Record<string, string[]>): Promise<SaveDevice> {
  const device = await createSaveDevice(`http://127.0.0.1:${server.port}`, slots)
  devices.push(device)
  return device
}
const zip = (files: Record<string, string>) =>
  packSave(Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })))
const steps = async (device: SaveDevice, options = {}) =>
  (await device.sync(options)).map(({ step, isDone }) => [step, isDone])

describe('two devices', () => {
  test('that alternate for 200 rounds have the same save after each, and lose none', async () => {
    const pair = [await createDevice(), await createDevice()] as const
    const written: string[] = []
    for (let round = 0; round < 200; round += 1) {
      const [here, there] = round % 2 === 0 ? pair : ([pair[1], pair[0]] as const)
      const files = { 'slot.sav': `round ${round}`, [`extra/${round % 3}`]: `${round}` }
      await here.write(files)
      written.push(sha256Hex(await zip(files)))
      expect(await steps(here)).toEqual([['push', true]])
      expect(await steps(there)).toEqual([['pull', true]])
      expect(await there.read()).toEqual(files)
    }
    expect(written.every((sha256) => saves.has('main', sha256))).toBe(true)
  }, 60_000)

  test('that play at once for 200 rounds lose nothing: every save is in the history', async () => {
    const pair = [await createDevice(), await createDevice()] as const
    const written: string[] = []
    let conflicts = 0
    for (let round = 0; round < 200; round += 1) {
      for (const [index, device] of pair.entries()) {
        const files = { 'slot.sav': `round ${round} of ${index}` }
        await device.write(files)
        written.push(sha256Hex(await zip(files)))
      }
      const results = await Promise.all(pair.map((device) => device.sync()))
      for (const [index, [result]] of results.entries()) {
        if (result?.step !== 'conflict') continue
        conflicts += 1
        await pair[index]?.sync({ choice: round % 3 === 0 ? 'mine' : 'theirs' })
      }
      for (const device of pair) await device.sync({ choice: 'theirs' })
    }
    expect(conflicts).toBeGreaterThan(100)
    expect(written.filter((sha256) => !saves.has('main', sha256))).toEqual([])
    const [one, other] = [await pair[0].read(), await pair[1].read()]
    expect(one).toEqual(other)
  }, 60_000)

  test('that both changed overwrite nothing until somebody chooses', async () => {
    const [one, other] = [await createDevice(), await createDevice()]
    await one.write({ a: '1' })
    await one.sync()
    await other.sync()
    await one.write({ a: 'one' })
    await one.sync()
    await other.write({ a: 'other' })
    const [first] = await other.sync()
    expect(first).toMatchObject({ step: 'conflict', isDone: false, kept: expect.any(String) })
    expect(await other.read()).toEqual({ a: 'other' })
    expect(saves.current('main')?.sha256).toBe(sha256Hex(await zip({ a: 'one' })))
    const { writes } = saves
    // Asking again sends nothing again.
    expect((await other.sync())[0]).toMatchObject({ step: 'conflict', kept: first?.kept ?? '' })
    expect(saves.writes).toBe(writes)
    expect(await steps(other, { choice: 'mine' })).toEqual([['push', true]])
    await one.write({ a: 'one again' })
    expect(await steps(one, { choice: 'theirs' })).toEqual([['pull', true]])
    expect(await one.read()).toEqual({ a: 'other' })
    expect(saves.has('main', sha256Hex(await zip({ a: 'one again' })))).toBe(true)
  })

  test('that send at the same moment are not asked again after --theirs', async () => {
    const pair = [await createDevice(), await createDevice()] as const
    let overtaken = 0
    for (let round = 0; round < 20; round += 1) {
      for (const [index, device] of pair.entries()) await device.write({ a: `round ${round} of ${index}` })
      const results = (await Promise.all(pair.map((device) => device.sync({ choice: 'theirs' })))).flat()
      expect(results.filter(({ isDone }) => !isDone)).toEqual([])
      for (const { kept } of results) if (kept !== null) overtaken += 1
      for (const device of pair) await device.sync({ choice: 'theirs' })
      expect(await pair[0].read()).toEqual(await pair[1].read())
    }
    expect(overtaken).toBeGreaterThan(0)
  })

  test('one of which lost its memory goes on without asking where its save is an old one', async () => {
    const [one, other] = [await createDevice(), await createDevice()]
    await one.write({ a: '1' })
    await one.sync()
    await one.write({ a: '2' })
    await one.sync()
    await other.write({ a: '1' })
    expect(await steps(other)).toEqual([['pull', true]])
    expect(await other.read()).toEqual({ a: '2' })
  })
})

describe('a save', () => {
  test('loses files on the other device only if its zip says so', async () => {
    const [one, other] = [await createDevice(), await createDevice()]
    await one.write({ a: '1', 'deep/b': '2' })
    await one.sync()
    await other.sync()
    await one.write({ a: '1' })
    await one.sync()
    await other.sync()
    expect(await other.read()).toEqual({ a: '1' })
    // All files missing is a new machine, unless the game deleted them while it ran.
    await one.write({})
    expect(await steps(one)).toEqual([['pull', true]])
    await one.write({})
    expect(await steps(one, { startedWith: new Set(['main']) })).toEqual([['push', true]])
    expect(await steps(one)).toEqual([['none', false]])
    await other.sync()
    expect(await other.read()).toEqual({})
  })

  test('of one file is that file; deleted by the game it does not come back by itself', async () => {
    const slots = { main: [`~/${FOLDER}/slot.sav`] }
    const [one, other] = [await createDevice(slots), await createDevice(slots)]
    await one.write({ 'slot.sav': 'bytes' })
    await one.sync()
    expect(saves.current('main')?.bytes.toString()).toBe('bytes')
    await other.sync()
    expect(await other.read()).toEqual({ 'slot.sav': 'bytes' })
    await other.write({})
    expect(await steps(other, { startedWith: new Set(['main']) })).toEqual([['none', false]])
    expect(await steps(other)).toEqual([['none', false]])
    await one.write({ 'slot.sav': 'newer' })
    await one.sync()
    expect(await steps(other)).toEqual([['pull', true]])
  })

  test('with 10,000 tiny files is fetched and compared', async () => {
    const [one, other] = [await createDevice(), await createDevice()]
    const files = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`world/${index % 100}/${index}`, `${index}`]),
    )
    await one.write(files)
    expect(await steps(one)).toEqual([['push', true]])
    expect(await steps(other)).toEqual([['pull', true]])
    expect(await steps(other)).toEqual([['none', false]])
    expect(await other.read()).toEqual(files)
  }, 60_000)

  test('that changes while it is read is read again, a few times', async () => {
    const device = await createDevice()
    await device.write({ a: '0' })
    const path = join(device.home, FOLDER, 'a')
    let count = 0
    let isWriting = true
    const writer = (async () => {
      while (isWriting) {
        await Bun.write(path, `${(count += 1)}`)
        await Bun.sleep(1)
      }
    })()
    const [result] = await device.sync()
    isWriting = false
    await writer
    // A whole state of the file was sent, or it was told that there was none.
    if (result?.step === 'push') expect(saves.writes).toBe(1)
    else expect(result?.error?.message).toContain('changes while it is read')
    expect(await steps(device)).toEqual([[expect.stringMatching(/push|none/), expect.any(Boolean)]])
    expect(saves.has('main', sha256Hex(await zip({ a: await readFile(path, 'utf8') })))).toBe(true)
  })

  test('is compared without clocks: files and answers may be a day off', async () => {
    const [one, other] = [await createDevice(), await createDevice()]
    saves.clock = () => new Date(Date.now() - 86_400_000)
    await one.write({ a: '1' })
    await utimes(
      join(one.home, FOLDER, 'a'),
      new Date(Date.now() + 86_400_000),
      new Date(Date.now() + 86_400_000),
    )
    await one.sync()
    await other.sync()
    await other.write({ a: '2' })
    await utimes(join(other.home, FOLDER, 'a'), new Date(0), new Date(0))
    expect(await steps(other)).toEqual([['push', true]])
    expect(await steps(one)).toEqual([['pull', true]])
    expect(await one.read()).toEqual({ a: '2' })
  })

  test('whose answer was lost counts as sent', async () => {
    const device = await createDevice()
    await device.write({ a: '1' })
    await device.sync()
    await device.write({ a: '2' })
    saves.onAnswer = (request, response) =>
      request.method === 'PUT' ? new Response('', { status: 502 }) : response
    const [failed] = await device.sync()
    expect(failed?.error?.exit).toBe('unreachable')
    saves.onAnswer = null
    expect(await steps(device)).toEqual([['adopt', false]])
    expect(await steps(device)).toEqual([['none', false]])
  })
})

describe('links', () => {
  test('are neither read nor written through', async () => {
    const device = await createDevice()
    const secret = join(device.home, 'secret')
    await Bun.write(join(secret, 'id'), 'secret')
    await device.write({ a: '1' })
    await symlink(join(secret, 'id'), join(device.home, FOLDER, 'link'))
    await symlink(secret, join(device.home, FOLDER, 'folder'))
    await device.sync()
    expect(saves.current('main')?.sha256).toBe(sha256Hex(await zip({ a: '1' })))
    saves.write('main', await zip({ a: '1', 'folder/id': 'hostile' }))
    const [result] = await device.sync()
    expect(result?.error?.message).toContain('in the way')
    expect(await readFile(join(secret, 'id'), 'utf8')).toBe('secret')
  })

  test('in the place of the folder of the game stop it', async () => {
    const device = await createDevice()
    await mkdir(join(device.home, '.local/share'), { recursive: true })
    await mkdir(join(device.home, '.ssh'))
    await symlink(join(device.home, '.ssh'), join(device.home, FOLDER))
    saves.write('main', await zip({ authorized_keys: 'hostile' }))
    const [result] = await device.sync()
    expect(result?.error?.message).toContain('is a link')
    expect(await Array.fromAsync(new Bun.Glob('*').scan(join(device.home, '.ssh')))).toEqual([])
  })
})

describe('a hostile store', () => {
  test.each(['.shelf-incoming/1', '.shelf/install.json', 'deep/.SHELF/x'])(
    'cannot write %s',
    async (name) => {
      const device = await createDevice()
      await device.write({ a: '1' })
      await device.sync()
      saves.write('main', await zip({ [name]: 'x' }))
      const [result] = await device.sync()
      expect(result?.error?.message).toContain('belongs to shelf')
      expect(await device.read()).toEqual({ a: '1' })
    },
  )

  test('that sends other bytes than it announced, or no zip, changes nothing', async () => {
    const device = await createDevice()
    await device.write({ a: '1' })
    await device.sync()
    saves.write('main', Buffer.from('no zip'))
    expect((await device.sync())[0]?.error?.message).toContain('no zip that shelf takes')
    saves.onAnswer = (request, response) => (request.url.includes('revision=') ? new Response('x') : response)
    expect((await device.sync())[0]?.error?.message).toContain('other bytes')
    expect(await device.read()).toEqual({ a: '1' })
  })

  test('that names files of another version changes nothing', async () => {
    const device = await createDevice({ main: [`~/${FOLDER}/*.sav`] })
    await device.write({ 'a.sav': '1' })
    await device.sync()
    saves.write('main', await zip({ 'a.sav': '2', 'b.dat': 'x' }))
    expect((await device.sync())[0]?.error?.message).toContain('does not name: b.dat')
    expect(await device.read()).toEqual({ 'a.sav': '1' })
  })
})

test('whatever step a pull is killed at, the next command leaves the new save, whole', async () => {
  const before = { a: 'old', 'deep/b': 'old', gone: 'old', same: 'same' }
  const after = { a: 'new', 'deep/er/c': 'new', same: 'same' }
  for (let kill = 0; ; kill += 1) {
    const device = await createDevice()
    const { session, context } = device
    await device.write(before)
    const [slot] = session.slots
    if (!slot) throw new Error('no slot')
    const { save } = await collectSave(slot.folders, { isSingle: false, signal: context.signal })
    const next = Object.entries(after).map(([path, text]) => ({ path, bytes: Buffer.from(text) }))
    const synced = { revision: 'r', sha256: 's' }
    await mkdir(session.paths.folder, { recursive: true })
    const placement = { slot: 'main', folders: slot.folders, isSingle: false, local: save, next, synced }
    await stageSave(session.paths, placement, 'linux')
    const done: unknown[] = []
    let count = 0
    const isKilled = await finishSave(
      session.paths,
      async (...all) => void done.push(all),
      () => {
        if (count === kill) throw new Error('killed')
        count += 1
      },
    ).then(
      () => false,
      () => true,
    )
    if (isKilled) await finishSave(session.paths, async (...all) => void done.push(all))
    expect(await device.read()).toEqual(after)
    expect(done.at(-1)).toEqual(['main', synced])
    expect(await finishSave(session.paths, async () => undefined)).toBeNull()
    if (!isKilled) break
  }
})
