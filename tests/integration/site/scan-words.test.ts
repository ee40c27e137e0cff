import { expect, test } from 'bun:test'

import { files, scanEvents } from '../../../src/db/schema/builds.ts'
import type { Listing } from '../../../src/features/catalog/pages/model.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { openTab } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const ANTIVIRUS = 'ClamAV 1.4.6/27800/Thu Jan 29 07:24:17 2026'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)

interface Scanned {
  game: GameRow
  /** All pages that tell of its scan. */
  pages: Record<string, string>
}

async function release(scanEngine: string): Promise<Scanned> {
  const game = await insertPublicGame(server, owner, { anonymousDownloads: true })
  const build = await insertBuild(server, game.uid)
  const file = await insertFile(server, build, { scanEngine })
  await server.deps.db.insert(scanEvents).values({ fileUid: file.uid, state: 'clean', engine: scanEngine })
  await pointChannel(server, build)
  const open = async (path: string) => await (await server.fetch(path)).text()
  const store = `/games/${game.vanityName}`
  return {
    game,
    pages: {
      store: await open(store),
      file: await open(`${store}/files/${file.uid}`),
      builds: await openTab(owner, game, 'builds'),
      build: await openTab(owner, game, `builds/${build.uid}`),
      channels: await openTab(owner, game, 'channels'),
      projects: await (await owner.fetch('/studio')).text(),
    },
  }
}

const readFile = async ({ vanityName }: GameRow) =>
  (await readData<Listing>(await server.fetch(`/api/v1/public/games/${vanityName}`))).files[0]

test.each([
  'Checked, no antivirus',
  'Playshelf built-in (EICAR test file and deny list; no antivirus)',
  'demo data, never scanned',
])('what “%s” found is called checked, and nowhere clean or free of viruses', async (engine) => {
  const { game, pages } = await release(engine)
  for (const [name, text] of Object.entries(pages)) {
    expect([name, text.includes('Checked, no antivirus')]).toEqual([name, true])
    const promise = /scan clean|virus scan|for viruses/i.exec(text)
    expect([name, promise?.[0]]).toEqual([name, undefined])
  }
  expect(await readFile(game)).toMatchObject({ scan: 'clean', scan_engine: 'Checked, no antivirus' })
})

test('only what an antivirus found is called a clean scan', async () => {
  await server.deps.db.delete(files)
  const { game, pages } = await release(ANTIVIRUS)
  for (const [name, text] of Object.entries(pages)) {
    expect([name, text.includes('Scan clean')]).toEqual([name, true])
    expect([name, text.includes('Checked, no antivirus')]).toEqual([name, false])
  }
  expect(await readFile(game)).toMatchObject({ scan: 'clean', scan_engine: ANTIVIRUS })
})

test('no page promises a scan for viruses', async () => {
  for (const path of ['/rules', '/docs', '/api/v1/public/openapi.json']) {
    expect(await (await server.fetch(path)).text()).not.toMatch(/scanned for viruses|virus scan/i)
  }
})
