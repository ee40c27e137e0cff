/** A process of its own that computes the results that are due, and that tests can kill. Its config is JSON in argv. */
import { createDeps } from '../../../src/deps.ts'
import { computeDue } from '../../../src/features/jams/results/compute.ts'
import { createLogger } from '../../../src/lib/log.ts'

const config = JSON.parse(process.argv[2] ?? '')
const deps = await createDeps(config, createLogger({ level: 'error', pretty: false }))
await computeDue(deps, new AbortController().signal)
process.exit(0)
