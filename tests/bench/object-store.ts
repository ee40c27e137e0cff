import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { ObjectStoreSettings } from '../../src/domain/service-settings.ts'
import { startCeph } from '../helpers/engines/ceph.ts'

const MIB = 1024 * 1024
const BYTES = 2048 * MIB
const APPEND_BYTES = 16 * MIB
const ROUNDS = 3
const WAYS = ['raw', 'put', 'append'] as const
type Way = (typeof WAYS)[number]
const CHILD = join(import.meta.dir, 'object-store-child.ts')

export interface ObjectStoreCase {
  way: Way
  settings: ObjectStoreSettings
  bytes: number
  appendBytes: number
}

export interface Row {
  name: string
  mbPerSecond: number
  ratioToRaw: number
  peakRssMb: number
}

/**
 * Sends 2 GB to each store, each way in its own process, and compares with the bare store in the same run.
 */
export async function runObjectStoreBench(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), 'object-store-bench-'))
  try {
    const path = join(home, 'objects')
    await mkdir(path)
    const folder = await measureStore('folder', { kind: 'folder', path })
    await rm(path, { recursive: true })
    return [...folder, ...(await measureCeph(join(home, 'ceph')))]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

async function measureCeph(dir: string): Promise<Row[]> {
  const ceph = await startCeph({ dir })
  try {
    const { hostname: bucket, searchParams } = new URL(ceph.url)
    const { endpoint, accessKeyId, secretAccessKey } = ceph
    const region = searchParams.get('region') ?? 'us-east-1'
    return await measureStore('s3', {
      kind: 's3',
      bucket,
      endpoint,
      region,
      publicEndpoint: null,
      pathStyle: true,
      accessKeyId,
      secretAccessKey,
    })
  } finally {
    await ceph.stop()
  }
}

/** Alternates between the ways, so that other load affects all equally. Returns the median of the rounds. */
async function measureStore(name: string, settings: ObjectStoreSettings): Promise<Row[]> {
  const speeds: Record<Way, number[]> = { raw: [], put: [], append: [] }
  const peaks: Record<Way, number[]> = { raw: [], put: [], append: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of WAYS) {
      const { seconds, peakRssMb } = await runChild({
        way,
        settings,
        bytes: BYTES,
        appendBytes: APPEND_BYTES,
      })
      speeds[way].push(BYTES / 1_000_000 / seconds)
      peaks[way].push(peakRssMb)
    }
  }
  const raw = median(speeds.raw)
  return WAYS.map((way) => ({
    name: `${name} ${way}`,
    mbPerSecond: median(speeds[way]),
    ratioToRaw: median(speeds[way]) / raw,
    peakRssMb: Math.max(...peaks[way]),
  }))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function runChild(task: ObjectStoreCase): Promise<{ seconds: number; peakRssMb: number }> {
  const child = Bun.spawn([process.execPath, CHILD, JSON.stringify(task)], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [out, code] = await Promise.all([child.stdout.text(), child.exited])
  if (code !== 0) throw new Error(`The upload process ended with ${code}`)
  return JSON.parse(out)
}

if (import.meta.main) {
  const rows = await runObjectStoreBench()
  const table = rows.map(({ name, mbPerSecond, ratioToRaw, peakRssMb }) => ({
    name,
    'MB/s': Math.round(mbPerSecond),
    'ratio to raw': ratioToRaw.toFixed(2),
    'peak RSS MB': Math.round(peakRssMb),
  }))
  process.stdout.write(`${Bun.inspect.table(table)}\n`)
}
