import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'

import { eq } from 'drizzle-orm'
import type { BrowserContext, Page } from 'playwright-core'

import { files } from '../../src/db/schema/builds.ts'
import { uploadSessions } from '../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { insertBuild, insertFile } from '../helpers/builds.ts'
import { makeZip } from '../helpers/files/zips.ts'
import { type GameRow, insertGame, verifyEmail } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { type ChildServer, createTempDir, findKeptPort, startChild } from '../helpers/processes/child.ts'
import { startTcpProxy, type TcpProxy } from '../helpers/processes/tcp-proxy.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../helpers/server.ts'
import { inspectPage, openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { waitFor } from '../helpers/wait.ts'

const MIB = 1024 * 1024
const SIZE = Number(process.env.BROWSER_UPLOAD_BYTES ?? 96 * MIB)
const CHUNK = 16 * MIB
/** Slow enough for every interruption to fall into the middle of the upload. */
const BYTES_PER_SECOND = SIZE / 20

function makeBuild(): Buffer {
  const data = new Uint8Array(SIZE)
  for (let at = 0; at < SIZE; at += 65_536)
    crypto.getRandomValues(data.subarray(at, Math.min(SIZE, at + 65_536)))
  return makeZip([{ name: 'game.pck', data, method: 0 }])
}

describeInBrowser('uploading a build in the browser', () => {
  let server: TestServer
  let child: ChildServer
  const opened = useBrowser()
  let owner: Person
  let game: GameRow
  let folder: Awaited<ReturnType<typeof createTempDir>>
  let port: number
  /** The line between browser and server, which can be cut. */
  let line: TcpProxy
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1' })
    owner = await signUp(server)
    await verifyEmail(server, owner)
    game = await insertGame(server, owner)
    folder = await createTempDir('browser-upload')
    port = findKeptPort()
    line = await startTcpProxy({ host: '127.0.0.1', port })
    child = await startProcess()
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    await child.exited
    await line[Symbol.asyncDispose]()
    await server.stop()
    await folder.remove()
  })

  /** The same database and storage in a process that can be killed and comes back at the same address. */
  const startProcess = async () =>
    await startChild({
      env: {
        ROLE: 'all',
        PORT: String(port),
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        LOG_LEVEL: 'info',
        BASE_URL: `http://127.0.0.1:${line.port}`,
      },
    })
  const openBuilds = async (options = {}) => {
    const window = await openWindow(opened.browser, { ...server, url: child.url }, owner, options)
    await window.page.goto(`${child.url}/studio/${game.vanityName}/builds`)
    return window
  }
  const readSize = async () => {
    const [row] = await server.deps.db
      .select({ uploadId: uploadSessions.uploadId })
      .from(uploadSessions)
      .where(eq(uploadSessions.gameUid, game.uid))
    return row ? await server.deps.objects.uploadSize(row.uploadId).catch(() => SIZE) : 0
  }
  const arrived = async (share: number) =>
    await waitFor(`${share} of the file has arrived`, async () => (await readSize()) > SIZE * share)

  async function slowDown(context: BrowserContext, page: Page): Promise<void> {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: BYTES_PER_SECOND,
    })
  }

  async function readHeap(context: BrowserContext, page: Page): Promise<number> {
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable')
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.POSITIVE_INFINITY
  }

  test('survives a cut line, a killed server and a reload, and sends nothing twice beyond a chunk', async () => {
    const zip = makeBuild()
    const path = join(folder.path, 'lantern.zip')
    const otherPath = join(folder.path, 'other', 'lantern.zip')
    await Bun.write(path, zip)
    const other = Buffer.from(zip)
    other.writeUInt8(other.readUInt8(5000) ^ 1, 5000)
    await Bun.write(otherPath, other)

    const { context, page } = await openBuilds()
    const sent: [start: number, end: number][] = []
    page.on('request', (request) => {
      const range = /^bytes (\d+)-(\d+)\//.exec(request.headers()['content-range'] ?? '')
      if (range) sent.push([Number(range[1]), Number(range[2]) + 1])
    })
    page.removeAllListeners('dialog')
    page.on('dialog', (dialog) => void dialog.accept())
    await slowDown(context, page)

    await page.getByLabel('Version').fill('1.2.0')
    await page.getByLabel('System').selectOption('linux')
    await page.getByLabel('File: choose the .zip').setInputFiles(path)
    await page.getByRole('button', { name: 'Upload build' }).click()
    await arrived(0.1)
    line.cut()
    await page.getByText('The connection is lost').waitFor()
    await line.restore()
    await arrived(0.3)
    child.kill('SIGKILL')
    await child.exited
    child = await startProcess()
    await arrived(0.5)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    const paused = await readSize()
    await page.getByRole('button', { name: 'Resume' }).click()
    await arrived(0.6)
    expect(paused).toBeLessThan(SIZE * 0.9)

    await page.reload()
    await slowDown(context, page)
    const again = page.getByLabel('Continue: choose lantern.zip again')
    await again.setInputFiles(otherPath)
    await page.getByRole('alert').getByText('lantern.zip is not the file of this upload').waitFor()
    await again.setInputFiles(path)
    await page.getByText('lantern.zip is uploaded').waitFor()
    expect(await readHeap(context, page)).toBeLessThan(SIZE / 4)
    // The scan ends without a reload.
    await page.getByRole('article').getByText('Checked, no antivirus').waitFor()

    const rows = await server.deps.db.select().from(files).where(eq(files.gameUid, game.uid))
    expect(rows).toMatchObject([
      { size: zip.length, checksum: sha256Hex(zip), scan: 'clean', source: 'website' },
    ])
    let before = 0
    for (const [start] of sent) {
      expect(start).toBeGreaterThanOrEqual(before)
      before = start
    }
    const total = sent.reduce((sum, [start, end]) => sum + end - start, 0)
    const interruptions = 4
    expect(total - zip.length).toBeLessThanOrEqual(interruptions * CHUNK)
    await context.close()
  })

  test('names faults beside their fields, by keyboard alone', async () => {
    const { context, page, problems } = await openBuilds()
    await page.getByLabel('Version').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByRole('link', { name: 'Choose the .zip of the build.' }).waitFor()
    const small = join(folder.path, 'small.zip')
    await Bun.write(small, makeZip([{ name: 'a', data: 'a' }]))
    await page.getByLabel('File: choose the .zip').setInputFiles(small)
    await page.getByLabel('Version').focus()
    await page.keyboard.press('Enter')
    await waitFor('the fault of the version', async () => {
      return (await page.getByLabel('Version').getAttribute('aria-invalid')) === 'true'
    })
    // The browser reports the refused request itself.
    expect(problems.filter((text) => !text.includes('400'))).toEqual([])
    await context.close()
  })

  test('that was left behind is cancelled from the list', async () => {
    const build = await insertBuild(server, game.uid, { version: '0.1.0', channel: 'dev' })
    const fields = { build_id: build.uid, filename: 'left.zip', total_size: '5', checksum: sha256Hex('left') }
    const sessions = `/api/v1/private/games/${game.uid}/upload/sessions`
    expect((await owner.json('POST', sessions, fields)).status).toBe(201)
    const { context, page, problems } = await openBuilds()
    await page.getByRole('button', { name: 'Cancel upload of left.zip' }).click()
    await page.getByText('left.zip').first().waitFor({ state: 'detached' })
    expect(await (await owner.fetch(sessions)).text()).not.toContain('left.zip')
    expect(problems).toEqual([])
    await context.close()
  })

  test('sends the changes and the app, which the store page shows', async () => {
    const small = join(folder.path, 'notes.zip')
    await Bun.write(small, makeZip([{ name: 'game.txt', data: Buffer.from('game') }]))
    const shown = await insertGame(server, owner, { visibility: 'invisible' })
    const { context, page } = await openWindow(opened.browser, { ...server, url: child.url }, owner)
    const upload = async (fields: Record<string, string>) => {
      await page.goto(`${child.url}/studio/${shown.vanityName}/builds`)
      await page.getByText('Title, changes, app and engine').click()
      for (const [label, text] of Object.entries({ Version: '3.0.0', ...fields }))
        await page.getByLabel(label, { exact: true }).fill(text)
      await page.getByLabel('System').selectOption('linux')
      await page.getByLabel('File: choose the .zip').setInputFiles(small)
      await page.getByRole('button', { name: 'Upload build' }).click()
      await page.getByText('notes.zip is uploaded').waitFor()
    }
    const readPage = async () => await (await fetch(`${child.url}/games/${shown.vanityName}`)).text()
    await upload({ 'What is new (optional)': 'The lamp turns\n  Twice a minute.\n- Stars' })
    await waitFor('the changes are shown', async () => (await readPage()).includes('Stars'))
    const text = await readPage()
    for (const wanted of ['3.0.0', 'The lamp turns', 'Twice a minute.']) expect(text).toContain(wanted)
    await upload({ 'App (optional)': 'server', 'Name of the app (optional)': 'Dedicated server' })
    await waitFor('the app is shown', async () => (await readPage()).includes('Dedicated server'))
    await context.close()
  })

  test('has pages without faults for axe, in both themes and widths', async () => {
    const first = await insertBuild(server, game.uid, { version: '0.9.0', channel: 'beta' })
    const build = await insertBuild(server, game.uid, { version: '0.9.1', channel: 'beta', title: 'A title' })
    const entry = (path: string) => ({ path, size: 5000, sha256: sha256Hex(path + Math.random()) })
    await insertFile(server, first, {}, [entry('data/levels.pck'), entry('gone.txt')])
    await insertFile(server, build, { filename: `${'long-'.repeat(30)}.zip` }, [entry('data/levels.pck')])
    await insertFile(server, build, { filename: 'bad.zip', scan: 'error', scanDetail: 'It is not a zip.' })
    const window = await openBuilds()
    for (const path of ['builds', `builds/${build.uid}`]) {
      await window.page.goto(`${child.url}/studio/${game.vanityName}/${path}`)
      expect([path, ...(await inspectPage(window))]).toEqual([path])
    }
    await window.context.close()
  })
})
