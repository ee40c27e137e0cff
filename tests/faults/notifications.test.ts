import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { gameDependencies } from '../../src/db/schema/games/game-relations.ts'
import type { Listing } from '../../src/features/catalog/pages/model.ts'
import { readData } from '../helpers/json.ts'
import { insertPublicGame } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { behind, startTcpProxy, type TcpProxy, type Treatment } from '../helpers/processes/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { waitFor } from '../helpers/wait.ts'

/** Changes are made on `steady`; `server` reaches the database through the proxy and hears of them by NOTIFY. */
let steady: TestServer
let proxy: TcpProxy
let server: TestServer
let person: Person
beforeAll(async () => {
  steady = await startTestServer({ TRUST_PROXY: '1' })
  const { hostname, port } = new URL(steady.databaseUrl)
  proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
  server = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL: behind(steady.databaseUrl, proxy) })
  person = await signUp(steady)
})
afterAll(async () => {
  await server.stop()
  await proxy[Symbol.asyncDispose]()
  await steady.stop()
})
afterEach(() => {
  treatListener('cut')
  treatListener('forward')
})

const isListener = (hello: Buffer) => hello.includes('playshelf listen')

function treatListener(treatment: Treatment): void {
  proxy.treat((hello) => (isListener(hello) ? treatment : 'forward'))
}

/** Connections that are made from now on work. */
function freezeOpenListeners(): void {
  treatListener('freeze')
  treatListener('forward')
}

const outages = [
  ['is half open', freezeOpenListeners],
  ['is half open, as is every new one', () => treatListener('freeze')],
  ['is broken, as is every new one', () => treatListener('cut')],
] as const

describe.each(outages)('while the connection that carries notifications %s', (_, breakListener) => {
  test('a deleted player key is refused within seconds', async () => {
    const game = await insertPublicGame(steady, person)
    const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'Console' })
    const { uid, key } = await readData<{ uid: string; key: string }>(answer)
    const use = async () => {
      const headers = { authorization: `Bearer ${key}` }
      return (await server.fetch(`/api/v1/public/games/${game.uid}`, { headers })).status
    }
    expect(await use()).toBe(200)
    breakListener()
    expect(await use()).toBe(200)
    expect((await person.json('DELETE', `/api/v1/private/player-keys/${uid}`)).status).toBe(200)
    await waitFor('the key is refused', async () => (await use()) === 401)
  })

  test('an ended session is refused within seconds', async () => {
    const visitor = await signUp(steady)
    const use = async () => {
      const headers = { cookie: visitor.cookie }
      return (await server.fetch('/api/v1/private/me', { headers })).status
    }
    expect(await use()).toBe(200)
    breakListener()
    expect(await use()).toBe(200)
    expect((await visitor.json('POST', '/api/auth/sign-out', {})).status).toBe(200)
    await waitFor('the session is refused', async () => (await use()) === 401)
  })

  test('a page shows within seconds what changed around it', async () => {
    const [game, engine] = [await insertPublicGame(steady, person), await insertPublicGame(steady, person)]
    await steady.deps.db
      .insert(gameDependencies)
      .values({ gameUid: game.uid, targetUid: engine.uid, kind: 'uses', position: 0 })
    const readUsed = async () => {
      const page = await readData<Listing>(await server.fetch(`/api/v1/public/games/${game.uid}`))
      return page.relations.uses.map(({ name }) => name)
    }
    expect(await readUsed()).toEqual([engine.name])
    breakListener()
    const name = `${engine.name} renamed`
    expect((await person.json('PATCH', `/api/v1/private/games/${engine.uid}`, { name })).status).toBe(200)
    await waitFor('the new name is shown', async () => (await readUsed())[0] === name)
  })
})
