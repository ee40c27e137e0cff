import { describe, expect, test } from 'bun:test'

import { and, eq, inArray } from 'drizzle-orm'

import { files } from '../../../../../src/db/schema/builds.ts'
import { scanFile, WAITING_SCANS_MAX } from '../../../../../src/features/builds/scans/jobs.ts'
import { enqueue } from '../../../../../src/jobs/queue.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { type BuildRow, insertBuild, issueDeployKey } from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame, verifyEmail } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { queueScan, startJobs, waitForScan } from '../../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const attacker = usePerson(server)
const honest = usePerson(server)

async function newBuild(owner: Person): Promise<BuildRow> {
  return await insertBuild(server, (await insertPublicGame(server, owner)).uid)
}

describe('many scans of one owner', () => {
  test('leave those of others their turn', async () => {
    const bomb = makeZip([{ name: 'zeros', data: Buffer.alloc(40_000_000) }])
    const build = await newBuild(attacker)
    const bombs: string[] = []
    for (let count = 0; count < 16; count += 1)
      bombs.push((await queueScan(server, build, bomb, { filename: `${count}.zip` })).uid)
    const mine = await queueScan(server, await newBuild(honest), makeZip([{ name: 'a', data: 'hello' }]))
    const runner = await startJobs(server)
    try {
      expect(await waitForScan(server, mine.uid)).toMatchObject({ scan: 'clean' })
      const isWaiting = and(inArray(files.uid, bombs), eq(files.scan, 'scanning'))
      expect(await server.deps.db.$count(files, isWaiting)).toBeGreaterThan(8)
      for (const uid of bombs) expect(await waitForScan(server, uid)).toMatchObject({ scan: 'clean' })
    } finally {
      await runner.stop()
    }
  })

  test('end its uploads until some of them are done, and nobody else’s', async () => {
    for (let count = 0; count < WAITING_SCANS_MAX; count += 1)
      await enqueue(server.deps.db, scanFile, { fileUid: crypto.randomUUID(), ownerUid: attacker.uid })
    const zip = makeZip([{ name: 'a', data: 'hello' }])
    const upload = async (owner: Person) => {
      await verifyEmail(server, owner)
      const build = await newBuild(owner)
      const key = await issueDeployKey(server, build.gameUid)
      const form = new FormData()
      form.set('build_id', build.uid)
      form.set('checksum', sha256Hex(zip))
      form.set('file', new File([zip], 'game.zip'))
      return await server.fetch('/api/v1/tool/upload/files', {
        method: 'POST',
        body: form,
        headers: { ...key },
      })
    }
    const refused = await upload(attacker)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: { code: 4291, message: expect.stringContaining('wait for their scan') },
    })
    expect((await upload(honest)).status).toBe(201)
  })
})
