import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'

import { type DeployPair, issueDeployKey } from '../../../../helpers/builds.ts'
import { drawPng } from '../../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame, verifyEmail } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
beforeAll(async () => {
  await verifyEmail(server, owner)
})

let game: GameRow
let key: DeployPair
beforeEach(async () => {
  game = await insertGame(server, owner)
  key = await issueDeployKey(server, game.uid)
})

async function send(kind: string | null, file: Blob | null, headers: DeployPair | object = key) {
  const form = new FormData()
  if (kind !== null) form.set('kind', kind)
  if (file) form.set('file', file, 'picture.png')
  return await server.fetch('/api/v1/tool/upload/images', {
    method: 'POST',
    headers: { ...headers },
    body: form,
  })
}

describe('store images with a deploy key', () => {
  test.each([
    ['cover', 1280, 720],
    ['thumbnail', 640, 360],
    ['gallery', 64, 36],
  ] as const)('%s', async (kind, width, height) => {
    const answer = await send(kind, await drawPng(64, 36))
    expect(answer.status).toBe(201)
    const image = await readData<{ uid: string; url: string }>(answer)
    expect(image).toMatchObject({ kind, width, height })
    expect((await fetch(image.url)).headers.get('content-type')).toBe('image/webp')
    const page = await readData<Record<string, unknown>>(
      await owner.fetch(`/api/v1/private/games/${game.uid}/images`),
    )
    expect([page[kind]].flat()).toMatchObject([{ uid: image.uid }])
  })

  test.each([
    ['another kind', 'banner'],
    ['no kind', null],
  ])('%s is 400/4000', async (_, kind) => {
    expect(await readFailure(await send(kind, await drawPng(64, 36)))).toMatchObject({
      status: 400,
      code: 4000,
      data: { issues: [{ path: 'kind' }] },
    })
  })

  test('no file, or one that is no picture, is 400/4000', async () => {
    expect(await readFailure(await send('cover', null))).toMatchObject({ status: 400, code: 4000 })
    expect(await readFailure(await send('cover', new Blob(['x'])))).toMatchObject({ status: 400, code: 4000 })
  })

  test('nobody without a key, and no owner without a verified address', async () => {
    const picture = await drawPng(64, 36)
    expect(await readFailure(await send('cover', picture, {}))).toMatchObject({ status: 401, code: 4020 })
    const draft = await insertGame(server, await signUp(server))
    const answer = await send('cover', picture, await issueDeployKey(server, draft.uid))
    expect(await readFailure(answer)).toMatchObject({ status: 403, code: 4096 })
  })
})
