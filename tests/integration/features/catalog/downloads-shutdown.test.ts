import { expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { downloadEvents } from '../../../../src/db/schema/catalog.ts'
import { insertBuild, insertFile, pointChannel } from '../../../helpers/builds.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { randomAddress, signUp } from '../../../helpers/people.ts'
import { startChild } from '../../../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

test('every attempt that was answered is counted, also when the program is told to end', async () => {
  const game = await insertPublicGame(server, await signUp(server), { anonymousDownloads: true })
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build)
  const file = await insertFile(server, build)
  const child = await startChild({
    env: {
      DATABASE_URL: server.databaseUrl,
      DATA_DIR: server.dataDir,
      SECRET_KEY: TEST_SECRET_KEY,
      ROLE: 'api',
      TRUST_PROXY: '1',
    },
  })
  let answered = 0
  const ask = async () => {
    for (;;) {
      const headers = { 'x-forwarded-for': randomAddress() }
      const answer = await fetch(`${child.url}/api/v1/public/downloads/${file.uid}`, { headers }).catch(
        () => null,
      )
      if (answer?.status !== 200) return
      answered += 1
      if (answered === 200) child.kill('SIGTERM')
    }
  }
  await Promise.all(Array.from({ length: 8 }, ask))
  expect(await child.exited).toBe(0)
  expect(answered).toBeGreaterThanOrEqual(200)
  expect(await server.deps.db.$count(downloadEvents, eq(downloadEvents.fileUid, file.uid))).toBe(answered)
})
