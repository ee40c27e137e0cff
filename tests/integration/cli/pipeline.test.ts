import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { parse } from 'yaml'

import { runKeys } from '../../../src/commands/keys.ts'
import { statementKeys } from '../../../src/db/schema/builds.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import type { Person } from '../../helpers/people.ts'
import { shelfCommand } from '../../helpers/processes/binaries.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { addPublisher, COMMIT, type Issuer, jobToken, startIssuer } from '../../helpers/sign-in/issuer.ts'
import { signUpVerified } from '../../helpers/uploads/uploads.ts'

const REQUEST_TOKEN = 'request-token-of-the-job'

let server: TestServer
let issuer: Issuer
let owner: Person
let game: GameRow
let home: string
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({ TRUST_PROXY: '1', TRUSTED_ISSUERS: issuer.url, ROLE: 'all' })
  owner = await signUpVerified(server)
  await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  game = await insertPublicGame(server, owner)
  await addPublisher(owner, game.uid, issuer, { workflow: 'release.yml', ref: 'refs/heads/main' })
  home = await mkdtemp(join(tmpdir(), 'shelf-job-'))
  await mkdir(join(home, 'dist'))
  await writeFile(join(home, 'dist/game.txt'), `a game of ${game.uid}`)
})
afterAll(async () => {
  await server.stop()
  await issuer.stop()
  await rm(home, { recursive: true, force: true })
})

/** GitHub's own service in the job: issues a token for the audience that is asked for. */
function startActions() {
  const asked: { audience: string | null; authorization: string | null }[] = []
  const actions = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const audience = new URL(request.url).searchParams.get('audience')
      asked.push({ audience, authorization: request.headers.get('authorization') })
      return Response.json({ count: 1, value: await jobToken(issuer, { url: audience ?? '' }) })
    },
  })
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${actions.port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
  }
  return { asked, env, stop: () => actions.stop(true) }
}

async function shelf(args: string[], env: Record<string, string> = {}, cwd = home) {
  const child = Bun.spawn([...shelfCommand(), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

const push = (version: string, env: Record<string, string>, ...more: string[]) =>
  shelf(
    [
      'push',
      'dist',
      '--server',
      server.url,
      '--game',
      game.vanityName,
      '--os',
      'linux',
      '--arch',
      'x86_64',
      '--version',
      version,
      '--channel',
      'stable',
      '--wait',
      '--json',
      ...more,
    ],
    env,
  )

describe('a job of GitHub Actions', () => {
  test('pushes a build without a secret, and the file page names repository and commit', async () => {
    const actions = startActions()
    const { code, out, err } = await push('1.0.0', actions.env)
    await actions.stop()
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(actions.asked).toEqual([{ audience: server.url, authorization: `Bearer ${REQUEST_TOKEN}` }])
    expect(out + err).not.toContain(REQUEST_TOKEN)
    const { builds } = JSON.parse(out) as { builds: { file_uid: string }[] }
    const page = await server.fetch(`/games/${game.vanityName}/files/${builds[0]?.file_uid}`)
    const text = (await page.text()).replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')
    expect(text).toContain(`Built by moss/garden at ${COMMIT.slice(0, 7)} in ${new URL(issuer.url).host}`)
  })

  test('that is not trusted is told why, with exit code 3', async () => {
    const other = await insertPublicGame(server, owner)
    const actions = startActions()
    const { code, out } = await push('1.0.0', actions.env, '--game', other.vanityName)
    await actions.stop()
    expect(code).toBe(3)
    expect(JSON.parse(out)).toMatchObject({ error: { code: 4108 } })
  })

  test('without the permission is told what it needs', async () => {
    const actions = startActions()
    await actions.stop()
    const { code, out } = await push('1.0.0', actions.env)
    expect(code).toBe(3)
    expect(out).toContain('id-token: write')
  })
})

test('a job of GitLab sends the token that it was given', async () => {
  const token = await jobToken(issuer, server)
  const { code, out, err } = await push('1.1.0', { SHELF_ID_TOKEN: token })
  expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
  expect(out + err).not.toContain(token)
})

test.each([
  ['github', '.github/workflows/shelf.yml'],
  ['gitlab', '.gitlab-ci.yml'],
])('init --ci %s writes %s, and overwrites nothing', async (provider, path) => {
  const args = ['init', '--ci', provider, '--server', server.url]
  expect((await shelf(args)).code).toBe(0)
  const content = await readFile(join(home, path), 'utf8')
  expect(parse(content)).toMatchObject(
    provider === 'github'
      ? { permissions: { 'id-token': 'write' }, jobs: { push: {} } }
      : { push: { id_tokens: { SHELF_ID_TOKEN: { aud: server.url } } } },
  )
  expect(content).toContain(`${server.url}/install.sh`)
  expect((await shelf(args)).code).toBe(2)
  expect((await shelf([...args, '--force'])).code).toBe(0)
})

test('init --ci writes shelf.json too where the command line describes the build', async () => {
  const cwd = join(home, 'described')
  await mkdir(cwd)
  const args = ['init', '--ci', 'github', '--server', server.url, '--json']
  const build = ['--game', 'moss', '--os', 'windows', '--arch', 'arm64', '--path', 'out', '--channel', 'beta']
  const made = await shelf([...args, ...build], {}, cwd)
  expect(made.code).toBe(0)
  const content = {
    server: server.url,
    game: 'moss',
    channel: 'beta',
    builds: [{ name: 'windows', os: 'windows', arch: 'arm64', path: 'out' }],
  }
  expect(await Bun.file(join(cwd, 'shelf.json')).json()).toMatchObject(content)
  expect(JSON.parse(made.out)).toMatchObject({
    path: expect.stringContaining('shelf.yml'),
    shelf_json: { content },
  })
  await rm(join(cwd, '.github'), { recursive: true })
  // Neither file is written where one would be overwritten.
  const refused = await shelf([...args, '--channel', 'dev'], {}, cwd)
  expect([refused.code, refused.out]).toEqual([2, expect.stringContaining('shelf.json exists already')])
  expect(await Bun.file(join(cwd, '.github/workflows/shelf.yml')).exists()).toBe(false)
  expect((await shelf(args, {}, cwd)).code).toBe(0)
})

describe('verify without a file', () => {
  let zip: string
  beforeAll(async () => {
    zip = join(home, 'mine.zip')
    const { items } = await (
      await owner.fetch(`/api/v1/private/games/${game.uid}/builds`)
    )
      .json()
      .then((answer) => (answer as { data: { items: { files: { file_uid: string }[] }[] } }).data)
    const fileUid = items.at(-1)?.files[0]?.file_uid ?? ''
    const object = await server.deps.objects.get(`builds/${game.uid}/${fileUid}.zip`)
    await writeFile(zip, new Uint8Array(await new Response(object.stream).arrayBuffer()))
  })
  const verify = (path = zip) => shelf(['verify', path, '--server', server.url])

  test('tells who built it from what', async () => {
    const { code, out, err } = await verify()
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`Built by moss/garden at ${COMMIT}`)
  })

  test('of other bytes ends with 8', async () => {
    const other = join(home, 'other.zip')
    const bytes = Buffer.from(await readFile(zip))
    await writeFile(other, Buffer.concat([bytes, Buffer.from('x')]))
    expect((await verify(other)).code).toBe(8)
  })

  test('takes over a new key beside the old one, and refuses one that replaced it, with both ids', async () => {
    expect((await verify()).code).toBe(0)
    await runKeys(server.deps, ['rotate'])
    expect((await verify()).code).toBe(0)
    const remembered = (await runKeys(server.deps, ['list'])).slice(0, 64)
    await server.deps.db.delete(statementKeys)
    await runKeys(server.deps, ['rotate'])
    const published = (await runKeys(server.deps, ['list'])).slice(0, 64)
    const { code, err } = await verify()
    expect(code).toBe(8)
    expect(err).toContain(remembered)
    expect(err).toContain(published)
  })
})
