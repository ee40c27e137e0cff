import { afterEach, beforeAll, expect, test } from 'bun:test'
import { chmod, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { games } from '../../../src/db/schema/games/games.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { packContents } from '../../helpers/files/packed-zip.ts'
import type { GameRow } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { createSaveKey, newSaveGame, newSavePlayer, type SavePlayer } from '../../helpers/saves.ts'
import { scanZip } from '../../helpers/scans.ts'
import { useStore } from '../../helpers/store.ts'

const FOLDER = '.local/share/moss'
const SAVES = { slots: { main: { linux: [`~/${FOLDER}/**`] } } }
/** Writes a file for its first argument, and adds its second to another. */
const GAME = `#!/bin/sh
folder="$HOME/${FOLDER}"
mkdir -p "$folder/levels"
if [ -n "$1" ]; then printf '%s' "$1" > "$folder/levels/$1"; printf '%s' "$1" >> "$folder/log"; fi
`

const server = useStore(() => ({ TRUST_PROXY: '1', ROLE: 'all' }))
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUp(server)
  game = await newSaveGame(server, owner)
  const build = await insertBuild(server, game.uid, { launch: { path: 'game' }, saves: SAVES })
  expect((await scanZip(server, build, await packContents({ game: Buffer.from(GAME) }))).scan).toBe('clean')
})
const machines: PlayerMachine[] = []
afterEach(async () => {
  for (const machine of machines.splice(0)) await machine.remove()
})

async function install(key: string): Promise<PlayerMachine> {
  const machine = await createPlayerMachine(server.url)
  machines.push(machine)
  const platform = ['--os', 'linux', '--arch', 'x86_64', '--json']
  requireDone(await machine.shelf(['get', game.vanityName, ...platform], { SHELF_PLAYER_KEY: key }))
  await chmod(join(machine.home, 'Games', game.vanityName, 'game'), 0o755)
  return machine
}

async function play(machine: PlayerMachine, key: string, level: string, ...options: string[]) {
  const { code, err } = await machine.shelf(['run', ...options, game.vanityName, level], {
    SHELF_PLAYER_KEY: key,
  })
  expect(code).toBe(0)
  return err
}
const readLog = (machine: PlayerMachine) => readFile(join(machine.home, FOLDER, 'log'), 'utf8')
const newKey = ({ person }: SavePlayer) => createSaveKey(person, ['player:install', 'player:saves'])

test('a save follows the player from machine to machine, and nobody else', async () => {
  const player = await newSavePlayer(server, game)
  const [key, other] = [await newKey(player), await newSavePlayer(server, game)]
  const [one, two, foreign] = [await install(key), await install(key), await install(await newKey(other))]
  await play(one, key, 'a', '--yes')
  await play(two, key, 'b', '--yes')
  await play(one, key, 'c')
  expect(await readLog(one)).toBe('abc')
  expect((await readdir(join(one.home, FOLDER, 'levels'))).toSorted()).toEqual(['a', 'b', 'c'])
  const { items } = await player.saves.history('main')
  expect(items.map(({ refused }) => refused)).toEqual([false, false, false])
  expect(await play(foreign, await newKey(other), '', '--yes')).not.toContain('fetched')
  expect((await other.saves.list()).slots).toEqual([])
})

test('both saves of two machines that played at once stay in the history', async () => {
  const player = await newSavePlayer(server, game)
  const key = await newKey(player)
  const [one, two] = [await install(key), await install(key)]
  await play(one, key, 'a', '--yes')
  await play(two, key, 'b', '--no-saves')
  const env = { SHELF_PLAYER_KEY: key }
  const stopped = await two.shelf(['run', '--yes', game.vanityName], env)
  expect([stopped.code, stopped.err]).toEqual([10, expect.stringContaining('yours is kept as revision')])
  await play(two, key, 'c', '--mine')
  await play(one, key, 'd')
  expect(await readLog(one)).toBe('bcd')
  const { items } = await player.saves.history('main')
  expect(items.filter(({ refused }) => refused)).toHaveLength(1)
  const oldest = items.at(-1)?.revision ?? ''
  requireDone(await one.shelf(['saves', 'restore', game.vanityName, 'main', oldest, '--json'], env))
  requireDone(await one.shelf(['saves', 'pull', game.vanityName, '--json'], env))
  expect(await readLog(one)).toBe('a')
  const listed = requireDone(await one.shelf(['saves', 'list', game.vanityName, '--json'], env))
  expect(listed).toMatchObject({ slots: [{ slot: 'main' }], quota: { used: expect.any(Number) } })
})

test('a game that keeps no saves, and a key for other things, are told; the game starts', async () => {
  const player = await newSavePlayer(server, game)
  const key = await createSaveKey(player.person, ['player:install'])
  const machine = await install(key)
  expect(await play(machine, key, 'a', '--yes')).toContain('use a player key that may keep saves')
  await server.deps.db.update(games).set({ savesEnabled: false }).where(eq(games.uid, game.uid))
  expect(await play(machine, await newKey(player), 'b', '--yes')).toContain('are not kept in your account')
  await server.deps.db.update(games).set({ savesEnabled: true }).where(eq(games.uid, game.uid))
  await play(machine, await newKey(player), 'c')
  expect((await player.saves.list()).slots).toHaveLength(1)
})
