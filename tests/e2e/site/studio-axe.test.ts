import { beforeAll, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { promotionRequests } from '../../../src/db/schema/approvals.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { buildHealth } from '../../../src/db/schema/telemetry.ts'
import { PLAYERS_SHOWN_FROM } from '../../../src/domain/saves.ts'
import { KEY_LABEL_MAX } from '../../../src/features/selling/keys/model.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { insertLink } from '../../helpers/extstore/extstore-links.ts'
import { drawPng } from '../../helpers/files/pictures.ts'
import { addVideo, SMALL_WEBM } from '../../helpers/files/video-files.ts'
import { makeCrash, postAsGame } from '../../helpers/ingest.ts'
import { type GameRow, insertAdmin, insertGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { releaseWeb } from '../../helpers/play.ts'
import { publishPost, writePost } from '../../helpers/posts.ts'
import { release } from '../../helpers/releases.ts'
import { newSavePlayer } from '../../helpers/saves.ts'
import { makeKeys, redeem } from '../../helpers/selling/selling.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { inspectPage, type KnownColours, openWindow } from '../../helpers/site/site-checks.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { describeInBrowser, useBrowser } from '../../helpers/site/use-browser.ts'
import { useStore } from '../../helpers/store.ts'

const LONG_NAME = 'Unpronounceable'.repeat(5)
const TABS = [
  'overview',
  'page',
  'media',
  'press',
  'store-links',
  'pricing',
  'keys',
  'community-tags',
  'compatibility',
  'builds',
  'channels',
  'changelog',
  'posts',
  'posts/new',
  'health',
  'saves',
  'crashes',
  'bugs',
  'bugs/settings',
  'downloads',
  'team',
  'publishing',
  'sign-in',
]
const KB = 1024

describeInBrowser('the studio, for everyone', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  let full: GameRow
  let empty: GameRow
  let draft: string
  const known: KnownColours = new Set()
  beforeAll(async () => {
    owner = await signUp(server, LONG_NAME)
    await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    full = await insertGame(server, owner, { name: LONG_NAME, assetType: 'mod', tagline: '' })
    empty = await insertGame(server, owner)
    await fill(full)
  })

  /** Everything that the tabs can show. */
  async function fill(game: GameRow): Promise<void> {
    const { db } = server.deps
    const helper = await signUp(server, LONG_NAME)
    await insertAdmin(server, game.uid, helper, 'invited')
    const stable = await release(server, game.uid, { version: '1.0.0' })
    const beta = await release(server, game.uid, { version: '1.1.0-beta.1', channel: 'beta' })
    await releaseWeb(server, game.uid)
    await releaseWeb(server, game.uid, [{ name: `${LONG_NAME}/web/index.html`, data: 'x' }], {
      version: '1.1.0',
    })
    await db.insert(buildHealth).values({
      buildUid: stable.uid,
      band: 'mixed',
      devices: 120,
      bootOk: 100,
      crashed: 9,
      medianSessionS: 600,
      judgedAt: new Date(),
    })
    await db.insert(promotionRequests).values({
      uid: createUid(),
      gameUid: game.uid,
      channel: 'stable',
      buildUid: beta.uid,
      requestedBy: owner.uid,
      tokenHash: createUid(),
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    await postAsGame(server, 'crashes', stable, makeCrash({ reason: LONG_NAME, log: 'line\n'.repeat(50) }))
    await insertLink(server.deps, game.uid)
    await keepSaves(game, [stable, beta])
    const path = `/studio/${game.vanityName}`
    draft = (await writePost(owner, game, { title: LONG_NAME, markdown: `# ${LONG_NAME}` })).uid
    await publishPost(owner, game, { title: LONG_NAME, kind: 'event', pinned: true })
    await submitForm(owner, `${path}/changelog`, { title: LONG_NAME, body: '# News', version: '' })
    await submitForm(owner, `${path}/pricing/editions`, { name: LONG_NAME, price_cents: '4.99' })
    const { codes } = await makeKeys(owner, game.uid, { count: 2, label: LONG_NAME.slice(0, KEY_LABEL_MAX) })
    await redeem(await signUp(server), codes[0] ?? '')
    for (const kind of ['cover', 'gallery', 'gallery']) {
      const body = new FormData()
      body.set('file', await drawPng(640, 360), 'picture.png')
      await owner.fetch(`${path}/media/${kind}`, { method: 'POST', body })
    }
    await addVideo(owner, game.uid, { file: SMALL_WEBM })
    await addVideo(owner, game.uid, { url: 'https://vimeo.com/76979871' })
  }

  /** As many players as a developer is told of, and a conflict of each build. */
  async function keepSaves({ uid }: GameRow, builds: readonly { uid: string }[]): Promise<void> {
    const set = (values: Partial<typeof games.$inferInsert>) =>
      server.deps.db.update(games).set(values).where(eq(games.uid, uid))
    // Players keep saves of published games alone.
    await set({ savesEnabled: true, visibility: 'public' })
    for (let player = 0; player < PLAYERS_SHOWN_FROM; player += 1) {
      const { saves } = await newSavePlayer(server, { uid })
      await saves.write('main', 'x', null)
      for (const build of builds) await saves.put('main', 'y', null, { 'x-build-id': build.uid })
    }
    await set({ visibility: 'draft' })
  }

  async function open() {
    const window = await openWindow(opened.browser, server, owner)
    const faults: string[] = []
    const look = async (path: string) =>
      faults.push(...(await inspectPage(window, undefined, known)).map((fault) => `${path}: ${fault}`))
    return { ...window, faults, look }
  }

  test.each([
    ['of a full project', () => full],
    ['of an empty project', () => empty],
  ])('the pages %s have no faults at any width, in either theme', async (_, projectOf) => {
    const { page, context, faults, look } = await open()
    for (const path of TABS.map((tab) => `/studio/${projectOf().vanityName}/${tab}`)) {
      await page.goto(path)
      await look(path)
    }
    expect(faults).toEqual([])
    await context.close()
  })

  test('the pages around them, and after an act, have none either', async () => {
    const { page, context, faults, look } = await open()
    for (const path of ['/studio', '/studio/new', '/studio/import']) {
      await page.goto(path)
      await look(path)
    }
    await page.goto(`/studio/${full.vanityName}/overview`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await look('refused')
    await page.goto(`/studio/${full.vanityName}/posts/${draft}`)
    await look('a draft of a post')
    await page.goto(`/studio/${full.vanityName}/keys`)
    await page.locator('details.edit summary').first().click()
    await look('who redeemed')
    await page.getByLabel('Label').fill(LONG_NAME)
    await page.getByRole('button', { name: 'Make keys' }).click()
    await page.getByRole('link', { name: 'Download as CSV' }).first().waitFor()
    await look('new keys')
    expect(faults).toEqual([])
    await context.close()
  })

  test('every page stays within its bytes', async () => {
    const sizes: string[] = []
    const sizeOf = (text: string) => Bun.gzipSync(Buffer.from(text)).length
    for (const path of [
      '/studio',
      '/studio/import',
      ...TABS.map((tab) => `/studio/${full.vanityName}/${tab}`),
    ]) {
      const html = await readPage(owner, path)
      const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+\.(css|js))"/g)]
      let [css, script] = [0, 0]
      for (const [, asset = '', kind] of assets) {
        const size = sizeOf(await (await server.fetch(asset)).text())
        if (kind === 'css') css += size
        else script += size
      }
      if (sizeOf(html) > 20 * KB || css > 12 * KB || script > 20 * KB)
        sizes.push(`${path}: ${sizeOf(html)} HTML, ${css} CSS, ${script} script`)
    }
    expect(sizes).toEqual([])
  })
})
