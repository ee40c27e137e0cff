import { beforeAll, describe, expect, test } from 'bun:test'

import { insertFile, pointChannel } from '../../../helpers/builds.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { scanZip, startJobs } from '../../../helpers/scans.ts'
import { useStore } from '../../../helpers/store.ts'
import { createPipeline, type Pipeline, UPLOAD_PATH } from '../../../helpers/uploads/uploads.ts'

const server = useStore({ TRUST_PROXY: '1', UPLOAD_URL: 'https://upload.example.org' })
let pipeline: Pipeline
let other: Pipeline
beforeAll(async () => {
  ;[pipeline, other] = [await createPipeline(server), await createPipeline(server)]
})

const get = async (path: string, { key } = pipeline) =>
  await server.fetch(`${UPLOAD_PATH}/${path}`, { headers: { ...key } })

interface Entries {
  items: { path: string; size: number; sha256: string; at: number; length: number }[]
  total: number
  page: number
  page_size: number
}

describe('what a deploy key reads', () => {
  test('is its game, and how files are sent', async () => {
    const { game } = pipeline
    expect(await readData<object>(await get('project'))).toEqual({
      game_uid: game.uid,
      vanity_name: game.vanityName,
      name: game.name,
      upload_url: 'https://upload.example.org',
      chunk_size: 16_777_216,
      single_limit: 67_108_864,
    })
  })

  test('are the channels, as the website shows them', async () => {
    await pointChannel(server, pipeline.build)
    const website = await pipeline.owner.fetch(`/api/v1/private/games/${pipeline.game.uid}/channels`)
    const shown = await readData<{ total: number }>(await get('channels'))
    expect(shown).toEqual(await readData<{ total: number }>(website))
    expect(shown.total).toBe(1)
  })

  test('needs a valid key', async () => {
    for (const path of ['project', 'channels', `files/${crypto.randomUUID()}/entries`]) {
      const answer = await server.fetch(`${UPLOAD_PATH}/${path}`)
      expect(await readFailure(answer)).toMatchObject({ status: 401, code: 4020 })
    }
  })
})

describe('the entries of a file', () => {
  const ZIP = makeZip([
    { name: 'data/' },
    { name: 'data/levels.pck', data: 'level '.repeat(1000) },
    { name: 'game', data: crypto.getRandomValues(new Uint8Array(5000)), method: 0 },
    { name: 'read me ü.txt', data: 'hello' },
  ])
  let uid: string
  beforeAll(async () => {
    const runner = await startJobs(server)
    uid = (await scanZip(server, pipeline.build, ZIP)).uid
    await runner.stop()
  })

  test('name their bytes in the zip, which adjoin', async () => {
    const { items, ...page } = await readData<Entries>(await get(`files/${uid}/entries`))
    expect(page).toEqual({ total: 3, page: 1, page_size: 1000 })
    const byPlace = items.toSorted((a, b) => a.at - b.at)
    expect(byPlace.map(({ path }) => path)).toEqual(['data/levels.pck', 'game', 'read me ü.txt'])
    for (const [index, { at, length, path }] of byPlace.entries()) {
      const bytes = ZIP.subarray(at, at + length)
      expect(bytes.readUInt32LE(0)).toBe(0x04034b50)
      expect(bytes.subarray(30, 30 + Buffer.byteLength(path)).toString()).toBe(path)
      expect(ZIP.readUInt32LE(at + length)).toBe(index === 2 ? 0x02014b50 : 0x04034b50)
    }
  })

  test('come in pages of up to 1,000', async () => {
    const { items } = await readData<Entries>(await get(`files/${uid}/entries?page_size=2&page=2`))
    expect(items).toHaveLength(1)
    const { page_size } = await readData<Entries>(await get(`files/${uid}/entries?page_size=5000`))
    expect(page_size).toBe(1000)
  })

  test('of an unscanned file are none, of another game missing: 404/4040', async () => {
    const file = await insertFile(server, pipeline.build, { scan: 'scanning' })
    expect(await readData<Entries>(await get(`files/${file.uid}/entries`))).toMatchObject({ total: 0 })
    for (const path of [uid, 'nonsense']) {
      const answer = await get(`files/${path}/entries`, other)
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
    }
  })
})
