import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Answer, PlayerMachine } from '../../helpers/cli/player.ts'
import {
  PLAYER_KEY,
  readSave,
  SAVE_FOLDER,
  type SavingGame,
  startSavingGame,
  takeStarted,
} from '../../helpers/cli/saving-game.ts'

const CONSENT = 'yes or no (no): '
const CHOICE = 'Use mine (what is here) or theirs (what is in your account)?: '
const ENTER = '\r'
const CTRL_C = '\u0003'

let game: SavingGame
let machine: PlayerMachine
beforeEach(async () => {
  game = await startSavingGame()
  machine = await game.createMachine()
})
afterEach(() => game.stop())

const shelf = (args: readonly string[], answers: readonly Answer[] = [], env = {}) =>
  machine.terminal(args, { ...PLAYER_KEY, ...env }, answers)
const play = (level: string, answers: readonly Answer[] = [], ...options: string[]) =>
  shelf(['run', ...options, 'moss-garden', level], answers)

describe('the question whether a game keeps its saves in the account', () => {
  test('is asked once in a terminal and shows the folders; a yes also counts without one', async () => {
    const first = await play('level 1', [[CONSENT, `yes${ENTER}`]])
    const path = join(machine.home, SAVE_FOLDER, 'slot.sav')
    expect(first.text).toContain(`Moss Garden keeps its saves here: main: ${path}. Keep them in your account`)
    expect([first.code, game.current()]).toEqual([0, 'level 1'])
    const second = await play('level 2')
    expect(second.text).not.toContain(CONSENT)
    const third = await machine.shelf(['run', 'moss-garden', 'level 3'], PLAYER_KEY)
    expect([second.code, third.code, game.current()]).toEqual([0, 0, 'level 3'])
  })

  test.each(['', 'no', 'yet to decide'])('takes %j as a no', async (typed) => {
    const { code, text } = await play('level 1', [[CONSENT, typed + ENTER]])
    expect([code, text, game.saves.writes]).toEqual([0, expect.stringContaining('loaded:'), 0])
  })

  test('remembers a no until --yes', async () => {
    const first = await play('level 1', [[CONSENT, ENTER]])
    const second = await play('level 2')
    expect([first.code, second.code, game.saves.writes]).toEqual([0, 0, 0])
    expect(second.text).not.toContain(CONSENT)
    expect(second.text).toContain('as you decided; --yes changes that')
    expect(await readSave(machine)).toBe('level 2')
    expect((await play('level 3', [], '--yes')).code).toBe(0)
    expect(game.current()).toBe('level 3')
  })

  test('is asked again when the saves are somewhere else', async () => {
    await play('level 1', [[CONSENT, `y${ENTER}`]])
    const { writes } = game.saves
    const moved = join(machine.home, 'moved')
    await mkdir(moved)
    const again = await shelf(['run', 'moss-garden', 'level 2'], [[CONSENT, `no${ENTER}`]], {
      XDG_DATA_HOME: moved,
    })
    expect(again.text).toContain(join(moved, 'moss/slot.sav'))
    expect([again.code, game.saves.writes]).toEqual([0, writes])
  })

  test('names the folders with --quiet too', async () => {
    const { text } = await play('level 1', [[CONSENT, ENTER]], '--quiet')
    expect(text).toContain(join(machine.home, SAVE_FOLDER, 'slot.sav'))
  })

  test('that is left by Ctrl-C starts nothing, decides nothing and is asked again', async () => {
    const left = await play('level 1', [[CONSENT, CTRL_C]])
    expect([left.code, await takeStarted(machine)]).toEqual([130, false])
    await play('level 1', [[CONSENT, `yes${ENTER}`]])
    expect(game.current()).toBe('level 1')
  })

  test('is asked by "shelf saves" too, which does nothing after a no', async () => {
    game.saves.write('main', Buffer.from('other level'))
    const refused = await shelf(['saves', 'pull', 'moss-garden'], [[CONSENT, `no${ENTER}`]])
    expect([refused.code, game.saves.reads]).toEqual([2, 0])
    const agreed = await shelf(['saves', 'pull', 'moss-garden', '--yes'])
    expect([agreed.code, await readSave(machine)]).toEqual([0, 'other level'])
  })
})

describe('a save that changed here and in the account', () => {
  beforeEach(async () => {
    await play('level 1', [], '--yes')
    game.saves.write('main', Buffer.from('other level'))
    await change('my level')
    await takeStarted(machine)
  })
  const change = (text: string) => Bun.write(join(machine.home, SAVE_FOLDER, 'slot.sav'), text)
  const history = () => game.saves.slots.get('main')?.revisions.map(({ bytes }) => bytes.toString()) ?? []

  test('is shown with both sides, and "theirs" plays the one of the account', async () => {
    const { code, text } = await play('', [[CHOICE, `theirs${ENTER}`]])
    expect(text).toContain('changed here and in your account. Nothing was overwritten.')
    expect(text).toMatch(
      /main: here 1 file, 8 bytes; in your account 11 bytes, written by another device at 20\d\d-/,
    )
    expect(text).toContain('loaded: other level')
    expect([code, game.current(), history()]).toEqual([
      0,
      'other level',
      expect.arrayContaining(['my level']),
    ])
  })

  test('goes on here after "mine", also in capitals', async () => {
    const { code, text } = await play('', [[CHOICE, `MINE${ENTER}`]])
    expect(text).toContain('loaded: my level')
    expect([code, game.current(), history()]).toEqual([
      0,
      'my level',
      expect.arrayContaining(['other level']),
    ])
  })

  test.each([
    ['an answer that is neither', `both${ENTER}`, 10],
    ['no answer', ENTER, 10],
    ['Ctrl-C', CTRL_C, 130],
  ])('stays as it is on both sides after %s, and the game does not start', async (_, typed, exit) => {
    const { code } = await play('', [[CHOICE, typed]])
    expect([code, await takeStarted(machine)]).toEqual([exit, false])
    expect([game.current(), await readSave(machine)]).toEqual(['other level', 'my level'])
    expect(history()).toContain('my level')
  })

  test('is not asked about with --mine or --theirs', async () => {
    const { text } = await play('', [], '--theirs')
    expect(text).not.toContain(CHOICE)
    expect(text).toContain('loaded: other level')
  })

  test('is asked about by "shelf saves" too', async () => {
    const pulled = await shelf(['saves', 'pull', 'moss-garden'], [[CHOICE, `theirs${ENTER}`]])
    expect([pulled.code, await readSave(machine)]).toEqual([0, 'other level'])
    game.saves.write('main', Buffer.from('third level'))
    await change('my third level')
    const pushed = await shelf(['saves', 'push', 'moss-garden'], [[CHOICE, `mine${ENTER}`]])
    expect([pushed.code, game.current()]).toEqual([0, 'my third level'])
  })
})
