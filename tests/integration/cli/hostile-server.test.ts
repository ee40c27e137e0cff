import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { createLogger } from '../../../src/lib/log.ts'
import { shelfCommand } from '../../helpers/processes/binaries.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

/** Sets the title of the window, clears the screen, turns text round, and goes back to the start of the line. */
const HOSTILE = '\u001B]0;owned\u0007\u009B2J\u202Egnp.exe\rok\n$ '
const STEERING = /[^\P{Cc}\n]|\p{Bidi_Control}/u

const BUILD = { os: 'linux', arch: 'x86_64', app: 'main', created_at: '2026-01-01T00:00:00Z', files: [] }
/** Everything that was sent here. */
let received = ''
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    received += JSON.stringify([...request.headers]) + (await request.text())
    if (request.headers.get('x-access-token') === 'refused') {
      const error = { code: 4041, message: `No. ${HOSTILE}` }
      return Response.json({ success: false, error }, { status: 400 })
    }
    const items = [{ ...BUILD, version: HOSTILE, channel: HOSTILE, build_id: HOSTILE }]
    return Response.json({ success: true, data: { items, total: 1 } })
  },
})
const url = `http://127.0.0.1:${server.port}`
const dir = await createTempDir('hostile')
afterAll(async () => {
  await server.stop(true)
  await dir.remove()
})

async function shelf(args: readonly string[], env: Record<string, string> = {}, cwd = '/') {
  const child = Bun.spawn([...shelfCommand(), ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: dir.path,
      SHELF_SERVER: url,
      SHELF_ACCESS_TOKEN: 'a token of this game',
      SHELF_SECRET_KEY: 'the secret of this game',
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

test('a table shows what a server calls its builds without letting it steer the terminal', async () => {
  const { out } = await shelf(['builds'])
  expect(out).toContain('owned')
  expect(out).not.toMatch(STEERING)
  expect(out.trimEnd().split('\n')).toHaveLength(2)
})

test('so does the message of a refusal', async () => {
  const { err } = await shelf(['builds', '--no-color'], { SHELF_ACCESS_TOKEN: 'refused' })
  expect(err).toContain('owned')
  expect(err).not.toMatch(STEERING)
})

test('programs get the exact text, in escapes', async () => {
  const { out } = await shelf(['builds', '--json'])
  expect(out).not.toMatch(STEERING)
  expect(JSON.parse(out)).toMatchObject({ builds: [{ version: HOSTILE }] })
})

test('the readable log does not pass it on either', () => {
  let line = ''
  createLogger({ level: 'info', pretty: true, write: (text) => (line = text) }).info(HOSTILE, {
    name: HOSTILE,
  })
  expect(line).toContain('\\u001b]0;owned')
  // Its own colours are the only sequences.
  expect(stripVTControlCharacters(line)).not.toMatch(STEERING)
  expect(line.trimEnd()).not.toContain('\n')
})

describe('keys of the environment', () => {
  const folder = join(dir.path, 'project')
  const idToken = (aud: unknown) =>
    ['{}', JSON.stringify({ aud }), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.')
  /** In a folder whose shelf.json names this server. */
  async function builds(env: Record<string, string>, ...args: string[]) {
    const build = { os: 'linux', arch: 'x86_64', path: 'dist' }
    await Bun.write(
      join(folder, 'shelf.json'),
      JSON.stringify({ server: url, game: 'moss-garden', builds: [build] }),
    )
    received = ''
    return await shelf(['builds', ...args], { SHELF_SERVER: '', ...env }, folder)
  }

  test('do not follow the server of a shelf.json', async () => {
    const { code, err } = await builds({})
    expect([code, err]).toEqual([3, expect.stringContaining(`SHELF_SERVER=${url}`)])
    expect(received).toBe('')
  })

  test('are for SHELF_SERVER alone, whatever --server says', async () => {
    const { code, err } = await builds({ SHELF_SERVER: 'https://store.example' }, '--server', url)
    expect([code, err]).toEqual([3, expect.stringContaining('https://store.example')])
    expect(received).toBe('')
  })

  test('go where the command line says, if the environment names no server', async () => {
    await builds({}, '--server', `${url}/`)
    expect(received).toContain('the secret of this game')
  })

  const noKey = { SHELF_ACCESS_TOKEN: '', SHELF_SECRET_KEY: '' }
  test('the token of a pipeline goes to its own audience alone', async () => {
    const foreign = idToken('https://store.example')
    const { code, err } = await builds({ ...noKey, SHELF_ID_TOKEN: foreign })
    expect([code, err]).toEqual([3, expect.stringContaining('https://store.example')])
    expect((await builds({ ...noKey, SHELF_ID_TOKEN: 'no-token-at-all' })).code).toBe(3)
    expect(received).toBe('')
    for (const own of [idToken(url), idToken(['https://store.example', `${url}/`])]) {
      await builds({ ...noKey, SHELF_ID_TOKEN: own })
      expect(received).toContain(own)
    }
    await builds({ ...noKey, SHELF_ID_TOKEN: foreign, SHELF_SERVER: url })
    expect(received).toContain(foreign)
  })
})
