import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from './lib/unless-missing.ts'

const NAME = 'secret-key'

/** The SECRET_KEY of an installation on embedded defaults: generated once, readable by its owner only. */
export async function readOrCreateSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, NAME)
  const known = await unlessMissing(readFile(path, 'utf8'))
  if (known) return known.trim()
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, randomBytes(48).toString('base64url'), { mode: 0o600 })
  // Linking fails if the file exists: when two processes start at once, one wins and both use its key.
  try {
    await link(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(path, 'utf8')).trim()
}

/** For a restored installation; there must not be another key. Returns the path of its file. */
export async function writeSecretKey(dataDir: string, key: string): Promise<string> {
  const path = join(dataDir, NAME)
  await writeFile(path, key, { mode: 0o600, flag: 'wx' })
  return path
}
