import { join } from 'node:path'

import { openDatabase } from '../../../src/db/client.ts'
import { users } from '../../../src/db/schema/accounts.ts'
import { apps, builds, channelMoves, channelPointers, files } from '../../../src/db/schema/builds.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { compare } from '../compare.ts'
import { ROOT, SERVERS, startServerProcess } from '../environment.ts'
import { judge } from '../report/line.ts'
import type { Scenario } from './scenario.ts'

/** Each address may send 60 requests a minute; a run uses each once per connection. */
const ADDRESSES = 4096

export const downloadLink: Scenario = {
  name: 'download-link',
  about:
    'links to a file for visitors, every attempt counted, against a bare Elysia route with the same answer',
  async run(environment) {
    const fileUid = await insertStableFile(await environment.databaseUrl())
    await using servers = new AsyncDisposableStack()
    const ours = await startServerProcess({
      command: [process.execPath, join(ROOT, 'src/main.ts'), 'serve'],
      path: '/health',
      env: await environment.settings({ TRUST_PROXY: '1' }),
    })
    servers.defer(() => ours.stop())
    const url = `${ours.url}/api/v1/public/downloads/${fileUid}`
    const bare = await startServerProcess({
      command: [process.execPath, join(SERVERS, 'bare-answer.ts')],
      path: '/',
      env: { ANSWER: await (await fetch(url)).text() },
    })
    servers.defer(() => bare.stop())
    const comparison = await compare(
      { server: ours, request: { url, status: 200, addresses: ADDRESSES } },
      { server: bare, request: { url: `${bare.url}/`, status: 200 } },
      environment.pace,
    )
    return [
      judge({
        scenario: 'download-link',
        measure: 'requests per CPU second',
        unit: 'req',
        subject: comparison.subject.requestsPerCpuSecond,
        baseline: comparison.baseline.requestsPerCpuSecond,
        ratio: comparison.ratio,
        target: { of: 'ratio', must: 'reach', value: 0.15 },
        details: comparison,
      }),
    ]
  },
}

/** Inserts a file of a free listing that allows anonymous downloads. Returns the file's uid. */
async function insertStableFile(databaseUrl: string): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  const [ownerUid, gameUid, appUid] = [createUid(), createUid(), createUid()]
  const [buildUid, fileUid, moveUid] = [createUid(), createUid(), createUid()]
  const username = ownerUid.slice(-12)
  const slot = { gameUid, appUid, channel: 'stable', os: 'linux', arch: 'x86_64' } as const
  try {
    await database.db.transaction(async (tx) => {
      const person = { id: ownerUid, name: 'Bench', email: `${username}@bench.example`, username }
      await tx.insert(users).values(person)
      const listing = { uid: gameUid, ownerUid, name: 'Lighthouse', vanityName: `lighthouse-${username}` }
      const state = { assetType: 'game', visibility: 'public', anonymousDownloads: true } as const
      await tx.insert(games).values({ ...listing, ...state })
      await tx.insert(apps).values({ uid: appUid, gameUid, slug: 'main', name: 'Lighthouse' })
      await tx.insert(builds).values({ uid: buildUid, ...slot, version: '1.0.0', buildType: 'game' })
      await tx.insert(files).values({
        uid: fileUid,
        gameUid,
        buildUid,
        filename: 'lighthouse.zip',
        size: 1000,
        checksum: 'a'.repeat(64),
        objectKey: `builds/${gameUid}/${fileUid}.zip`,
        ...({ scan: 'clean', source: 'website' } as const),
      })
      const move = { uid: moveUid, kind: 'upload', toVersion: '1.0.0', movedBy: 'Playshelf' } as const
      await tx.insert(channelMoves).values({ ...slot, ...move, toBuildUid: buildUid })
      await tx.insert(channelPointers).values({ ...slot, buildUid, moveUid })
    })
    return fileUid
  } finally {
    await database.dispose()
  }
}
