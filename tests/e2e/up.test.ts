import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { readData } from '../helpers/json.ts'
import { startOf } from '../helpers/processes/binaries.ts'
import { type ChildServer, createTempDir, startChild } from '../helpers/processes/child.ts'
import { readCpuSeconds } from '../helpers/processes/process-stats.ts'
import { waitFor, waitWhileProgressing } from '../helpers/wait.ts'

/** Loading the demo takes twenty seconds of a core, which a busy machine gives in many minutes. */
const LOAD_MS = 15 * 60_000
const MAIN = join(import.meta.dir, '../../src/main.ts')

let dir: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  dir = await createTempDir('up')
})
afterAll(() => dir.remove())

const settings = () => ({ DATA_DIR: join(dir.path, 'data') })

/** From its sources, as somebody who takes a first look does. */
function upFromSources(): Promise<ChildServer> {
  return startChild({ command: ['bun', MAIN, 'up'], env: settings() })
}

function up(): Promise<ChildServer> {
  return startChild({ args: ['up'], env: settings() })
}

async function command(
  args: readonly string[],
  env: Record<string, string> = settings(),
): Promise<{ out: string; code: number }> {
  const program = startOf(args, env)
  const child = Bun.spawn(program.command, {
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...program.env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { out: out + err, code }
}

async function signIn(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: 'player@demo.example', password: 'playshelf-demo' }),
  })
  return answer.status
}

/** On a busy machine a service may be too late for one look at it. */
async function untilReady(url: string): Promise<void> {
  await waitFor('all services answer', async () => (await fetch(`${url}/ready`)).status === 200)
}

async function countFound(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/public/search`)
  return (await readData<{ total: number }>(answer)).total
}

describe('up', () => {
  let server: ChildServer

  test(
    'starts on nothing, with demo accounts that work and a catalog to look at',
    async () => {
      server = await upFromSources()
      const isGreeted = () => server.output().includes('Stop it with Ctrl-C')
      const readWork = () => readCpuSeconds(server.pid)
      await waitWhileProgressing('the demo sign-ins are printed', isGreeted, readWork, 60_000)
      expect(server.url).toStartWith('http://localhost:')
      expect(server.output()).toContain(`Playshelf runs at ${server.url}`)
      const other = await fetch(server.url.replace('localhost', '127.0.0.1'), {
        headers: { accept: 'text/html' },
        redirect: 'manual',
      })
      expect([other.status, other.headers.get('location')]).toEqual([307, `${server.url}/`])
      expect(server.output()).toContain('player@demo.example')
      await untilReady(server.url)
      expect(await signIn(server.url)).toBe(200)
      expect((await fetch(`${server.url}/api/v1/public/games/the-last-ferry`)).status).toBe(200)
      await waitFor('the demo can be searched', async () => (await countFound(server.url)) > 50)
    },
    LOAD_MS,
  )

  test('keeps its secrets to its owner', async () => {
    for (const name of ['secret-key', 'postgres/password']) {
      expect((await stat(join(dir.path, 'data', name))).mode & 0o077).toBe(0)
    }
  })

  test('lets other commands join while it runs, but no second server', async () => {
    expect(await command(['doctor'])).toMatchObject({ code: 0 })
    expect(await command(['demo'])).toMatchObject({ code: 0 })
    await untilReady(server.url)
    const second = await command(['serve'])
    expect(second.code).toBe(1)
    expect(second.out).toContain('already running')
    await untilReady(server.url)
  })

  test('stops cleanly on Ctrl-C and takes its Postgres along', async () => {
    server.kill('SIGINT')
    expect(await server.exited).toBe(0)
    const pidFile = join(dir.path, 'data/postgres/data/postmaster.pid')
    expect(await Bun.file(pidFile).exists()).toBe(false)
  })

  test('starts again on its data, also after it was killed', async () => {
    server = await up()
    expect(await signIn(server.url)).toBe(200)
    const before = await readFile(join(dir.path, 'data/secret-key'), 'utf8')
    server.kill('SIGKILL')
    await server.exited

    server = await up()
    expect(await signIn(server.url)).toBe(200)
    expect(await readFile(join(dir.path, 'data/secret-key'), 'utf8')).toBe(before)
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect(await Bun.file(join(dir.path, 'data/postgres/data/postmaster.pid')).exists()).toBe(false)
  })
})

test('a bad configuration stops the start and names every fault', async () => {
  const { out, code } = await command(['serve'], { PORT: 'x', ROLE: 'queen' })
  expect(code).toBe(1)
  expect(out).toContain('PORT is not a whole number')
  expect(out).toContain('ROLE is not one of')
})

test('a taken port is told at once', async () => {
  const taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { out, code } = await command(['serve'], {
    PORT: String(taken.port),
    DATA_DIR: join(dir.path, 'never'),
  })
  expect(code).toBe(1)
  expect(out).toContain(`Port ${taken.port}`)
  await taken.stop()
})
