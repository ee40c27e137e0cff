import { afterAll, expect, test } from 'bun:test'
import { stripVTControlCharacters } from 'node:util'

import { createLogger } from '../../../src/lib/log.ts'
import { shelfCommand } from '../../helpers/processes/binaries.ts'

/** Sets the title of the window, clears the screen, turns text round, and goes back to the start of the line. */
const HOSTILE = '\u001B]0;owned\u0007\u009B2J\u202Egnp.exe\rok\n$ '
const STEERING = /[^\P{Cc}\n]|\p{Bidi_Control}/u

const BUILD = { os: 'linux', arch: 'x86_64', app: 'main', created_at: '2026-01-01T00:00:00Z', files: [] }
const server = Bun.serve({
  port: 0,
  fetch(request) {
    if (request.headers.get('x-access-token') === 'refused') {
      const error = { code: 4041, message: `No. ${HOSTILE}` }
      return Response.json({ success: false, error }, { status: 400 })
    }
    const items = [{ ...BUILD, version: HOSTILE, channel: HOSTILE, build_id: HOSTILE }]
    return Response.json({ success: true, data: { items, total: 1 } })
  },
})
afterAll(() => server.stop(true))

async function shelf(args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...shelfCommand(), ...args], {
    cwd: '/',
    env: {
      PATH: process.env.PATH,
      SHELF_SERVER: `http://127.0.0.1:${server.port}`,
      SHELF_ACCESS_TOKEN: 'a token of this game',
      SHELF_SECRET_KEY: 'the secret of this game',
      ...env,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out, err }
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
