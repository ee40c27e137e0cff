import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import type { InstallStore } from '../../helpers/cli/install-store.ts'
import { type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { fail, type SavesDouble } from '../../helpers/cli/saves-double.ts'
import {
  PLAYER_KEY,
  readSave,
  SAVE_FOLDER,
  type SavingGame,
  startSavingGame,
  takeStarted,
  waitForSave,
} from '../../helpers/cli/saving-game.ts'

let game: SavingGame
let store: InstallStore
let saves: SavesDouble
beforeEach(async () => {
  game = await startSavingGame()
  ;({ store, saves } = game)
})
afterEach(() => game.stop())

const createMachine = () => game.createMachine()
const current = () => game.current()
const run = (machine: PlayerMachine, options: readonly string[], ...args: string[]) =>
  machine.shelf(['run', ...options, 'moss-garden', ...args], PLAYER_KEY)

describe('shelf run', () => {
  test('brings the save of another device before the start, and sends what changed after the end', async () => {
    const [one, other] = [await createMachine(), await createMachine()]
    const first = await run(one, ['--yes'], 'level 1')
    expect([first.code, current()]).toEqual([0, 'level 1'])
    expect(first.err).toContain('Save main: sent, 1 file')
    const second = await run(other, ['--yes'], 'level 2')
    expect(second.out).toContain('loaded: level 1')
    expect(second.err).toContain('Save main: fetched')
    // Agreed once.
    const third = await run(one, [], 'level 3')
    expect(third.out).toContain('loaded: level 2')
    expect(current()).toBe('level 3')
    const { writes } = saves
    await run(one, [])
    expect(saves.writes).toBe(writes)
  })

  test('syncs nothing without a terminal before somebody agreed, and says so', async () => {
    const machine = await createMachine()
    const { code, err, out } = await run(machine, [], 'level 1')
    expect([code, current()]).toEqual([0, undefined])
    expect(err).toContain('nobody has agreed')
    expect(out).toContain('loaded:')
    await run(machine, ['--yes'])
    expect(current()).toBe('level 1')
  })

  test('says what is missing where nobody is signed in', async () => {
    const machine = await createMachine()
    const { code, err } = await machine.shelf(['run', 'moss-garden', 'level 1'])
    expect([code, current()]).toEqual([0, undefined])
    expect(err).toContain('shelf signin')
  })

  test('sends the save of a game that crashed', async () => {
    const machine = await createMachine()
    const { code } = await run(machine, ['--yes'], 'level 1', 'crash')
    expect(code).not.toBe(0)
    expect(current()).toBe('level 1')
  })

  test('that was killed leaves the save to the next one', async () => {
    const machine = await createMachine()
    const child = machine.start(['run', '--yes', 'moss-garden', 'level 1', 'wait'], PLAYER_KEY)
    await waitForSave(machine, 'level 1')
    child.kill('SIGKILL')
    await child.exited
    expect(current()).toBeUndefined()
    const next = await run(machine, ['--yes'])
    expect(next.out).toContain('loaded: level 1')
    expect(current()).toBe('level 1')
  })

  test('does not start a game whose save changed on both sides until somebody chooses', async () => {
    const machine = await createMachine()
    await run(machine, ['--yes'], 'level 1')
    saves.write('main', Buffer.from('other level'))
    await run(machine, ['--no-saves'], 'my level')
    await takeStarted(machine)
    const asked = await run(machine, [])
    expect(asked.code).toBe(10)
    expect(asked.err).toContain('changed here and in your account. Nothing was overwritten.')
    expect(asked.err).toContain('--theirs')
    expect(await takeStarted(machine)).toBe(false)
    expect([current(), await readSave(machine)]).toEqual(['other level', 'my level'])
    expect(
      saves.slots.get('main')?.revisions.map(({ bytes, refused }) => [bytes.toString(), refused]),
    ).toContainEqual(['my level', true])
    expect((await run(machine, ['--mine', '--theirs'])).code).toBe(2)
    const theirs = await run(machine, ['--theirs'])
    expect(theirs.out).toContain('loaded: other level')
    saves.write('main', Buffer.from('third level'))
    await run(machine, ['--no-saves'], 'my other level')
    expect((await run(machine, ['--mine'])).out).toContain('loaded: my other level')
    expect(current()).toBe('my other level')
  })

  test('that finds out at the end keeps both, and ends as the game did', async () => {
    const machine = await createMachine()
    await run(machine, ['--yes'], 'level 1')
    const child = machine.start(['run', 'moss-garden', 'level 2', 'wait'], PLAYER_KEY)
    await waitForSave(machine, 'level 2')
    saves.write('main', Buffer.from('other level'))
    child.kill('SIGTERM')
    const [err] = await Promise.all([child.stderr.text(), child.exited])
    expect(err).toContain('changed here and in your account')
    expect(current()).toBe('other level')
    expect(saves.slots.get('main')?.revisions.some(({ bytes }) => bytes.toString() === 'level 2')).toBe(true)
    expect((await run(machine, [])).code).toBe(10)
  })

  test('starts with what is there while the store is away, and sends it later', async () => {
    const machine = await createMachine()
    await run(machine, ['--yes'], 'level 1')
    saves.onRequest = () => fail(404, 4040)
    const hidden = await run(machine, [], 'level 2')
    expect([hidden.code, hidden.err]).toEqual([0, expect.stringContaining('are not kept in your account')])
    saves.onRequest = (request) => (request.method === 'GET' ? new Promise(() => undefined) : null)
    const { code, err } = await run(machine, [], 'level 3')
    expect([code, await readSave(machine)]).toEqual([0, 'level 3'])
    expect(err).toContain('Moss Garden starts with the saves that are here')
    expect(err).toContain('Nothing is lost')
    saves.onRequest = null
    await run(machine, [])
    expect(current()).toBe('level 3')
  }, 120_000)

  test('of a build with patterns that no store would take syncs nothing', async () => {
    if (store.build) store.build.saves = { slots: { main: { linux: ['~/.ssh/*'] } } }
    const machine = await createMachine()
    await mkdir(join(machine.home, '.ssh'))
    await Bun.write(join(machine.home, '.ssh/id'), 'secret')
    const { code, err } = await run(machine, ['--yes'])
    expect([code, saves.writes]).toEqual([0, 0])
    expect(err).toContain('are not synced, because its build describes them wrongly')
  })

  test('does not leave the known folder where its own is a link, and starts the game', async () => {
    const machine = await createMachine()
    await mkdir(join(machine.home, '.local/share'), { recursive: true })
    await mkdir(join(machine.home, 'elsewhere'))
    await symlink(join(machine.home, 'elsewhere'), join(machine.home, SAVE_FOLDER))
    saves.write('main', Buffer.from('other level'))
    const { code, err } = await run(machine, ['--yes'])
    expect([code, err]).toEqual([0, expect.stringContaining('is a link')])
    expect(await Array.fromAsync(new Bun.Glob('*').scan(join(machine.home, 'elsewhere')))).toEqual([])
  })
})

describe('shelf saves', () => {
  const shelf = (machine: PlayerMachine, ...args: string[]) => machine.shelf(['saves', ...args], PLAYER_KEY)

  test('lists, fetches, sends, restores and exports by hand', async () => {
    const [one, other] = [await createMachine(), await createMachine()]
    await run(one, ['--yes'], 'level 1')
    await run(one, [], 'level 2')
    expect((await shelf(one, 'list', 'moss-garden')).out).toMatch(/main +7 bytes|main +7 B/)
    expect(requireDone(await shelf(other, 'pull', 'moss-garden', '--yes', '--json'))).toMatchObject({
      saves: [{ slot: 'main', step: 'pull', done: true, files: 0 }],
    })
    expect(await readSave(other)).toBe('level 2')
    const { revisions } = requireDone(await shelf(one, 'history', 'moss-garden', '--json')) as {
      revisions: { revision: string }[]
    }
    expect(revisions).toHaveLength(2)
    const oldest = revisions[1]?.revision ?? ''
    requireDone(await shelf(one, 'restore', 'moss-garden', 'main', oldest, '--json'))
    expect(current()).toBe('level 1')
    await shelf(other, 'pull', 'moss-garden')
    expect(await readSave(other)).toBe('level 1')
    await Bun.write(join(other.home, SAVE_FOLDER, 'slot.sav'), 'by hand')
    expect((await shelf(other, 'pull', 'moss-garden')).out).toContain('"shelf saves push" sends it')
    expect((await shelf(other, 'push', 'moss-garden')).code).toBe(0)
    expect(current()).toBe('by hand')
    const file = join(one.home, 'mine.sav')
    requireDone(await shelf(one, 'export', 'moss-garden', 'main', 'mine.sav', '--json'))
    expect(await readFile(file, 'utf8')).toBe('by hand')
    expect((await shelf(one, 'export', 'moss-garden', 'main', 'mine.sav')).code).toBe(7)
    requireDone(await shelf(one, 'export', 'moss-garden', 'main', 'old.sav', '--revision', oldest, '--json'))
    expect(await readFile(join(one.home, 'old.sav'), 'utf8')).toBe('level 1')
  })

  test('ends with the codes of shelf', async () => {
    const machine = await createMachine()
    expect((await shelf(machine, 'burn', 'moss-garden')).code).toBe(2)
    expect((await shelf(machine, 'pull', 'moss-garden')).code).toBe(2)
    expect((await shelf(machine, 'history', 'moss-garden')).code).toBe(2)
    expect((await shelf(machine, 'pull', 'moss-garden', 'other', '--yes')).code).toBe(2)
    expect((await shelf(machine, 'restore', 'moss-garden')).code).toBe(2)
    saves.onRequest = () => fail(403, 4030)
    expect((await shelf(machine, 'push', 'moss-garden', '--yes')).code).toBe(4)
    saves.onRequest = () => fail(401, 4010)
    expect((await shelf(machine, 'list', 'moss-garden')).code).toBe(3)
    saves.onRequest = null
    saves.write('main', Buffer.from('other'))
    await mkdir(join(machine.home, SAVE_FOLDER), { recursive: true })
    await Bun.write(join(machine.home, SAVE_FOLDER, 'slot.sav'), 'mine')
    const { code, out } = await shelf(machine, 'pull', 'moss-garden', '--json')
    expect([code, JSON.parse(out)]).toEqual([10, { error: expect.objectContaining({ exit: 10 }) }])
    saves.onRequest = (request) => (request.method === 'PUT' ? fail(413, 4131) : null)
    const full = await shelf(machine, 'push', 'moss-garden', '--mine')
    expect([full.code, full.err]).toEqual([4, expect.stringContaining('Delete saves')])
  })

  test('replaces nothing under a running game', async () => {
    const machine = await createMachine()
    const child = machine.start(['run', '--yes', 'moss-garden', 'level 1', 'wait'], PLAYER_KEY)
    await waitForSave(machine, 'level 1')
    saves.write('main', Buffer.from('other'))
    const { code, err } = await shelf(machine, 'pull', 'moss-garden', '--theirs')
    expect([code, err]).toEqual([7, expect.stringContaining('is running')])
    expect(await readSave(machine)).toBe('level 1')
    child.kill('SIGKILL')
    await child.exited
  })
})
