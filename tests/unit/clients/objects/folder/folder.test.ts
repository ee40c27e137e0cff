import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ObjectStore } from '../../../../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../../../../src/clients/objects/open-object-store.ts'

const BYTES = new TextEncoder().encode('hello')
let folder: string
let objects: ObjectStore

const openAt = (path: string) =>
  openObjectStore({ kind: 'folder', path }, { baseUrl: '', linkKeys: { signing: 'secret' } })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'object-store-folder-'))
  objects = await openAt(join(folder, 'objects'))
})
afterEach(() => rm(folder, { recursive: true }))

test('an object is a plain file under its key, with nothing left beside it', async () => {
  await objects.put('games/one/cover.png', BYTES)
  expect(await Bun.file(join(folder, 'objects/games/one/cover.png')).text()).toBe('hello')
  expect(await readdir(join(folder, 'objects/.uploads'))).toEqual([])
  expect((await Array.fromAsync(objects.list(''))).map(({ key }) => key)).toEqual(['games/one/cover.png'])
})

test('objects are 0600 in folders of 0700, whatever the umask is', async () => {
  const before = process.umask(0)
  try {
    const open = await openAt(join(folder, 'closed/objects'))
    await open.put('games/one/cover.png', BYTES, { contentType: 'image/png' })
    await open.copy('games/one/cover.png', 'games/two/cover.png')
    const upload = await open.openUpload('builds/one.zip')
    await open.append(upload, BYTES)
    await open.completeUpload(upload)
    const root = join(folder, 'closed')
    const found = await readdir(root, { recursive: true, withFileTypes: true })
    expect(found.filter((entry) => entry.isFile()).length).toBeGreaterThanOrEqual(5)
    for (const entry of found) {
      const path = join(entry.parentPath, entry.name)
      const mode = (await stat(path)).mode & 0o777
      expect({ path, mode }).toEqual({ path, mode: entry.isFile() ? 0o600 : 0o700 })
    }
  } finally {
    process.umask(before)
  }
})

test('a folder that was open to others is closed', async () => {
  const path = join(folder, 'old')
  await mkdir(path, { mode: 0o755 })
  await (await openAt(path)).check()
  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('a failed put leaves no temporary file', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('broken')) })
  expect(objects.put('a', body)).rejects.toThrow('broken')
  expect(await readdir(join(folder, 'objects/.uploads'))).toEqual([])
})

test('a key inside an object, or over a folder of others, is refused in words', async () => {
  await objects.put('a/b', BYTES)
  expect(objects.put('a', BYTES)).rejects.toMatchObject({ kind: 'invalid_request' })
  expect(objects.put('a/b/c', BYTES)).rejects.toMatchObject({ kind: 'invalid_request' })
  expect(await objects.head('a')).toBeNull()
  expect(await objects.head('a/b/c')).toBeNull()
  expect(await readdir(join(folder, 'objects/.uploads'))).toEqual([])
})

test('sweeping removes old uploads and leftovers of crashed puts', async () => {
  const upload = await objects.openUpload('big')
  await Bun.write(join(folder, 'objects/.uploads', crypto.randomUUID()), 'half a put')
  await objects.put('kept', BYTES)
  expect(await objects.sweepUploads(new Date(Date.now() + 60_000))).toBe(2)
  expect(objects.append(upload, BYTES)).rejects.toMatchObject({ kind: 'upload_session_gone' })
  expect(await objects.head('kept')).not.toBeNull()
})

test('the check says which folder cannot be written', async () => {
  await Bun.write(join(folder, 'file'), '')
  const broken = await openAt(join(folder, 'file'))
  expect(broken.check()).rejects.toThrow(`The object folder ${join(folder, 'file')} cannot be written`)
})

test('an upload whose file could not be opened after a chunk is completed once it can be', async () => {
  const upload = await objects.openUpload('big')
  const [name] = await readdir(join(folder, 'objects/.uploads'))
  const path = join(folder, 'objects/.uploads', name ?? '')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(BYTES),
    async pull(controller) {
      await rename(path, join(folder, 'aside'))
      await mkdir(path)
      controller.close()
    },
  })
  expect(await objects.append(upload, body)).toBe(BYTES.length)
  expect(objects.completeUpload(upload)).rejects.toMatchObject({ kind: 'invalid_request' })
  await rmdir(path)
  await rename(join(folder, 'aside'), path)
  expect(await objects.completeUpload(upload)).toMatchObject({ key: 'big', size: BYTES.length })
})

test('a full disk is told as such', async () => {
  await objects.check()
  const upload = await objects.openUpload('full')
  const [name] = await readdir(join(folder, 'objects/.uploads'))
  const path = join(folder, 'objects/.uploads', name ?? '')
  await rm(path)
  await symlink('/dev/full', path)
  const error = { kind: 'storage_full', status: 507, code: 5071 }
  expect(objects.append(upload, BYTES)).rejects.toMatchObject(error)
})
