import { createWriteStream } from 'node:fs'
import { chmod, mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

import { giveToPostgres, readEmbeddedMajor } from '../db/embedded.ts'
import { readTar, type TarMember } from '../lib/tar.ts'
import { MANIFEST, type Manifest, PARTS, readManifest } from './backup-manifest.ts'

const MAX_MANIFEST = 64 * 1024
const TOP_LEVEL: ReadonlySet<string> = new Set(PARTS)
/** The database does not start without these. */
const NEEDED = ['postgres/password', 'postgres/data/PG_VERSION', 'postgres/data/backup_label'] as const

/** Checks the manifest first, then writes the members of the archive under `folder`. */
export async function unpackBackup(tar: AsyncIterable<Uint8Array>, folder: string): Promise<Manifest> {
  let manifest: Manifest | null = null
  const names = new Set<string>()
  for await (const member of readTar(tar)) {
    manifest ??= await unpackManifest(member)
    if (member.name === MANIFEST) continue
    await unpackMember(member, resolveMember(folder, member.name))
    names.add(member.name)
  }
  const missing = NEEDED.filter((name) => !names.has(name))
  if (!manifest || missing.length > 0) throw new Error(`The archive lacks ${missing.join(', ')}`)
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
  if (odd || !TOP_LEVEL.has(segments[0] ?? '')) {
    throw new Error(`The archive contains ${JSON.stringify(name)}, which does not belong in a backup`)
  }
  return join(folder, ...segments)
}

async function unpackMember({ name, kind, mode, mtime, body }: TarMember, path: string): Promise<void> {
  if (kind === 'folder') await mkdir(path)
  else await pipeline(body, createWriteStream(path, { flags: 'wx' }))
  await chmod(path, mode & 0o777)
  if (name === 'postgres' || name === 'postgres/data' || name.startsWith('postgres/data/')) {
    await giveToPostgres(path)
  }
  if (kind === 'file') await utimes(path, mtime, mtime)
}
