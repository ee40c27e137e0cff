import { access, chmod, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { waitFor } from '../wait.ts'
import { type InstallStore, startInstallStore } from './install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from './player.ts'
import { SavesDouble } from './saves-double.ts'

/** Where the game keeps its save, below the home of the player. */
export const SAVE_FOLDER = '.local/share/moss'
export const PLAYER_KEY = { SHELF_PLAYER_KEY: 'key of a player' }
/** Shows the save, and writes its argument into it; `wait` waits until it is killed, `crash` ends by a signal. */
const GAME = `#!/bin/sh
folder="$HOME/${SAVE_FOLDER}"
mkdir -p "$folder"
touch "$HOME/started"
echo "loaded: $(cat "$folder/slot.sav" 2>/dev/null)"
if [ -n "$1" ]; then printf '%s' "$1" > "$folder/slot.sav"; fi
if [ "$2" = crash ]; then kill -SEGV $$; fi
if [ "$2" = wait ]; then exec sleep 120; fi
exit 0
`

/** A store that offers a game with one save, and the machines of one player. */
export interface SavingGame {
  store: InstallStore
  saves: SavesDouble
  /** With the game installed. */
  createMachine(): Promise<PlayerMachine>
  /** The bytes of the account's save, as text. */
  current(): string | undefined
  stop(): Promise<void>
}

export async function startSavingGame(): Promise<SavingGame> {
  const saves = new SavesDouble()
  const store = await startInstallStore()
  store.onSaves = saves.handle
  const build = await store.offer({ game: Buffer.from(GAME) })
  build.launch = { path: 'game' }
  build.saves = { slots: { main: { linux: [`~/${SAVE_FOLDER}/slot.sav`] } } }
  const machines: PlayerMachine[] = []
  return {
    store,
    saves,
    async createMachine() {
      const machine = await createPlayerMachine(store.url)
      machines.push(machine)
      requireDone(await machine.shelf(['get', 'moss-garden', '--json'], PLAYER_KEY))
      await chmod(join(machine.home, 'Games/moss-garden/game'), 0o755)
      return machine
    },
    current: () => saves.current('main')?.bytes.toString(),
    async stop() {
      await store.stop()
      for (const machine of machines) await machine.remove()
    },
  }
}

export function readSave({ home }: PlayerMachine): Promise<string> {
  return readFile(join(home, SAVE_FOLDER, 'slot.sav'), 'utf8')
}

export async function waitForSave(machine: PlayerMachine, text: string): Promise<void> {
  await waitFor(`the save ${text}`, async () => (await readSave(machine).catch(() => '')) === text)
}

/** Whether the game started since this was last asked. */
export async function takeStarted({ home }: PlayerMachine): Promise<boolean> {
  const mark = join(home, 'started')
  const isStarted = await access(mark).then(
    () => true,
    () => false,
  )
  await rm(mark, { force: true })
  return isStarted
}
