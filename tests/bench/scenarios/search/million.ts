import { judge, type Line } from '../../report/line.ts'
import { prepareCatalog } from '../../search-data.ts'
import { measureAtRest } from '../../search-run.ts'
import type { Scenario } from '../scenario.ts'

const [FEW, MANY] = [100_000, 1_000_000]
const P95_MS = 50
const GROWTH = 3
const FIRST_MS = 5000
const LISTING_BYTES = 600

export const searchMillion: Scenario = {
  name: 'search-million',
  about: `searches among ${MANY.toLocaleString('en')} listings, the first search and the memory`,
  isLong: true,
  async run(environment) {
    const empty = await environment.settings()
    const few = await measureAtRest(await prepareCatalog(environment, FEW), empty)
    const many = await measureAtRest(await prepareCatalog(environment, MANY), empty)
    const shared = { scenario: 'search-million', unit: 'ms', baseline: null }
    return [
      judge({
        ...shared,
        measure: 'p95 of a search at rest',
        subject: many.latency.p95,
        details: many,
        target: { of: 'subject', must: 'stay below', value: P95_MS },
      }),
      judge({
        ...shared,
        measure: `p95 at ${MANY} against ${FEW} listings`,
        details: few,
        subject: many.latency.p95,
        baseline: few.latency.p95,
        target: { of: 'ratio', must: 'stay below', value: GROWTH },
      }),
      judge({
        ...shared,
        measure: 'from starting to the first search',
        subject: many.firstMs,
        target: { of: 'subject', must: 'stay below', value: FIRST_MS },
      }),
      judge({
        ...shared,
        measure: 'memory per listing',
        unit: 'B',
        subject: many.listingBytes,
        target: { of: 'subject', must: 'stay below', value: LISTING_BYTES },
      }),
    ] satisfies Line[]
  },
}
