import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Context } from '../../../src/cli/context.ts'
import { findInstalled, type Installed } from '../../../src/cli/install/open.ts'
import { packSave } from '../../../src/cli/saves/archive.ts'
import { fetchSaves } from '../../../src/cli/saves/run-saves.ts'
import { Output } from '../../../src/cli/ui/output.ts'
import type { SaveRevision } from '../../../src/features/saves/slots/model.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { openSaveDoor, type SaveDoor } from '../../helpers/cli/save-door.ts'
import { packContents } from '../../helpers/files/packed-zip.ts'
import type { GameRow } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { type ChildServer, findKeptPort, startChild } from '../../helpers/processes/child.ts'
import { createSaveKey, newSaveGame, newSavePlayer, type SavePlayer } from '../../helpers/saves.ts'
import { scanZip } from '../../helpers/scans.ts'
import { TEST_SECRET_KEY } from '../../helpers/server.ts'
import { useStore } from '../../helpers/store.ts'

const ROUNDS = 200
const SHELF_KILLED_EVERY = 7
const STORE_KILLED_EVERY = 19
/** Of one start of a game: the last ones send what it saved. */
const REQUESTS = 6
const SAVE_BYTES = 60_000
const FOLDER = '.local/share/moss'
const FILE = 'slot.sav'
const SAVES = { slots: { main: { linux: [`~/${FOLDER}/**`] } } }
/** Saves its first argument. */
const GAME = `#!/bin/sh
mkdir -p "$HOME/${FOLDER}"
printf '%s' "$1" > "$HOME/${FOLDER}/${FILE}"
`

const server = useStore(() => ({ TRUST_PROXY: '1', ROLE: 'all' }))
const port = findKeptPort()
let store: Promise<ChildServer>
let game: GameRow
let player: SavePlayer
let devices: [Device, Device]

const startStore = () =>
  startChild({
    env: {
      ROLE: 'api',
      PORT: String(port),
      TRUST_PROXY: '1',
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: server.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      LOG_LEVEL: 'info',
    },
  })

/** The next one starts meanwhile. */
async function killStore(): Promise<void> {
  const { kill, exited } = await store
  kill('SIGKILL')
  await exited
  store = startStore()
}

beforeAll(async () => {
  game = await newSaveGame(server, await signUp(server))
  const build = await insertBuild(server, game.uid, { launch: { path: 'game' }, saves: SAVES })
  expect((await scanZip(server, build, await packContents({ game: Buffer.from(GAME) }))).scan).toBe('clean')
  player = await newSavePlayer(server, game)
  const key = await createSaveKey(player.person, ['player:install', 'player:saves'])
  devices = [await Device.install('left', key), await Device.install('right', key)]
  store = startStore()
  await store
  // What a minute allows is not what this is about; the other process forgets its counts whenever it is killed.
  server.deps.rates.add = () => ({ count: 1, resetMs: 60_000 })
})
afterAll(async () => {
  const { kill, exited } = await store
  kill('SIGTERM')
  await exited
  for (const device of devices) await device.remove()
})

/** Every save that a game wrote, by its SHA-256 in the account. */
const played = new Map<string, string>()

class Device {
  readonly #warnings: string[] = []
  readonly #context: Context

  private constructor(
    readonly name: string,
    readonly door: SaveDoor,
    private readonly machine: PlayerMachine,
    private readonly env: Record<string, string>,
  ) {
    const { home } = machine
    const output = new Output({ isJson: false, isQuiet: true, hasColor: false, secrets: () => [] })
    this.#context = {
      env: { ...env, SHELF_SERVER: door.url },
      cwd: home,
      machine: { env: {}, platform: 'linux', home },
      output: Object.assign(output, { warn: (text: string) => void this.#warnings.push(text) }),
      signal: new AbortController().signal,
      secrets: new Set(),
      exitWith: () => undefined,
    }
  }

  static async install(name: string, key: string): Promise<Device> {
    const door = openSaveDoor(server.url)
    const machine = await createPlayerMachine(door.url)
    const env = { SHELF_PLAYER_KEY: key }
    const platform = ['--os', 'linux', '--arch', 'x86_64', '--json']
    requireDone(await machine.shelf(['get', game.vanityName, ...platform], env))
    await chmod(join(machine.home, 'Games', game.vanityName, 'game'), 0o755)
    door.target = `http://127.0.0.1:${port}`
    return new Device(name, door, machine, env)
  }

  get #path(): string {
    return join(this.machine.home, FOLDER, FILE)
  }

  read(): Promise<string> {
    return readFile(this.#path, 'utf8')
  }

  async #notePlayed(text: string): Promise<void> {
    if ((await this.read().catch(() => '')) !== text) return
    played.set(sha256Hex(await packSave([{ path: FILE, bytes: Buffer.from(text) }])), text)
  }

  /** As `shelf run`, whose game saves this; null: no game is started. */
  async play(text: string | null): Promise<void> {
    const installed: Installed = await findInstalled(this.#context, game.vanityName)
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      this.#warnings.length = 0
      const send = await fetchSaves(this.#context, installed, { yes: true, theirs: true })
      if (send && this.#warnings.length === 0) {
        if (text === null) return
        await Bun.write(this.#path, text)
        await this.#notePlayed(text)
        return await send()
      }
      // The store was away for too long, and what was played before is not in the account yet.
      await store
    }
    throw new Error(`${this.name} does not get its saves:\n${this.#warnings.join('\n')}`)
  }

  /** `shelf run` itself, killed at its request of this number. Returns whether it came to that. */
  async playKilled(text: string, count: number, isAnswered: boolean): Promise<boolean> {
    const args = ['run', '--yes', '--theirs', game.vanityName, text]
    const child = this.machine.start(args, this.env)
    let requests = 0
    let isKilled = false
    this.door.onRequest = async (_, forward) => {
      requests += 1
      if (requests !== count) return await forward()
      isKilled = true
      const answer = isAnswered ? await forward().catch(() => null) : null
      child.kill('SIGKILL')
      await child.exited
      return answer ?? new Response(null, { status: 502 })
    }
    await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    this.door.onRequest = null
    await this.#notePlayed(text)
    return isKilled
  }

  /** The store is killed at the next write from here. */
  killStoreAt(moment: Moment): void {
    this.door.onRequest = async (request, forward) => {
      if (request.method !== 'PUT') return await forward()
      this.door.onRequest = null
      return await MOMENTS[moment](forward)
    }
  }

  async remove(): Promise<void> {
    this.door[Symbol.dispose]()
    await this.machine.remove()
  }
}

type Moment = keyof typeof MOMENTS
/** Of a write at which the store is killed. */
const MOMENTS = {
  async before(forward: () => Promise<Response>) {
    await killStore()
    return await forward()
  },
  async amid(forward: () => Promise<Response>) {
    const answer = forward()
    answer.catch(() => {})
    await Bun.sleep(Math.random() * 15)
    await killStore()
    return await answer
  },
  async answered(forward: () => Promise<Response>) {
    await forward()
    await killStore()
    throw new Error('The answer is lost')
  },
}

async function readHistory(): Promise<Map<string, SaveRevision>> {
  const found = new Map<string, SaveRevision>()
  for (let page = 1; ; page += 1) {
    const { items } = await player.saves.history('main', `?page=${page}&page_size=100`)
    if (items.length === 0) return found
    for (const item of items) found.set(item.revision, item)
  }
}

test(`two devices in turn and at once for ${ROUNDS} rounds, shelf and the store killed: every byte is found again`, async () => {
  const [left, right] = devices
  const moments = Object.keys(MOMENTS) as Moment[]
  let [shelfKills, storeKills] = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const playing = round % 4 < 2 ? [round % 2 === 0 ? left : right] : devices
    let killed: Device | undefined
    const kill = Math.floor(round / SHELF_KILLED_EVERY)
    if (round % STORE_KILLED_EVERY === STORE_KILLED_EVERY - 1) {
      playing.at(-1)?.killStoreAt(moments[storeKills % moments.length] ?? 'amid')
      storeKills += 1
    } else if (round % SHELF_KILLED_EVERY === 0) killed = playing[kill % playing.length]
    await Promise.all(
      playing.map(async (device) => {
        const text = `${device.name} in round ${round} `.padEnd(SAVE_BYTES, '.')
        if (device !== killed) return await device.play(text)
        const [count, isAnswered] = [1 + (kill % REQUESTS), Math.floor(kill / REQUESTS) % 2 === 0]
        if (await device.playKilled(text, count, isAnswered)) shelfKills += 1
      }),
    )
  }
  for (const device of [left, right, left]) await device.play(null)
  expect(await left.read()).toBe(await right.read())
  expect([shelfKills, storeKills]).toEqual([expect.any(Number), Math.floor(ROUNDS / STORE_KILLED_EVERY)])
  expect(shelfKills).toBeGreaterThan(15)

  const history = await readHistory()
  const answered = new Map(devices.flatMap(({ door }) => [...door.answered]))
  expect(answered.size).toBeGreaterThan(ROUNDS)
  const lost = [...answered].filter(([revision, { sha256, isRefused }]) => {
    const found = history.get(revision)
    return found?.sha256 !== sha256 || found.refused !== isRefused
  })
  expect(lost).toEqual([])
  const known = new Set([...history.values()].map(({ sha256 }) => sha256))
  expect([...played].filter(([sha256]) => !known.has(sha256)).map(([, text]) => text)).toEqual([])
  for (const [revision, { sha256 }] of history) {
    expect(played.has(sha256)).toBe(true)
    expect(sha256Hex(await player.saves.bytes('main', revision))).toBe(sha256)
  }
}, 600_000)
