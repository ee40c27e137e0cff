/** A reindex in its own process that tests can kill. Its config is JSON in argv. */
import { createDeps } from '../../../src/deps.ts'
import { reindex } from '../../../src/features/catalog/search/reindex.ts'
import { createLogger } from '../../../src/lib/log.ts'

const config = JSON.parse(process.argv[2] ?? '')
const deps = await createDeps(config, createLogger({ level: 'error', pretty: false }))
await reindex(deps, { batchSize: 10, onProgress: ({ done }) => process.stdout.write(`${done}\n`) })
process.exit(0)
