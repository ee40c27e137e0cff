import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'

import { runKeys } from '../../../../../src/commands/keys.ts'
import { reencryptSecrets } from '../../../../../src/db/reencrypt.ts'
import { attestations, statementKeys } from '../../../../../src/db/schema/builds.ts'
import { games } from '../../../../../src/db/schema/games/games.ts'
import type { BuildOrigin } from '../../../../../src/domain/builds/publishers.ts'
import type { Statement } from '../../../../../src/domain/builds/statements.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { type DsseEnvelope, keyIdOf, type PublicKey, verifyEnvelope } from '../../../../../src/lib/dsse.ts'
import { createKeyring } from '../../../../../src/lib/keyring.ts'
import { insertBuild } from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { readData, readFailure, readJson } from '../../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { runScanNow, storeFile } from '../../../../helpers/scans.ts'
import { TEST_SECRET_KEY } from '../../../../helpers/server.ts'
import { COMMIT } from '../../../../helpers/sign-in/issuer.ts'
import { useStore } from '../../../../helpers/store.ts'
import { signUpVerified } from '../../../../helpers/uploads/uploads.ts'

const ORIGIN: BuildOrigin = {
  provider: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  repository: 'moss/garden',
  commit: COMMIT,
  ref: 'refs/tags/v1.0.0',
  workflow: 'moss/garden/.github/workflows/release.yml@refs/tags/v1.0.0',
  run_url: 'https://github.com/moss/garden/actions/runs/42',
}

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUpVerified(server)
  game = await insertPublicGame(server, owner)
})

let count = 0

async function scan(own = game, values: Parameters<typeof storeFile>[3] = {}, channel = 'stable') {
  count += 1
  const build = await insertBuild(server, own.uid, { version: `1.0.${count}`, channel })
  const zip = makeZip([{ name: 'game.txt', data: `build ${count} of ${own.uid}` }])
  const file = await storeFile(server, build, zip, values)
  await runScanNow(server, file.uid)
  return { file, build, zip }
}

const pathOf = (fileUid: string, { uid } = game) => `/api/v1/public/games/${uid}/files/${fileUid}/attestation`
const readKeys = async () =>
  (await readJson<{ keys: PublicKey[] }>(await server.fetch('/.well-known/playshelf/keys.json'))).keys

async function readStatement(envelope: DsseEnvelope): Promise<Statement> {
  const verified = await verifyEnvelope(envelope, await readKeys())
  if (!verified) throw new Error('The signature does not fit')
  return JSON.parse(verified.text)
}

describe('a clean file', () => {
  test('has a signed statement about its scan', async () => {
    const { file, build, zip } = await scan()
    expect(await server.deps.db.$count(attestations, eq(attestations.fileUid, file.uid))).toBe(1)
    const answer = await server.fetch(pathOf(file.uid))
    expect(answer.headers.get('content-type')).toBe('application/vnd.dsse.envelope.v1+json')
    expect(await readStatement(await readJson<DsseEnvelope>(answer))).toEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'game.zip', digest: { sha256: sha256Hex(zip) } }],
      predicateType: 'https://playshelf.dev/attestation/scan/v1',
      predicate: {
        engine: 'Checked, no antivirus',
        definitions: null,
        verdict: 'clean',
        time: expect.stringMatching(/Z$/),
        build: build.uid,
        version: build.version,
        os: 'linux',
        arch: 'x86_64',
        app: 'main',
        channel: 'stable',
        uploader: 'website',
      },
    })
  })

  test('of a trusted publisher has SLSA provenance too', async () => {
    const { file } = await scan(game, { source: 'trusted_publisher', origin: ORIGIN })
    const answer = await server.fetch(pathOf(file.uid))
    const { attestations: envelopes } = await readJson<{ attestations: DsseEnvelope[] }>(answer)
    const statements = await Promise.all(envelopes.map(readStatement))
    expect(statements.map(({ predicateType }) => predicateType)).toEqual([
      'https://slsa.dev/provenance/v1',
      'https://playshelf.dev/attestation/scan/v1',
    ])
    expect(statements[0]?.predicate).toMatchObject({
      buildDefinition: {
        externalParameters: { repository: 'moss/garden', ref: 'refs/tags/v1.0.0' },
        resolvedDependencies: [
          { uri: 'git+https://github.com/moss/garden@refs/tags/v1.0.0', digest: { gitCommit: COMMIT } },
        ],
      },
      runDetails: { builder: { id: ORIGIN.issuer }, metadata: { invocationId: ORIGIN.run_url } },
    })
  })

  test('from before statements existed gets one when it is asked for', async () => {
    const { file } = await scan()
    await server.deps.db.delete(attestations).where(eq(attestations.fileUid, file.uid))
    const [first, second] = await Promise.all([
      server.fetch(pathOf(file.uid)),
      server.fetch(pathOf(file.uid)),
    ])
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await server.deps.db.$count(attestations, eq(attestations.fileUid, file.uid))).toBe(1)
  })

  test('is found by its checksum', async () => {
    const { file, zip } = await scan()
    const find = (hash: string) => server.fetch(`/api/v1/public/files/by-checksum/${hash}`)
    expect(await readData<object>(await find(sha256Hex(zip).toUpperCase()))).toMatchObject({
      files: [{ file_uid: file.uid, game_uid: game.uid, vanity_name: game.vanityName }],
    })
    expect(await readData<object>(await find(sha256Hex('other')))).toEqual({ files: [] })
    expect(await readFailure(await find('nonsense'))).toMatchObject({ status: 400, code: 4000 })
  })

  test.each([
    ['of a hidden page', async () => await insertGame(server, owner), 'stable', {}],
    ['of another channel', async () => await insertPublicGame(server, owner), 'beta', {}],
    [
      'of an infected scan',
      async () => await insertPublicGame(server, owner),
      'stable',
      { scan: 'infected' },
    ],
  ] as const)('%s is not told about', async (_, makeGame, channel, values) => {
    const own = await makeGame()
    const { file, zip } = await scan(own, values, channel)
    expect((await server.fetch(pathOf(file.uid, own))).status).toBe(404)
    const found = await server.fetch(`/api/v1/public/files/by-checksum/${sha256Hex(zip)}`)
    expect(await readData<object>(found)).toEqual({ files: [] })
  })

  test('of a page that was taken down is not told about', async () => {
    const own = await insertPublicGame(server, owner)
    const { file, zip } = await scan(own)
    const takenDown = { reason: 'Stolen.', at: new Date().toISOString(), visibility: 'public' }
    await server.deps.db
      .update(games)
      .set({ takenDown: takenDown as never, visibility: 'owner' })
      .where(eq(games.uid, own.uid))
    expect((await server.fetch(pathOf(file.uid, own))).status).toBe(404)
    const found = await server.fetch(`/api/v1/public/files/by-checksum/${sha256Hex(zip)}`)
    expect(await readData<object>(found)).toEqual({ files: [] })
  })
})

test('the file page offers to verify it, with the command', async () => {
  const { file } = await scan()
  const page = await (await server.fetch(`/games/${game.vanityName}/files/${file.uid}`)).text()
  expect(page).toContain(`data-verify="${pathOf(file.uid)}"`)
  expect(page).toContain(`--server ${server.url}`)
})

describe('the keys of statements', () => {
  test('are rotated: the new one signs, old ones stay published, and none is stored in the clear', async () => {
    const { file } = await scan()
    const before = await readKeys()
    const told = await runKeys(server.deps, ['rotate'])
    const [newest] = told.split('\n')
    const { file: later } = await scan()
    const envelope = await readJson<DsseEnvelope>(await server.fetch(pathOf(later.uid)))
    expect(newest).toBe(`${envelope.signatures[0]?.keyid} signs`)
    const keys = await readKeys()
    expect(keys.map(({ kid }) => kid).slice(1)).toEqual(before.map(({ kid }) => kid))
    for (const { x, kid } of keys) expect(await keyIdOf(x)).toBe(kid)
    await readStatement(await readJson<DsseEnvelope>(await server.fetch(pathOf(file.uid))))
    const rows = await server.deps.db.select().from(statementKeys)
    for (const { privateKey } of rows) expect(privateKey).toMatch(/^v1\.[0-9a-f]{8}\./)
    expect(runKeys(server.deps, ['burn'])).rejects.toThrow('list or rotate')
  })

  test('move to a new SECRET_KEY with the other secrets', async () => {
    const rotating = { db: server.deps.db, keyring: createKeyring('n'.repeat(32), TEST_SECRET_KEY) }
    expect(await reencryptSecrets(rotating)).toBeGreaterThan(0)
    const back = { db: server.deps.db, keyring: createKeyring(TEST_SECRET_KEY, 'n'.repeat(32)) }
    expect(await reencryptSecrets(back)).toBeGreaterThan(0)
    const { file } = await scan()
    await readStatement(await readJson<DsseEnvelope>(await server.fetch(pathOf(file.uid))))
  })

  test('do not fit a statement that was changed', async () => {
    const { file } = await scan()
    const envelope = await readJson<DsseEnvelope>(await server.fetch(pathOf(file.uid)))
    const text = Buffer.from(envelope.payload, 'base64').toString().replace('clean', 'cleaN')
    const payload = Buffer.from(text).toString('base64')
    expect(await verifyEnvelope({ ...envelope, payload }, await readKeys())).toBeNull()
  })
})

describe('the commands of the documentation', () => {
  const DOC = join(import.meta.dir, '../../../../../infra/docs/trust.md')

  async function runCommands(fileUid: string, zip: Uint8Array, n: string) {
    const text = await Bun.file(DOC).text()
    const [, commands = ''] = /With `openssl` alone[\s\S]*?```sh\n([\s\S]*?)```/.exec(text) ?? []
    const cwd = await mkdtemp(join(tmpdir(), 'openssl-'))
    try {
      await writeFile(join(cwd, 'game.zip'), zip)
      const child = Bun.spawn(['sh', '-ec', commands], {
        cwd,
        env: {
          PATH: process.env.PATH ?? '',
          STORE: server.url,
          GAME: game.vanityName,
          FILE: fileUid,
          ZIP: 'game.zip',
          N: n,
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const out = await new Response(child.stdout).text()
      return { code: await child.exited, out, err: await new Response(child.stderr).text() }
    } finally {
      await rm(cwd, { recursive: true, force: true })
    }
  }

  test('check both statements of a file with openssl alone', async () => {
    const { file, zip } = await scan(game, { source: 'trusted_publisher', origin: ORIGIN })
    for (const n of ['1', '2']) {
      const { code, out, err } = await runCommands(file.uid, zip, n)
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain('Signature Verified Successfully')
      expect(out).toContain('The statement is about game.zip')
    }
  })

  test('find another file, and a statement that was changed', async () => {
    const { file, zip } = await scan()
    const { code: other, out } = await runCommands(file.uid, new Uint8Array([1, 2, 3]), '1')
    expect(other).not.toBe(0)
    expect(out).not.toContain('The statement is about')
    const [row] = await server.deps.db.select().from(attestations).where(eq(attestations.fileUid, file.uid))
    const envelope = JSON.parse(row?.envelope ?? '{}') as DsseEnvelope
    const payload = Buffer.from(`${atob(envelope.payload)} `).toString('base64')
    await server.deps.db
      .update(attestations)
      .set({ envelope: JSON.stringify({ ...envelope, payload }) })
      .where(eq(attestations.fileUid, file.uid))
    expect((await runCommands(file.uid, zip, '1')).code).not.toBe(0)
  })
})
