import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { createTempDir } from '../processes/child.ts'

export const ARCHIVER_PACKAGES = ['zip', 'unzip', 'p7zip-full', 'python3', 'libarchive-tools'] as const
const PROGRAMS = ['zip', 'unzip', '7z', 'python3', 'bsdtar']

/** Programs that developers pack games with, and what packs the folder they stand in. */
const COMMANDS = {
  zip: (target: string) => ['zip', '-q', '-r', target, '.'],
  '7z': (target: string) => ['7z', 'a', '-bso0', '-tzip', '-mm=Deflate', target, '.'],
  python3: (target: string) => ['python3', '-m', 'zipfile', '-c', target, '.'],
}
export const ARCHIVERS = ['zip', '7z', 'python3'] as const
export type Archiver = (typeof ARCHIVERS)[number]

export function areArchiversInstalled(): boolean {
  return PROGRAMS.every((program) => Bun.which(program) !== null)
}

export type Contents = Readonly<Record<string, Uint8Array>>

/** A zip of these files, made by one of these programs. */
export async function packWith(archiver: Archiver, contents: Contents): Promise<Buffer> {
  return await packBy(contents, (target) => [COMMANDS[archiver](target)])
}

/** The same by commands that run one after the other in the folder with the files. */
export async function packBy(
  contents: Contents,
  commandsFor: (target: string) => string[][],
): Promise<Buffer> {
  const dir = await createTempDir('archiver')
  try {
    const folder = join(dir.path, 'game')
    await mkdir(folder)
    for (const [name, bytes] of Object.entries(contents)) await Bun.write(join(folder, name), bytes)
    const target = join(dir.path, 'game.zip')
    for (const command of commandsFor(target)) await run(command, folder)
    return Buffer.from(await Bun.file(target).bytes())
  } finally {
    await dir.remove()
  }
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: 'ignore', stderr: 'pipe' })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${errors}`)
}
