import { join } from 'node:path'

import { compare } from '../compare.ts'
import { ROOT, SERVERS, startServerProcess } from '../environment.ts'
import { judge } from '../report/line.ts'
import { prepareCatalog } from '../search-data.ts'
import type { Scenario } from './scenario.ts'

const BASE = '/api/v1/public/asset-library'
const BULK = 1000
/** Each address may send 300 requests a minute; a run uses each once per connection. */
const ADDRESSES = 4096

/** What an editor sends while someone browses: the list, searches while typing, and pages of packages. */
const SEARCHES = [
  'sort=updated&godot_version=4.3&support=official+community',
  'sort=updated&godot_version=3.2&support=official+community',
  'sort=updated&godot_version=4.3&support=official+community&category=3',
  'sort=name&godot_version=4.3&support=official+community&filter=li',
  'sort=name&godot_version=4.3&support=official+community&filter=tiles',
  'sort=cost&godot_version=4.3&support=official+community&reverse=true',
]

export const assetLibrary: Scenario = {
  name: 'asset-library',
  about: 'browsing as editors do, against a bare Elysia route with the answer of a search',
  async run(environment) {
    await using servers = new AsyncDisposableStack()
    const ours = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: await prepareCatalog(environment, BULK),
    })
    servers.defer(() => ours.stop())
    const searches = SEARCHES.map((query) => `${BASE}/asset?${query}`)
    const list = await (await fetch(ours.url + searches[0])).text()
    const { result } = JSON.parse(list) as { result: { asset_id: string }[] }
    if (result.length === 0) throw new Error('The demo has no packages')
    const packages = result.map(({ asset_id }) => `${BASE}/asset/${asset_id}`)
    const bare = await startServerProcess({
      command: [process.execPath, join(SERVERS, 'bare-answer.ts')],
      path: '/',
      env: { ANSWER: list },
    })
    servers.defer(() => bare.stop())
    const variants = [...searches, ...packages].map((path) => ({ path }))
    const comparison = await compare(
      { server: ours, request: { url: ours.url, status: 200, variants, addresses: ADDRESSES } },
      { server: bare, request: { url: `${bare.url}/`, status: 200 } },
      environment.pace,
    )
    return [
      judge({
        scenario: 'asset-library',
        measure: 'requests per CPU second',
        unit: 'req',
        subject: comparison.subject.requestsPerCpuSecond,
        baseline: comparison.baseline.requestsPerCpuSecond,
        ratio: comparison.ratio,
        target: { of: 'ratio', must: 'reach', value: 0.2 },
        details: comparison,
      }),
    ]
  },
}
