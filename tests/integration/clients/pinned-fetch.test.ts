import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

import { fetchPinned } from '../../../src/clients/outside/pinned-fetch.ts'

const NAME = 'files.example.org'

let server: Server
let port = 0
let certificate = ''
let folder = ''
const seen: { host: string | undefined; serverName: unknown }[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'playshelf-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await Bun.$`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${key} -out ${cert} -days 2 -subj ${`/CN=${NAME}`} -addext ${`subjectAltName=DNS:${NAME}`}`.quiet()
  certificate = await Bun.file(cert).text()
  server = createServer({ key: await Bun.file(key).text(), cert: certificate }, (request, answer) => {
    seen.push({ host: request.headers.host, serverName: (request.socket as TLSSocket).servername })
    answer.end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const ask = (name: string, addresses: readonly string[]) =>
  fetchPinned(new URL(`https://${name}:${port}/`), addresses, { tls: { ca: certificate } })

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => null,
    (error: { code?: unknown }) => error.code,
  )
}

describe('a connection to an address we chose', () => {
  test('still asks for the name and checks its certificate', async () => {
    const answer = await ask(NAME, ['127.0.0.1'])
    expect(await answer.text()).toBe('here')
    expect(seen).toEqual([{ host: `${NAME}:${port}`, serverName: NAME }])
  })

  test('refuses a certificate of another name', async () => {
    expect(await codeOf(ask('other.example.org', ['127.0.0.1']))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('refuses a certificate nobody vouches for', async () => {
    const url = new URL(`https://${NAME}:${port}/`)
    expect(await codeOf(fetchPinned(url, ['127.0.0.1'], {}))).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  })

  test('goes to the next address where nobody listens', async () => {
    const answer = await ask(NAME, ['127.0.0.2', '::1', '127.0.0.1'])
    expect(await answer.text()).toBe('here')
  })
})
