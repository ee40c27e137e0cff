import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'

import { makeZip, type ZipPart } from '../../helpers/files/zips.ts'
import { judge, median } from '../report/line.ts'
import type { ScanFigures } from '../scans-child.ts'
import type { Scenario } from './scenario.ts'

const MB = 1024 ** 2
const CHILD = join(import.meta.dir, '../scans-child.ts')
const SMALL_FILES = 5000
const ROUNDS = 3

/**
 * Uses the built-in scanner, so that clamd is not measured: only reading, unpacking, hashing and scanning.
 */
export const scans: Scenario = {
  name: 'scans',
  about: `a zip of 1 GB, half stored and half packed, with ${SMALL_FILES} small files, scanned by the built-in scanner`,
  async run() {
    const dir = await mkdtemp(join(tmpdir(), 'scans-bench-'))
    try {
      const key = 'builds/game.zip'
      await Bun.write(join(dir, key), makeMixedZip())
      const rounds: ScanFigures[] = []
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await scanInChild(dir, key))
      return [
        judge({
          scenario: 'scans',
          measure: 'zip bytes per CPU second',
          unit: 'MB/s',
          subject: median(rounds.map(({ packedMb, cpuSeconds }) => packedMb / cpuSeconds)),
          baseline: null,
          target: { of: 'subject', must: 'reach', value: 150 },
          details: { rounds },
        }),
        judge({
          scenario: 'scans',
          measure: 'unpacked bytes per second',
          unit: 'MB/s',
          subject: median(rounds.map(({ unpackedMb, seconds }) => unpackedMb / seconds)),
          baseline: null,
        }),
        judge({
          scenario: 'scans',
          measure: 'peak RSS',
          unit: 'MB',
          subject: Math.max(...rounds.map(({ peakRssMb }) => peakRssMb)),
          baseline: null,
          target: { of: 'subject', must: 'stay below', value: 250 },
        }),
      ]
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  },
}

function makeMixedZip(): Buffer {
  const noise = randomBytes(64 * MB)
  // About half of the data is random, so it compresses to about half, like game data.
  const mixed = Buffer.from(noise)
  for (let at = 0; at < mixed.length; at += 64) mixed.fill(7, at, at + 32)
  const packed = deflateRawSync(mixed, { level: 6 })
  const parts: ZipPart[] = []
  for (let size = 0; size < 1024 * MB; size += noise.length + packed.length) {
    parts.push({ name: `video/${parts.length}.webm`, data: noise, method: 0 })
    parts.push({ name: `data/${parts.length}.pck`, data: mixed, packed })
  }
  for (let index = 0; index < SMALL_FILES; index += 1) {
    parts.push({ name: `text/${index}.json`, data: JSON.stringify({ index, text: 'hello '.repeat(100) }) })
  }
  return makeZip(parts)
}

function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

async function scanInChild(path: string, key: string): Promise<ScanFigures> {
  const child = Bun.spawn([process.execPath, CHILD, path, key], { stdout: 'pipe', stderr: 'inherit' })
  const [out, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The scan ended with ${code}`)
  return JSON.parse(out) as ScanFigures
}
