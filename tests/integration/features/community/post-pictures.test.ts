import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { images } from '../../../../src/db/schema/games/game-pages.ts'
import type { Post } from '../../../../src/features/community/posts/model.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { postsPath, publishPost, writePost } from '../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

describe('the picture', () => {
  test('is scaled down, replaced and removed; the gallery of the page is not touched', async () => {
    const made = await insertPublicGame(server, owner)
    const post = await publishPost(owner, made)
    const path = postsPath(made, `/${post.uid}/picture`)
    const set = await readData<Post>(await send(owner, path, await drawPng(2000, 1000)))
    expect(set.picture).toMatchObject({ width: 1280, height: 640 })
    const address = new URL(set.picture?.url ?? '')
    expect((await server.fetch(address.pathname)).status).toBe(200)
    const page = await readData<{ gallery: unknown[]; cover: unknown }>(
      await owner.fetch(`/api/v1/private/games/${made.uid}/images`),
    )
    expect(page.gallery).toEqual([])
    const [image] = await server.deps.db.select().from(images).where(eq(images.kind, 'post'))
    const refused = await owner.json('DELETE', `/api/v1/private/games/${made.uid}/images/${image?.uid}`)
    expect(refused.status).toBe(404)

    const replaced = await readData<Post>(await send(owner, path, await drawPng(100, 100)))
    expect(replaced.picture).toMatchObject({ width: 100 })
    expect((await readData<Post>(await owner.json('DELETE', path))).picture).toBeNull()
    expect((await owner.json('DELETE', path)).status).toBe(200)
  })

  test('must be an image', async () => {
    const made = await insertPublicGame(server, owner)
    const post = await writePost(owner, made)
    const answer = await send(owner, postsPath(made, `/${post.uid}/picture`), new Blob(['no picture']))
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('leaves the revision, so that a text being edited can still be saved', async () => {
    const made = await insertPublicGame(server, owner)
    const { uid } = await writePost(owner, made)
    await send(owner, postsPath(made, `/${uid}/picture`), await drawPng(64, 64))
    const saved = await owner.fetch(postsPath(made, `/${uid}`), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': '"1"' },
      body: JSON.stringify({ title: 'Saved' }),
    })
    expect(saved.status).toBe(200)
  })
})
