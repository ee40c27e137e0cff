import { join } from 'node:path'

import { createTempDir } from '../processes/child.ts'

export const ARCHIVER_PACKAGES = ['zip', 'unzip', 'p7zip-full', 'python3'] as const

/** Programs that developers pack games with, and what packs the folder they stand in. */
const COMMANDS = {
  zip: (target: string) => ['zip', '-q', '-r', target, '.'],
  '7z': (target: string) => ['7z', 'a', '-bso0', '-tzip', '-mm=Deflate', target, '.'],
  python3: (target: string) => ['python3', '-m', 'zipfile', '-c', target, '.'],
}
export const ARCHIVERS = ['zip', '7z', 'python3'] as const
export type Archiver = (typeof ARCHIVERS)[number]

export function areArchiversInstalled(): boolean {
  return [...ARCHIVERS, 'unzip'].every((program) => Bun.which(program) !== null)
}

/** A zip of these files, made by a program of others. */
export async function packWith(
  archiver: Archiver,
  contents: Readonly<Record<string, Uint8Array>>,
): Promise<Buffer> {
  const dir = await createTempDir('archiver')
  try {
    const folder = join(dir.path, 'game')
    for (const [name, bytes] of Object.entries(contents)) await Bun.write(join(folder, name), bytes)
    const target = join(dir.path, 'game.zip')
    const child = Bun.spawn(COMMANDS[archiver](target), { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
    const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`${archiver} ended with ${code}: ${errors}`)
    return Buffer.from(await Bun.file(target).bytes())
  } finally {
    await dir.remove()
  }
}
