import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import type { ObjectStore } from '../../../src/clients/objects/object-store.ts'
import { openObjectStore } from '../../../src/clients/objects/open-object-store.ts'
import { parseConfig } from '../../../src/config/config.ts'
import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import {
  apps,
  builds,
  channelMoves,
  channelPointers,
  fileEntries,
  files,
} from '../../../src/db/schema/builds.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { recordPlaces } from '../../../src/features/builds/contents/record.ts'
import { createOriginHeaders } from '../../../src/features/play/origin/server.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { nginxCommand } from '../../helpers/engines/nginx.ts'
import { makeZip, type ZipPart } from '../../helpers/files/zips.ts'
import { readCpuSeconds, readMemory } from '../../helpers/processes/process-stats.ts'
import { compare } from '../compare.ts'
import { type Environment, ROOT, type ServerProcess, startServerProcess } from '../environment.ts'
import { judge, type Line, median, summarise } from '../report/line.ts'
import { startS3 } from '../uploads/upload-run.ts'
import type { Scenario } from './scenario.ts'

/** Each address may load 6,000 files a minute. */
const ADDRESSES = 4096
const DOWNLOADS = 20
const PLAYERS = 200
const RATIOS = { folder: 0.8, s3: 0.6 } as const

/** As on our own answers. */
const HEADERS = {
  ...createOriginHeaders('http://localhost:8080').file(true),
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

export const play: Scenario = {
  name: 'play',
  about: 'a web build of 100 MB out of its zip, against nginx with the same files unpacked and compressed',
  engines: ['nginx', 's3'],
  async run(environment) {
    await using cleanup = new AsyncDisposableStack()
    const home = await mkdtemp(join(tmpdir(), 'playshelf-bench-play-'))
    cleanup.defer(() => rm(home, { recursive: true, force: true }))
    const parts = makeGame()
    const root = join(home, 'unpacked')
    await unpackGame(parts, root)
    const nginx = await startServerProcess({
      command: await nginxCommand(home, root, HEADERS),
      path: '/index.html',
    })
    cleanup.defer(() => nginx.stop())
    const s3 = cleanup.use(await startS3(environment))
    return [
      ...(await measure(environment, 'folder', {}, parts, nginx)),
      ...(await measure(environment, 's3', s3.env, parts, nginx)),
    ]
  },
}

async function measure(
  environment: Environment,
  kind: keyof typeof RATIOS,
  storage: Record<string, string>,
  parts: ReturnType<typeof makeGame>,
  nginx: ServerProcess,
): Promise<Line[]> {
  const env = await environment.settings({ TRUST_PROXY: '1', ...storage })
  const objects = await openObjectStore(parseConfig(env).storage, {
    baseUrl: 'http://localhost',
    linkKeys: { signing: 'unused' },
  })
  const gameUid = await insertGame(await environment.databaseUrl(), objects, parts)
  const ours = await startServerProcess({
    command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
    path: '/health',
    env,
  })
  try {
    const host = `${gameUid}.localhost`
    const headers = { host, 'accept-encoding': 'gzip' }
    const variants = Array.from({ length: SMALL_FILES }, (_, at) => ({ path: `/assets/${at}.json` }))
    const small = await compare(
      { server: ours, request: { url: ours.url, status: 200, addresses: ADDRESSES, headers, variants } },
      { server: nginx, request: { url: nginx.url, status: 200, headers, variants } },
      environment.pace,
    )
    const target = { of: 'ratio', must: 'reach', value: RATIOS[kind] } as const
    const lines = [
      judge({
        scenario: 'play',
        measure: `${kind}, ${SMALL_FILES} small files per CPU second`,
        unit: 'req',
        subject: small.subject.requestsPerCpuSecond,
        baseline: small.baseline.requestsPerCpuSecond,
        ratio: small.ratio,
        target,
        details: small,
      }),
      judge({
        scenario: 'play',
        measure: `${kind}, last byte of a small file, p95`,
        unit: 'ms',
        subject: median(small.subject.rounds.map(({ latencyMs }) => latencyMs.p95)),
        baseline: median(small.baseline.rounds.map(({ latencyMs }) => latencyMs.p95)),
      }),
    ]
    for (const [name, path] of [
      ['60 MB deflated', '/game.wasm'],
      ['35 MB stored', '/game.pck'],
    ] as const) {
      const rounds: { subject: number; baseline: number }[] = []
      for (let round = 0; round < environment.pace.rounds; round += 1) {
        const baseline = await bytesPerCpuSecond(nginx, host, path)
        rounds.push({ baseline, subject: await bytesPerCpuSecond(ours, host, path) })
      }
      lines.push(
        judge({
          scenario: 'play',
          measure: `${kind}, ${name} per CPU second`,
          unit: 'MB',
          subject: median(rounds.map(({ subject }) => subject)) / 1024 ** 2,
          baseline: median(rounds.map(({ baseline }) => baseline)) / 1024 ** 2,
          ratio: median(rounds.map(({ subject, baseline }) => subject / baseline)),
          target,
        }),
      )
    }
    return [...lines, ...(await measurePlayers(ours, host, kind))]
  } finally {
    await ours.stop()
    await objects.dispose()
  }
}

async function bytesPerCpuSecond(server: ServerProcess, host: string, path: string): Promise<number> {
  const before = await readCpuSeconds(server.pid)
  let bytes = 0
  for (let count = 0; count < DOWNLOADS; count += 1) bytes += (await download(server, host, path)).bytes
  return bytes / ((await readCpuSeconds(server.pid)) - before)
}

/** All of them load everything at once. */
async function measurePlayers(server: ServerProcess, host: string, kind: string): Promise<Line[]> {
  const firsts: number[] = []
  const loadAll = async (player: number) => {
    const address = `10.9.${player >> 8}.${player & 255}`
    const paths = [
      '/index.html',
      ...Array.from({ length: 20 }, (_, at) => `/assets/${(player + at) % SMALL_FILES}.json`),
    ]
    for (const path of paths) firsts.push((await download(server, host, path, address)).firstByteMs)
    await download(server, host, '/game.wasm', address)
  }
  await Promise.all(Array.from({ length: PLAYERS }, (_, player) => loadAll(player)))
  const calm: number[] = []
  for (let at = 0; at < SMALL_FILES; at += 1)
    calm.push((await download(server, host, `/assets/${at}.json`, '10.8.0.1')).firstByteMs)
  return [
    judge({
      scenario: 'play',
      measure: `${kind}, peak RSS with ${PLAYERS} players at once`,
      unit: 'MB',
      subject: await readMemory(server.pid, 'VmHWM'),
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: 250 },
      details: { firstByteOfAllPlayersMs: summarise(firsts) },
    }),
    judge({
      scenario: 'play',
      measure: `${kind}, first byte, warm, p95`,
      unit: 'ms',
      subject: summarise(calm).p95,
      baseline: null,
      target: { of: 'subject', must: 'stay below', value: 20 },
    }),
  ]
}

interface Downloaded {
  bytes: number
  firstByteMs: number
}

/** Reads and drops the bytes, which costs less than any HTTP client. */
async function download(
  { url }: ServerProcess,
  host: string,
  path: string,
  address = `10.7.${Math.floor(Math.random() * 256)}.1`,
): Promise<Downloaded> {
  const started = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<Downloaded>()
  let bytes = 0
  let firstByteMs = 0
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\nX-Forwarded-For: ${address}\r\nConnection: close\r\n\r\n`,
    ),
  )
  socket.on('data', (piece) => {
    firstByteMs ||= performance.now() - started
    bytes += piece.length
  })
  socket.on('close', () => resolve({ bytes, firstByteMs })).on('error', reject)
  return await promise
}

const SMALL_FILES = 200
const SMALL_BYTES = 24 * 1024
const LARGE_BYTES = 60 * 1024 ** 2
const STORED_BYTES = 35 * 1024 ** 2

/** About 100 MB: many small files, a large one that is deflated and one that is stored. */
function makeGame(): (ZipPart & { name: string; data: Uint8Array })[] {
  return [
    { name: 'index.html', data: Buffer.from('<!doctype html><title>Game</title>'.repeat(50)) },
    ...Array.from({ length: SMALL_FILES }, (_, at) => ({
      name: `assets/${at}.json`,
      data: halfRandom(SMALL_BYTES),
    })),
    { name: 'game.wasm', data: halfRandom(LARGE_BYTES) },
    { name: 'game.pck', data: halfRandom(STORED_BYTES), method: 0 },
  ]
}

/** Deflates to about half. */
function halfRandom(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 32_768)))
  return bytes
}

/** The same files unpacked, each with its compressed copy. */
async function unpackGame(parts: ReturnType<typeof makeGame>, root: string): Promise<void> {
  for (const { name, data } of parts) {
    const path = join(root, name)
    await mkdir(dirname(path), { recursive: true })
    await Bun.write(path, data)
    if (!name.endsWith('.pck')) await Bun.write(`${path}.gz`, Bun.gzipSync(Buffer.from(data)))
  }
}

/** A free public game whose stable build is this one. Returns its uid. */
async function insertGame(
  databaseUrl: string,
  objects: ObjectStore,
  parts: ReturnType<typeof makeGame>,
): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  const [ownerUid, gameUid, appUid] = [createUid(), createUid(), createUid()]
  const [buildUid, fileUid, moveUid] = [createUid(), createUid(), createUid()]
  const username = ownerUid.slice(-12)
  const slot = { gameUid, appUid, channel: 'stable', os: 'web', arch: 'wasm32' } as const
  const zip = makeZip(parts)
  const objectKey = `builds/${gameUid}/${fileUid}.zip`
  await objects.put(objectKey, zip)
  try {
    await database.db.transaction(async (tx) => {
      await tx
        .insert(users)
        .values({ id: ownerUid, name: 'Bench', email: `${username}@bench.example`, username })
      const listing = { uid: gameUid, ownerUid, name: 'Lighthouse', vanityName: `lighthouse-${username}` }
      await tx.insert(games).values({ ...listing, assetType: 'game', visibility: 'public' })
      await tx.insert(apps).values({ uid: appUid, gameUid, slug: 'main', name: 'Lighthouse' })
      await tx.insert(builds).values({ uid: buildUid, ...slot, version: '1.0.0', buildType: 'game' })
      const file = { uid: fileUid, gameUid, buildUid, filename: 'game.zip', size: zip.length, objectKey }
      const state = { scan: 'clean', source: 'website', entryPage: 'index.html' } as const
      await tx.insert(files).values({ ...file, ...state, checksum: sha256Hex(zip) })
      await tx.insert(fileEntries).values(
        parts.map(({ name, data }) => ({
          fileUid,
          path: name,
          size: data.length,
          sha256: sha256Hex(data),
        })),
      )
      const move = { uid: moveUid, kind: 'upload', toVersion: '1.0.0', movedBy: 'Playshelf' } as const
      await tx.insert(channelMoves).values({ ...slot, ...move, toBuildUid: buildUid })
      await tx.insert(channelPointers).values({ ...slot, buildUid, moveUid })
    })
    await recordPlaces({ db: database.db, objects }, fileUid, new AbortController().signal)
    return gameUid
  } finally {
    await database.dispose()
  }
}
