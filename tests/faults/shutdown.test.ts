import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'

import { createTestDatabase, type TestDatabase } from '../helpers/database.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { TEST_SECRET_KEY } from '../helpers/server.ts'
import { waitFor } from '../helpers/wait.ts'

let database: TestDatabase
let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  database = await createTestDatabase()
  dir = await createTempDir('shutdown')
})
afterAll(async () => {
  await database.drop()
  await dir.remove()
})

interface Tally {
  answered: number
  /** Connections that were no longer taken: what a load balancer would have sent elsewhere. */
  refused: number
  broken: string[]
}

/** A server that stops waits longer than this for the first request of a connection. */
const LATE_MS = 50

/** Sends one request after the other on a connection that stays open, as a proxy does, until the server is gone. */
async function keepAsking(port: number, request: string, tally: Tally): Promise<void> {
  for (;;) {
    const began = performance.now()
    const socket = await open(port)
    if (!socket) {
      tally.refused += 1
      return
    }
    // On a busy machine this client may be told late that it is connected.
    let isLate = performance.now() - began > LATE_MS
    for (;;) {
      const answer = await ask(socket, request)
      if (answer === null) {
        if (isLate) tally.refused += 1
        else tally.broken.push(request.split('\r\n', 1)[0] ?? '')
        return
      }
      isLate = false
      tally.answered += 1
      if (/^connection: close/im.test(answer)) break
    }
    socket.destroy()
  }
}

function open(port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(null))
  })
}

/** The whole answer, or null when the connection ended before it was there. */
function ask(socket: Socket, request: string): Promise<string | null> {
  return new Promise((resolve) => {
    let text = ''
    const finish = (answer: string | null) => {
      socket.removeAllListeners()
      socket.on('error', () => socket.destroy())
      resolve(answer)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const [head, body] = text.split('\r\n\r\n', 2)
      const length = Number(/^content-length: (\d+)/im.exec(head ?? '')?.[1] ?? Number.NaN)
      if (body !== undefined && body.length >= length) finish(text)
    })
    socket.on('close', () => finish(null))
    socket.on('error', () => finish(null))
    socket.write(request)
  })
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Takes tens of milliseconds: the password is really hashed. */
function signIn(worker: number): string {
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'a wrong password' })
  return [
    'POST /api/auth/sign-in/email HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `X-Forwarded-For: 10.0.0.${worker}`,
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

function start(env: Record<string, string> = {}): Promise<ChildServer> {
  return startChild({
    env: {
      DATABASE_URL: database.url,
      DATA_DIR: dir.path,
      SECRET_KEY: TEST_SECRET_KEY,
      TRUST_PROXY: '1',
      LOG_LEVEL: 'info',
      ...env,
    },
  })
}

describe('SIGTERM', () => {
  test('under load lets every request in flight have its answer, and ends with 0', async () => {
    // Even a client that a busy machine holds up reads within this second that its connection ends.
    const server = await start({ STOP_DELAY: '1' })
    const tally: Tally = { answered: 0, refused: 0, broken: [] }
    const clients = [
      ...Array.from({ length: 12 }, () => keepAsking(server.port, get('/health'), tally)),
      ...Array.from({ length: 4 }, () => keepAsking(server.port, get('/ready'), tally)),
      ...Array.from({ length: 8 }, (_, worker) => keepAsking(server.port, signIn(worker), tally)),
    ]
    await Bun.sleep(1000)
    await waitFor('many answers', () => tally.answered > 100)
    server.kill('SIGTERM')
    await Promise.all(clients)
    expect(await server.exited).toBe(0)
    expect(tally.broken).toEqual([])
    expect(tally.refused).toBe(24)
  })

  test('turns readiness off before the door closes', async () => {
    const server = await start({ STOP_DELAY: '3' })
    const socket = await open(server.port)
    if (!socket) throw new Error('The server does not listen')
    server.kill('SIGTERM')
    const answer = await waitFor('readiness is off', async () => {
      const said = await ask(socket, get('/ready'))
      if (said === null) throw new Error('The door closed first')
      return said.includes('HTTP/1.1 503') && said
    })
    expect(answer).toContain('This process is stopping.')
    expect(await server.exited).toBe(0)
  })
})
