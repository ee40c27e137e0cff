import { expect, test } from 'bun:test'

import { OWNER_NAME } from '../../src/clients/object-store/owner-note.ts'
import { describeWithStorage } from '../helpers/uploads/own-storage.ts'

describeWithStorage('the owner of a store', (createStorage) => {
  test('is written once, and replaced only on demand', async () => {
    await using storage = await createStorage()
    const { store } = storage
    expect(await store.readOwner()).toBeNull()
    await store.writeOwner('first')
    await store.writeOwner('second')
    expect(await store.readOwner()).toBe('first')
    await store.writeOwner('third', { replace: true })
    expect(await store.readOwner()).toBe('third')
  })

  test('is one of those that were written at once', async () => {
    await using storage = await createStorage()
    const { store } = storage
    const ids: string[] = Array.from({ length: 8 }, () => crypto.randomUUID())
    await Promise.all(ids.map((id) => store.writeOwner(id)))
    const owner = await store.readOwner()
    expect(ids.some((id) => id === owner)).toBe(true)
    await store.writeOwner(crypto.randomUUID())
    expect(await store.readOwner()).toBe(owner)
  })

  test('is no object: not listed, read, deleted, linked or swept', async () => {
    await using storage = await createStorage()
    const { store } = storage
    await store.writeOwner('someone')
    const refused = { kind: 'invalid_request' }
    expect(await storage.keys()).toEqual([])
    expect(store.get(OWNER_NAME)).rejects.toMatchObject(refused)
    expect(store.delete(OWNER_NAME)).rejects.toMatchObject(refused)
    expect(store.signedLink(OWNER_NAME, { filename: 'x' })).rejects.toMatchObject(refused)
    expect(await store.sweepUploads(new Date(Date.now() + 60_000))).toBe(0)
    expect(await store.readOwner()).toBe('someone')
  })
})
