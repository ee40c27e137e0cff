import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import type { Provenance } from '../../../src/features/builds/scans/model.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { type DeployPair, type FileRow, insertBuild, issueDeployKey } from '../../helpers/builds.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { areArchiversInstalled, type Contents } from '../../helpers/engines/archivers.ts'
import { FOREIGN_ZIPS, type ForeignZip } from '../../helpers/files/foreign-zips.ts'
import { randomBytes } from '../../helpers/files/packed-zip.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { visit } from '../../helpers/play.ts'
import { waitForScan } from '../../helpers/scans.ts'
import { useStore } from '../../helpers/store.ts'
import { fileForm, postFile, type UploadedFile } from '../../helpers/uploads/uploads.ts'

const DOCS = join(import.meta.dir, '../../../infra/docs/builds.md')
const STEPS = ['Uploaded', 'Scanned', 'Listed', 'Played', 'Installed', 'Updated', 'Verified'] as const
type Step = (typeof STEPS)[number]
/** So many programs run at a time. */
const AT_ONCE = 3
const TIMEOUT_MS = 3 * 60_000
/** Thrown for a zip that is refused as it should be. */
const REFUSED = new Error('refused')
const isMissing = !areArchiversInstalled() && process.env.REQUIRE_ENGINES !== '1'

const NAMED = 'data/für 文字.txt'
const FIRST: Contents = {
  'index.html': Buffer.from('<!doctype html><title>First</title>'),
  'one.txt': Buffer.from('x'),
  'empty.txt': Buffer.alloc(0),
  [NAMED]: Buffer.from('hello '.repeat(4)),
  'data/zeros.bin': Buffer.alloc(200_000),
  'data/noise.bin': randomBytes(50_000),
}
const SECOND: Contents = {
  ...FIRST,
  'index.html': Buffer.from('<!doctype html><title>Second</title>'),
  'one.txt': Buffer.from('yy'),
  'data/new.txt': Buffer.alloc(63, 'new '),
}

/** One game for each tool, and how far its zips came. */
interface Row {
  foreign: ForeignZip
  game: GameRow
  key: DeployPair
  folder: string
  cells: Map<Step, string>
}

describe.skipIf(isMissing)('zips that others packed', () => {
  const server = useStore({ ROLE: 'all' })
  let player: PlayerMachine
  let rows: Row[]
  beforeAll(async () => {
    player = await createPlayerMachine(server.url)
    const owner = await signUp(server)
    rows = await Promise.all(
      FOREIGN_ZIPS.map(async (foreign, index) => {
        const game = await insertPublicGame(server, owner, { anonymousDownloads: true })
        const key = await issueDeployKey(server, game.uid)
        return { foreign, game, key, folder: join(player.home, `game-${index}`), cells: new Map() }
      }),
    )
  })
  afterAll(async () => {
    await player.remove()
  })

  /** Notes what a step came to; later steps of a row that stopped are left out. */
  async function take(step: Step, work: (row: Row) => Promise<void>): Promise<void> {
    const pending = rows.filter(({ cells }) => [...cells.values()].every((cell) => cell === 'yes'))
    const worker = async () => {
      for (let row = pending.shift(); row; row = pending.shift()) {
        const { cells } = row
        await work(row).then(
          () => cells.set(step, 'yes'),
          (error: unknown) => cells.set(step, error === REFUSED ? 'refused' : String(error)),
        )
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  async function upload({ foreign, game, key }: Row, version: string, contents: Contents): Promise<string> {
    const zip = await foreign.pack(contents)
    const build = await insertBuild(server, game.uid, { version, os: 'web', arch: 'wasm32' })
    const answer = await postFile(server, key, fileForm(build, zip))
    expect(answer.status).toBe(201)
    return (await readData<UploadedFile>(answer)).file_uid
  }

  function expectClean({ foreign }: Row, { scan, scanDetail }: FileRow): void {
    if (foreign.refusal && scan === 'error') {
      expect(scanDetail).toMatch(foreign.refusal)
      throw REFUSED
    }
    expect([scan, scanDetail]).toEqual(['clean', null])
  }

  async function expectPlayed({ foreign, game }: Row, contents: Contents): Promise<void> {
    for (const [path, data] of [
      ['/', contents['index.html']] as const,
      [`/${NAMED}`, contents[NAMED]] as const,
    ]) {
      const plain = await visit(server, game.uid, encodeURI(path))
      expect([foreign.tool, path, await plain.text()]).toEqual([foreign.tool, path, String(data)])
      const framed = await visit(server, game.uid, encodeURI(path), { 'accept-encoding': 'gzip' })
      const bytes = Buffer.from(await framed.arrayBuffer())
      expect(framed.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes).toEqual(
        Buffer.from(data ?? []),
      )
    }
  }

  const unpackedOf = ({ foreign }: Row, contents: Contents) => foreign.unpacked?.(contents) ?? contents

  test(
    'are uploaded, scanned, listed, played, installed, updated and verified, or refused with what to do',
    async () => {
      const uploaded = new Map<Row, string>()
      await take('Uploaded', async (row) => void uploaded.set(row, await upload(row, '1.0.0', FIRST)))
      await take('Scanned', async (row) =>
        expectClean(row, await waitForScan(server, uploaded.get(row) ?? '')),
      )
      await take('Listed', async (row) => {
        const path = `/api/v1/public/games/${row.game.uid}/files/${uploaded.get(row)}/provenance?page_size=100`
        const { entries } = await readData<Provenance>(await server.fetch(path))
        const expected = Object.entries(unpackedOf(row, FIRST)).map(([name, data]) => [name, sha256Hex(data)])
        const listed = entries.map(({ path: name, sha256 }) => [name, sha256])
        expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected))
      })
      await take('Played', (row) => expectPlayed(row, FIRST))
      await take('Installed', async (row) => {
        const target = ['--into', row.folder, '--os', 'web', '--arch', 'wasm32', '--json']
        requireDone(await player.shelf(['get', row.game.uid, ...target]))
        expect(await player.read(row.folder)).toEqual(buffersOf(unpackedOf(row, FIRST)))
      })
      await take('Updated', async (row) => {
        expectClean(row, await waitForScan(server, await upload(row, '1.1.0', SECOND)))
        await expectPlayed(row, SECOND)
      })
      // One command for all of them.
      await player.shelf(['update', '--json'])
      await take('Updated', async (row) => {
        expect(await player.read(row.folder)).toEqual(buffersOf(unpackedOf(row, SECOND)))
      })
      await take('Verified', async (row) => {
        requireDone(await player.shelf(['verify', row.folder, '--json']))
      })
      expect(tableOf(rows)).toEqual(await readTable())
    },
    TIMEOUT_MS,
  )
})

function buffersOf(contents: Contents): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(contents).map(([name, data]) => [name, Buffer.from(data)]))
}

function tableOf(rows: readonly Row[]): string[][] {
  const lines = rows.map(({ foreign, cells }) => [
    foreign.tool,
    ...STEPS.map((step) => cells.get(step) ?? '–'),
  ])
  return [['Packed by', ...STEPS], ...lines]
}

/** The table of the docs, without the line under its head. */
async function readTable(): Promise<string[][]> {
  const lines = (await readFile(DOCS, 'utf8')).split('\n')
  const table = lines.slice(lines.findIndex((line) => line.startsWith('| Packed by')))
  const end = table.findIndex((line) => !line.startsWith('|'))
  const cells = table.slice(0, end).map((line) => line.split('|').slice(1, -1))
  return cells.filter((_, index) => index !== 1).map((row) => row.map((cell) => cell.trim()))
}
