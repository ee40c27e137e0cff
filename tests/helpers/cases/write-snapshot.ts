import { writeSnapshot } from '../../../src/clients/search/postgres/snapshots/snapshot-file.ts'

/** Writes a large snapshot to the given path, to be killed meanwhile. */
const section = new Uint8Array(64 * 1024 ** 2)
await writeSnapshot(
  process.argv[2] ?? '',
  { installation: 'killed', version: 1 },
  Array.from({ length: 64 }, () => section),
)
