import { expect, test } from 'bun:test'

import { OWNER_NAME } from '../../src/clients/objects/storage-owner.ts'
import { describeWithStorage } from '../helpers/uploads/own-storage.ts'

describeWithStorage('the owner of a store', (createStorage) => {
  test('is written once, and replaced only on demand', async () => {
    await using storage = await createStorage()
    const { objects } = storage
    expect(await objects.readOwner()).toBeNull()
    await objects.writeOwner('first')
    await objects.writeOwner('second')
    expect(await objects.readOwner()).toBe('first')
    await objects.writeOwner('third', { replace: true })
    expect(await objects.readOwner()).toBe('third')
  })

  test('is one of those that were written at once', async () => {
    await using storage = await createStorage()
    const { objects } = storage
    const ids: string[] = Array.from({ length: 8 }, () => crypto.randomUUID())
    await Promise.all(ids.map((id) => objects.writeOwner(id)))
    const owner = await objects.readOwner()
    expect(ids.some((id) => id === owner)).toBe(true)
    await objects.writeOwner(crypto.randomUUID())
    expect(await objects.readOwner()).toBe(owner)
  })

  test('is no object: not listed, read, deleted, linked or swept', async () => {
    await using storage = await createStorage()
    const { objects } = storage
    await objects.writeOwner('someone')
    const refused = { kind: 'invalid_request' }
    expect(await storage.keys()).toEqual([])
    expect(objects.get(OWNER_NAME)).rejects.toMatchObject(refused)
    expect(objects.delete(OWNER_NAME)).rejects.toMatchObject(refused)
    expect(objects.signedLink(OWNER_NAME, { filename: 'x' })).rejects.toMatchObject(refused)
    expect(await objects.sweepUploads(new Date(Date.now() + 60_000))).toBe(0)
    expect(await objects.readOwner()).toBe('someone')
  })
})
