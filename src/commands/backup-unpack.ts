import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { RETAINED } from '../clients/object-store/folder/folder-retained.ts'
import { giveToPostgres, readEmbeddedMajor } from '../db/embedded/embedded-program.ts'
import { configureRestored } from '../db/embedded/embedded.ts'
import { readTar, type TarMember } from '../lib/bytes/tar.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { isDataName } from './backup-data-names.ts'
import { MANIFEST, type Manifest, PARTS, readManifest } from './backup-manifest.ts'

const MAX_MANIFEST = 64 * 1024
const TOP_LEVEL: ReadonlySet<string> = new Set(PARTS)
const DATABASE_FILES: ReadonlySet<string> = new Set(['postgres/data', 'postgres/password'])
const DATA = 'postgres/data/'
/** The database does not start without these. */
const NEEDED = ['postgres/password', 'postgres/data/PG_VERSION', 'postgres/data/backup_label'] as const

/**
 * Checks the manifest first, then writes the members of the archive under `folder`. Files get the time of now: a sweep
 * leaves young objects alone, so nothing is deleted before an operator has looked.
 */
export async function unpackBackup(tar: AsyncIterable<Uint8Array>, folder: string): Promise<Manifest> {
  let manifest: Manifest | null = null
  const names = new Set<string>()
  for await (const member of readTar(tar)) {
    manifest ??= await unpackManifest(member)
    if (member.name === MANIFEST) continue
    const path = resolveMember(folder, member.name)
    if (isStray(member.name)) {
      // The first format contained the configuration, which is written anew.
      if (manifest.format === 1) continue
      throw foreign(member.name)
    }
    await unpackMember(member, path)
    if (NEEDED.some((name) => name === member.name)) names.add(member.name)
  }
  const missing = NEEDED.filter((name) => !names.has(name))
  if (!manifest || missing.length > 0) throw new Error(`The archive lacks ${missing.join(', ')}`)
  await configureRestored(join(folder, 'postgres'))
  await returnRetained(join(folder, 'objects'))
  return manifest
}

async function unpackManifest({ name, size, body }: TarMember): Promise<Manifest> {
  if (name !== MANIFEST || size > MAX_MANIFEST) {
    throw new Error('This is not a Playshelf backup: it does not start with a manifest')
  }
  const text = Buffer.concat(await Array.fromAsync(body)).toString('utf8')
  return readManifest(text, await readEmbeddedMajor())
}

/** Names in an archive are untrusted: none may point outside the folder. */
export function resolveMember(folder: string, name: string): string {
  const segments = name.split('/')
  const odd = segments.some((segment) => ['', '.', '..'].includes(segment) || /[\\\0]/.test(segment))
  if (odd || !TOP_LEVEL.has(segments[0] ?? '')) throw foreign(name)
  return join(folder, ...segments)
}

/** Whether a member of the database is none that Postgres needs: files there can run programs. */
function isStray(name: string): boolean {
  if (name.startsWith(DATA)) return !isDataName(name.slice(DATA.length))
  return name.startsWith('postgres/') && !DATABASE_FILES.has(name)
}

function foreign(name: string): Error {
  return new Error(`The archive contains ${JSON.stringify(name)}, which does not belong in a backup`)
}

async function unpackMember({ name, kind, mode, body }: TarMember, path: string): Promise<void> {
  if (kind === 'folder') await mkdir(path)
  else await pipeline(body, createWriteStream(path, { flags: 'wx' }))
  // An archive that was made elsewhere, or before objects were closed to others, opens nothing to them.
  await chmod(path, mode & 0o700)
  if (name.startsWith('postgres') && name !== 'postgres/password') await giveToPostgres(path)
}

/** Objects that were deleted while the backup ran, but that its copy of the database may name. */
async function returnRetained(objects: string): Promise<void> {
  const retained = join(objects, RETAINED)
  const entries = await unlessMissing(readdir(retained, { recursive: true, withFileTypes: true }))
  for (const entry of entries ?? []) {
    if (!entry.isFile()) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(objects, from.slice(retained.length))
    // It is there already when it was deleted after it had been copied.
    if (await Bun.file(to).exists()) continue
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rename(from, to)
  }
  await rm(retained, { recursive: true, force: true })
}
