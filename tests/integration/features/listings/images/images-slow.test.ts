import { afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { issueDeployKey } from '../../../../helpers/builds.ts'
import { drawPng, send } from '../../../../helpers/files/pictures.ts'
import { type GameRow, insertGame, verifyEmail } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { formText } from '../../../../helpers/site/forms.ts'
import { useStore } from '../../../../helpers/store.ts'
import { openSlowUpload, type SlowUpload } from '../../../../helpers/uploads/slow-uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const MB = 1024 ** 2

const server = useStore({ TRUST_PROXY: '1' })
let picture: Blob
let bytes: Uint8Array
beforeAll(async () => {
  picture = await drawPng(64, 36)
  bytes = await picture.bytes()
})

const opened: SlowUpload[] = []
afterEach(() => {
  for (const upload of opened.splice(0)) upload.hangUp()
})

interface Maker {
  person: Person
  game: GameRow
}

async function createMaker(): Promise<Maker> {
  const person = await signUp(server)
  await verifyEmail(server, person)
  return { person, game: await insertGame(server, person) }
}

const galleryOf = ({ game }: Maker) => `/api/v1/private/games/${game.uid}/images/gallery`
const add = (maker: Maker) => send(maker.person, galleryOf(maker), picture)

async function addSlowly(maker: Maker, file = bytes, sent?: number): Promise<SlowUpload> {
  const { cookie, address } = maker.person
  const upload = await openSlowUpload(server, {
    method: 'POST',
    path: galleryOf(maker),
    file,
    ...(sent !== undefined && { sent }),
    headers: { cookie, origin: server.url, 'x-forwarded-for': address },
  })
  opened.push(upload)
  return upload
}

async function sendWithKey(key: object, file: Blob): Promise<Response> {
  const form = new FormData()
  form.set('kind', 'gallery')
  form.set('file', file, 'picture.png')
  return await server.fetch('/api/v1/tool/upload/images', { method: 'POST', headers: { ...key }, body: form })
}

async function sendSlowlyWithKey(key: object): Promise<SlowUpload> {
  const upload = await openSlowUpload(server, {
    method: 'POST',
    path: '/api/v1/tool/upload/images',
    file: bytes,
    headers: { ...key },
    fields: formText('kind', 'gallery'),
  })
  opened.push(upload)
  return upload
}

/** The server has the first bytes of all of them, or lets them wait. */
const settle = () => Bun.sleep(1000)

describe('while one account sends slowly', () => {
  test.each([8, 30])('%d pictures, those of another get through', async (count) => {
    const [slow, quick] = [await createMaker(), await createMaker()]
    const uploads = await Promise.all(Array.from({ length: count }, () => addSlowly(slow)))
    await settle()
    const answer = await Promise.race([add(quick), Bun.sleep(15_000)])
    expect(answer?.status).toBe(201)
    expect(uploads.every((upload) => upload.isOpen())).toBe(true)
  })

  test.each([8, 30])('%d pictures with a deploy key, those with another get through', async (count) => {
    const [slow, quick] = [await createMaker(), await createMaker()]
    const slowKey = await issueDeployKey(server, slow.game.uid)
    const uploads = await Promise.all(Array.from({ length: count }, () => sendSlowlyWithKey(slowKey)))
    await settle()
    const key = await issueDeployKey(server, quick.game.uid)
    const answer = await Promise.race([sendWithKey(key, picture), Bun.sleep(15_000)])
    expect(answer?.status).toBe(201)
    expect(uploads.every((upload) => upload.isOpen())).toBe(true)
  })
})

describe('of one account', () => {
  test('two pictures are received at a time, and the next waits for one of them', async () => {
    const maker = await createMaker()
    const [first, second] = [await addSlowly(maker), await addSlowly(maker)]
    await settle()
    let isDone = false
    const third = add(maker).finally(() => (isDone = true))
    await settle()
    expect(isDone).toBe(false)
    expect(await first.finish()).toStartWith('HTTP/1.1 201')
    expect((await third).status).toBe(201)
    expect(await second.finish()).toStartWith('HTTP/1.1 201')
  })

  test('the website and deploy keys count together', async () => {
    const maker = await createMaker()
    const key = await issueDeployKey(server, maker.game.uid)
    const [first] = [await addSlowly(maker), await sendSlowlyWithKey(key)]
    await settle()
    let isDone = false
    const third = sendWithKey(key, picture).finally(() => (isDone = true))
    await settle()
    expect(isDone).toBe(false)
    first.hangUp()
    expect((await third).status).toBe(201)
  })
})

test('when too many bytes are on their way, the upload that began first is ended (429/4290)', async () => {
  const large = new Uint8Array(15 * MB)
  large.set(bytes)
  const first = await addSlowly(await createMaker(), large, 14 * MB)
  const others: SlowUpload[] = []
  for (let count = 0; count < 7; count += 1) {
    const maker = await createMaker()
    for (let twice = 0; twice < 2; twice += 1) others.push(await addSlowly(maker, large, 14 * MB))
  }
  await waitFor('the first is ended', async () => first.answer().includes('"code":4290'))
  expect(first.answer()).toStartWith('HTTP/1.1 429')
  expect((await add(await createMaker())).status).toBe(201)
  expect(await others.at(-1)?.finish()).toStartWith('HTTP/1.1 201')
})
