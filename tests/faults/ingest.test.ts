import { beforeAll, describe, expect, test } from 'bun:test'

import { type BuildRow, insertBuild } from '../helpers/builds.ts'
import { makeEvent, readEvents } from '../helpers/ingest.ts'
import { insertGame } from '../helpers/listings.ts'
import { randomAddress, signUp } from '../helpers/people.ts'
import { createTempDir, startChild } from '../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'
import { useStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
let build: BuildRow
beforeAll(async () => {
  const game = await insertGame(server, await signUp(server))
  build = await insertBuild(server, game.uid)
})

const EVENTS = 20
const SENDERS = 30

describe('a server that is killed under load', () => {
  test('has lost no event that it acknowledged', async () => {
    const dir = await createTempDir('ingest')
    const env = {
      DATABASE_URL: server.databaseUrl,
      SECRET_KEY: TEST_SECRET_KEY,
      DATA_DIR: dir.path,
      ROLE: 'api',
    }
    const child = await startChild({ env: { ...env, TRUST_PROXY: '1' } })
    const acknowledged: string[] = []
    let sent = 0
    const send = async (): Promise<void> => {
      for (;;) {
        sent += 1
        const device_id = `device ${sent}`
        const events = Array.from({ length: EVENTS }, (_, n) => makeEvent({ device_id, session_id: `${n}` }))
        const answer = await fetch(`${child.url}/api/v1/public/events`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-app-id': build.gameUid,
            'x-build-id': build.uid,
            'x-forwarded-for': randomAddress(),
          },
          body: JSON.stringify({ events }),
        }).catch(() => null)
        if (answer?.status !== 202) return
        acknowledged.push(device_id)
      }
    }
    const senders = Array.from({ length: SENDERS }, send)
    await waitFor('many events are written', () => acknowledged.length > 300)
    child.kill('SIGKILL')
    await Promise.all([child.exited, ...senders])

    const kept = Map.groupBy(await readEvents(server, build), (event) => event.device_id)
    const incomplete = acknowledged.filter((device) => kept.get(device)?.length !== EVENTS)
    expect(incomplete).toEqual([])
    // Requests that were not answered are there as a whole or not at all.
    expect([...kept.values()].filter((events) => events.length !== EVENTS)).toEqual([])
    await dir.remove()
  })
})
