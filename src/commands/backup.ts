import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'

import type { ParsedConfig } from '../config.ts'
import { openEmbeddedPostgres } from '../db/embedded.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { createManifest, type Manifest, type Part, PARTS } from './backup-manifest.ts'
import { packBackup } from './backup-pack.ts'
import { formatBytes, interruptible, tellProgress } from './backup-progress.ts'
import { unpackBackup } from './backup-unpack.ts'
import { type CommandContext, embeddedFolder, leaveEmbedded } from './context.ts'

/** Writes everything the embedded defaults keep to one compressed archive, also while the server runs. */
export async function backup({ parsed }: CommandContext, file: string | undefined): Promise<string> {
  const target = requireFile(file, 'backup')
  requireEmbedded(parsed)
  const folder = embeddedFolder(parsed)
  if (!(await unlessMissing(stat(join(folder, 'data/PG_VERSION'))))) {
    throw new Error(`There is no embedded database in ${parsed.dataDir}: check DATA_DIR.`)
  }
  if (await unlessMissing(stat(target))) throw new Error(`${target} exists already: choose another name.`)

  const trees = await findTrees(parsed)
  const manifest = await createManifest(PARTS.filter((part) => part === 'postgres' || part in trees))
  const embedded = await openEmbeddedPostgres(folder)
  try {
    const sources = { databaseUrl: embedded.url, passwordFile: join(folder, 'password'), trees }
    await interruptible((signal) =>
      writeArchive(target, tellProgress(packBackup(sources, manifest), 'Backing up', signal)),
    )
  } finally {
    await leaveEmbedded(parsed, embedded)
  }
  const { size } = await stat(target)
  return [`Backed up to ${target} (${formatBytes(size)}).`, ...describeMissing(manifest)].join(' ')
}

/** Brings an archive back. Whatever goes wrong, DATA_DIR is then as empty as before. */
export async function restore({ parsed }: CommandContext, file: string | undefined): Promise<string> {
  const archive = requireFile(file, 'restore')
  requireEmbedded(parsed)
  const { dataDir } = parsed
  if (!(await unlessMissing(stat(archive)))?.isFile()) throw new Error(`There is no file ${archive}.`)
  const found = (await unlessMissing(readdir(dataDir))) ?? []
  if (found.some((name) => name !== 'lost+found')) {
    throw new Error(`${dataDir} is not empty: restore into an empty or new DATA_DIR.`)
  }
  // Inside, because DATA_DIR may be a mounted disk, whose border no rename can cross.
  const made = await mkdir(dataDir, { recursive: true })
  const draft = await mkdtemp(join(dataDir, '.restoring-'))
  const moved: string[] = []
  try {
    const manifest = await interruptible((signal) =>
      unpackBackup(tellProgress(decompress(archive), 'Restoring', signal), draft),
    )
    // The database last: until it is there, nothing counts as restored.
    for (const part of PARTS.filter((name) => manifest.holds.includes(name)).reverse()) {
      await unlessMissing(rename(join(draft, part), join(dataDir, part)))
      moved.push(join(dataDir, part))
    }
    await rmdir(draft)
    const text = `Restored the backup of ${manifest.created_at} to ${dataDir}.`
    return [text, ...describeMissing(manifest), ...describeOtherFolder(parsed)].join(' ')
  } catch (error) {
    for (const path of [draft, ...moved]) await rm(path, { recursive: true, force: true })
    if (made !== undefined) await removeEmpty(dataDir, made)
    throw error
  }
}

function requireFile(file: string | undefined, command: string): string {
  if (!file) throw new Error(`Name the archive: playshelf ${command} <file>`)
  return resolve(file)
}

function requireEmbedded(parsed: ParsedConfig): void {
  if (parsed.databaseUrl === null) return
  throw new Error(
    'DATABASE_URL is set, and this command is for the embedded database: use pg_dump and pg_restore for Postgres, and the tools of your object store for its objects.',
  )
}

/** Where the parts beside the database lie. A bucket and a key from the environment are kept elsewhere. */
async function findTrees(parsed: ParsedConfig): Promise<Partial<Record<Part, string>>> {
  const key = join(parsed.dataDir, 'secret-key')
  const hasKey = parsed.secretKey === null && (await Bun.file(key).exists())
  return {
    mail: parsed.mail.folder,
    ...(parsed.storage.kind === 'folder' && { objects: parsed.storage.path }),
    ...(hasKey && { 'secret-key': key }),
  }
}

function describeMissing({ holds }: Manifest): string[] {
  const key = 'It holds no key: keep the SECRET_KEY of this installation with it.'
  const objects = 'It holds no objects: back up the object store with its own tools.'
  return [...(holds.includes('secret-key') ? [] : [key]), ...(holds.includes('objects') ? [] : [objects])]
}

function describeOtherFolder({ dataDir, storage }: ParsedConfig): string[] {
  const folder = join(dataDir, 'objects')
  if (storage.kind === 'folder' && storage.path === folder) return []
  return [`STORAGE_URL leads elsewhere: move the objects there from ${folder}.`]
}

/** Until it is whole it has another name. The checksum at its end is what a restore trusts. */
async function writeArchive(target: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${target}.part`
  const file = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    throw new Error(`${part} cannot be made: does its folder exist, or is another backup being written?`, {
      cause,
    })
  })
  try {
    const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    await pipeline(bytes, zstd, async (packed: AsyncIterable<Uint8Array>) => {
      for await (const chunk of packed) await file.appendFile(chunk)
    })
    await file.sync()
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function* decompress(path: string): AsyncGenerator<Uint8Array> {
  try {
    // Unlike zlib's, this one minds an archive that is cut off.
    yield* Bun.file(path).stream().pipeThrough(new DecompressionStream('zstd'))
  } catch (cause) {
    throw new Error(`${path} is damaged, cut off or not a backup; nothing was restored.`, { cause })
  }
}

async function removeEmpty(from: string, last: string): Promise<void> {
  for (let path = from; path.startsWith(last); path = dirname(path)) await rmdir(path).catch(() => undefined)
}
