import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiClient } from '../../../src/cli/api/client.ts'
import { type Context, createRetries } from '../../../src/cli/context.ts'
import { PlayerApi } from '../../../src/cli/player/player-api.ts'
import { SavesApi } from '../../../src/cli/saves/saves-api.ts'
import { openSession, type SaveSession } from '../../../src/cli/saves/session.ts'
import { type SlotResult, type SyncOptions, syncSaves } from '../../../src/cli/saves/sync.ts'
import { Output } from '../../../src/cli/ui/output.ts'
import { createTempDir } from '../processes/child.ts'

/** A machine with an installed game, without the processes. */
export interface SaveDevice {
  home: string
  context: Context
  session: SaveSession
  api: SavesApi
  sync(options?: Partial<SyncOptions>): Promise<SlotResult[]>
  write(files: Readonly<Record<string, string>>): Promise<void>
  read(): Promise<Record<string, string>>
  remove(): Promise<void>
}

const FOLDER = '.local/share/moss'

export async function createSaveDevice(
  server: string,
  slots: Record<string, string[]> = { main: [`~/${FOLDER}/**`] },
): Promise<SaveDevice> {
  const dir = await createTempDir('device')
  const home = join(dir.path, 'home')
  await mkdir(home)
  const context: Context = {
    env: {},
    cwd: home,
    machine: { env: {}, platform: 'linux', home },
    output: new Output({ isJson: false, isQuiet: true, hasColor: false, secrets: () => [] }),
    signal: new AbortController().signal,
    secrets: new Set(),
    exitWith: () => undefined,
  }
  const saves = { slots: Object.fromEntries(Object.entries(slots).map(([name, linux]) => [name, { linux }])) }
  const record = {
    format: 1,
    server,
    game: { uid: 'game', vanity_name: 'moss', name: 'Moss' },
    channel: 'stable',
    app: 'main',
    os: 'linux',
    arch: 'x86_64',
    build_id: 'b',
    file_uid: 'f',
    file_size: 1,
    checksum: 'c',
    version: '1',
    launch: null,
    exe: null,
    saves,
  } as const
  const session = openSession(context, { folder: join(home, 'Games/moss'), record: { ...record, files: [] } })
  if (!session) throw new Error('The game has no saves.')
  const client = new ApiClient(server, createRetries(context, { giveUpAfterMs: 2000 })(), context.signal, {
    bearer: 'key',
  })
  const api = new SavesApi(new PlayerApi(client, true), 'game')
  return {
    home,
    context,
    session,
    api,
    sync: (options = {}) =>
      syncSaves(context, session, api, { steps: ['pull', 'push'], choice: null, ...options }),
    async write(files) {
      await rm(join(home, FOLDER), { recursive: true, force: true })
      for (const [name, text] of Object.entries(files)) await Bun.write(join(home, FOLDER, name), text)
    },
    async read() {
      const folder = join(home, FOLDER)
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
      const found: Record<string, string> = {}
      for (const entry of entries) {
        const path = join(entry.parentPath, entry.name)
        if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8')
      }
      return found
    },
    remove: dir.remove,
  }
}
