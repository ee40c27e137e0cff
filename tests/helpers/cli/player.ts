import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { shelfCommand } from '../processes/binaries.ts'
import { createTempDir } from '../processes/child.ts'

export interface PlayerRun {
  code: number
  out: string
  err: string
}

export interface TerminalRun {
  code: number
  /** What the terminal was sent. */
  text: string
}

/** A question of a command, and what is typed once it is shown. */
export type Answer = readonly [question: string, typed: string]

/** So wide that no line is broken. */
const COLUMNS = 600

/** A machine of a player, with its own home. */
export interface PlayerMachine {
  home: string
  start(
    args: readonly string[],
    env?: Record<string, string>,
    stdin?: string,
  ): Bun.Subprocess<'ignore' | Blob, 'pipe', 'pipe'>
  shelf(args: readonly string[], env?: Record<string, string>, stdin?: string): Promise<PlayerRun>
  /** Runs the command in a terminal, and answers its questions in this order. */
  terminal(
    args: readonly string[],
    env?: Record<string, string>,
    answers?: readonly Answer[],
  ): Promise<TerminalRun>
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
  const envOf = (own: Record<string, string>) => ({
    PATH: '/usr/bin:/bin',
    HOME: home,
    SHELF_SERVER: server,
    ...own,
  })

  const machine: PlayerMachine = {
    home,
    start: (args, env = {}, stdin) =>
      Bun.spawn([...before, ...shelfCommand(), ...args], {
        cwd: home,
        env: envOf(env),
        stdin: stdin === undefined ? 'ignore' : new Blob([stdin]),
        stdout: 'pipe',
        stderr: 'pipe',
      }),
    async shelf(args, env, stdin) {
      const child = machine.start(args, env, stdin)
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { code, out, err }
    },
    async terminal(args, env = {}, answers = []) {
      const decoder = new TextDecoder()
      const closed = Promise.withResolvers<void>()
      const left = [...answers]
      let [text, read] = ['', 0]
      const child = Bun.spawn([...before, ...shelfCommand(), ...args], {
        cwd: home,
        env: envOf(env),
        terminal: {
          cols: COLUMNS,
          data(terminal, bytes) {
            text += decoder.decode(bytes, { stream: true })
            const [question, typed] = left[0] ?? []
            if (question === undefined || typed === undefined || !text.includes(question, read)) return
            read = text.length
            left.shift()
            terminal.write(typed)
          },
          exit: () => closed.resolve(),
        },
      })
      const [code] = await Promise.all([child.exited, closed.promise])
      if (left.length > 0)
        throw new Error(`shelf ended with ${code} before it asked ${left[0]?.[0]}:\n${text}`)
      return { code, text }
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
