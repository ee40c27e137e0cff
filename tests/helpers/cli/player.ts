import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { shelfCommand } from '../processes/binaries.ts'
import { createTempDir } from '../processes/child.ts'

export interface PlayerRun {
  code: number
  out: string
  err: string
}

/** A machine of a player, with its own home. */
export interface PlayerMachine {
  home: string
  start(
    args: readonly string[],
    env?: Record<string, string>,
    stdin?: string,
  ): Bun.Subprocess<'ignore' | Blob, 'pipe', 'pipe'>
  shelf(args: readonly string[], env?: Record<string, string>, stdin?: string): Promise<PlayerRun>
  /** The files of a folder, without what shelf keeps there. */
  read(folder: string): Promise<Record<string, Buffer>>
  remove(): Promise<void>
}

/** `before`: a program that starts the command, such as one that changes the user. */
export async function createPlayerMachine(
  server: string,
  before: readonly string[] = [],
): Promise<PlayerMachine> {
  const dir = await createTempDir('player')
  const home = join(dir.path, 'home')
  await mkdir(home)

  const machine: PlayerMachine = {
    home,
    start: (args, env = {}, stdin) =>
      Bun.spawn([...before, ...shelfCommand(), ...args], {
        cwd: home,
        env: { PATH: '/usr/bin:/bin', HOME: home, SHELF_SERVER: server, ...env },
        stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    async shelf(args, env, stdin) {
      const child = machine.start(args, env, stdin)
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { code, out, err }
    },
    async read(folder) {
      const files: Record<string, Buffer> = {}
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        const name = path.slice(folder.length + 1)
        if (entry.isFile() && !name.startsWith('.shelf/')) files[name] = await readFile(path)
      }
      return files
    },
    remove: dir.remove,
  }
  return machine
}

/** Throws with the output of a command that failed. */
export function requireDone({ code, out, err }: PlayerRun): Record<string, unknown> {
  if (code !== 0) throw new Error(`shelf ended with ${code}:\n${out}${err}`)
  return JSON.parse(out)
}
