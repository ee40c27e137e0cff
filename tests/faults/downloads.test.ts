import { afterAll, beforeAll, expect, test } from 'bun:test'

import { insertBuild, insertFile, pointChannel } from '../helpers/builds.ts'
import { readFailure } from '../helpers/json.ts'
import { insertLicense, insertPublicGame } from '../helpers/listings.ts'
import { signUp } from '../helpers/people.ts'
import { behind, startTcpProxy, type TcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

let steady: TestServer
let proxy: TcpProxy
let server: TestServer
beforeAll(async () => {
  steady = await startTestServer({ TRUST_PROXY: '1' })
  const { hostname, port } = new URL(steady.databaseUrl)
  proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) })
  server = await startTestServer({ TRUST_PROXY: '1', DATABASE_URL: behind(steady.databaseUrl, proxy) })
})
afterAll(async () => {
  await server.stop()
  await proxy[Symbol.asyncDispose]()
  await steady.stop()
})

test('a database connection that breaks while a licence is looked up is an outage, not a refusal', async () => {
  const [owner, player] = [await signUp(server), await signUp(server)]
  const game = await insertPublicGame(server, owner)
  await insertLicense(server, game.uid, player)
  const build = await insertBuild(server, game.uid)
  await pointChannel(server, build, 'stable')
  const { uid } = await insertFile(server, build)
  const download = () => player.fetch(`/api/v1/private/games/${game.uid}/files/${uid}/download`)
  expect((await download()).status).toBe(200)

  const broken = proxy.breakWhen((bytes) => bytes.includes('left join "licenses"'))
  const answer = await download()
  await broken
  expect(await readFailure(answer)).toMatchObject({ status: 503, code: 5031 })
  expect((await download()).status).toBe(200)
})
