import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { isGodotInstalled } from '../helpers/engines/godot.ts'
import { insertPackage } from '../helpers/files/packages.ts'
import { type Colour, drawPng, GREEN, RED } from '../helpers/files/pictures.ts'
import { makeZip } from '../helpers/files/zips.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { createTempDir } from '../helpers/processes/child.ts'
import { type LoggedServer, startLoggedServer } from '../helpers/processes/logged-server.ts'
import { indexNow } from '../helpers/search/search.ts'
import { type Editor, startEditor } from '../helpers/site/editor.ts'
import { waitFor } from '../helpers/wait.ts'

/** The pictures stay there after the test. */
const PICTURES = join(import.meta.dir, 'results')
/** The one address that editors up to 3.2 have built in besides the official one. */
const PORT = 80
const ORIGIN = 'http://127.0.0.1'
const ALIAS = '/asset-library/api'
const STEP_MS = 120_000
/** Twice as long each time: what a busy editor has not handled yet waits for it. */
const REPEAT_MS = 3000

/** Where things are in the editor's window. */
const AT = {
  tab: [752, 20],
  site: [846, 127],
  search: [500, 91],
  firstResult: [423, 203],
  download: [825, 634],
  install: [545, 720],
  closeDownload: [571, 629],
  firstPicture: [326, 226],
  secondPicture: [667, 226],
  downloadPicture: [310, 653],
  /** Inside a message that stands over the list. */
  message: [640, 335],
} as const satisfies Record<string, readonly [number, number]>

function canListen(): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port: PORT, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
  }
}

function isFree(): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port: PORT, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}

describe.skipIf(!isGodotInstalled() || !canListen())('the Godot 3.2 editor', () => {
  let server: LoggedServer
  let dir: Awaited<ReturnType<typeof createTempDir>>
  let editor: Editor
  beforeAll(async () => {
    await mkdir(PICTURES, { recursive: true })
    await waitFor(`port ${PORT} is free`, isFree, STEP_MS)
    server = await startLoggedServer({ PORT: String(PORT), BASE_URL: ORIGIN })
    const owner = await signUp(server)
    await offer(owner, 'Grid Kit', 'grid-kit', GREEN)
    await offer(owner, 'Tampered Kit', 'tampered-kit', RED)
    dir = await createTempDir('editor')
    editor = await startEditor(dir.path)
  })
  afterAll(async () => {
    await editor?.close()
    await server?.stop()
    await dir?.remove()
  })

  /** A package as older editors need it: one folder around everything, and entries for all folders. */
  async function offer(owner: Person, name: string, folder: string, colour: Colour): Promise<void> {
    const folders = ['', 'addons/', `addons/${folder}/`].map((path) => ({ name: `${folder}/${path}` }))
    const plugin = { name: `${folder}/addons/${folder}/plugin.cfg`, data: `[plugin]\n\nname="${name}"\n` }
    const zip = makeZip([...folders, plugin])
    const checksum = sha256Hex(colour === GREEN ? zip : 'something else')
    const values = { name, tags: ['editor', 'levels', 'kits'], description: '# Title\n\nA **kit**.' }
    const { game, file } = await insertPackage(server, owner, values, { checksum })
    await server.deps.objects.put(file.objectKey, zip)
    const form = new FormData()
    form.set('file', await drawPng(1280, 720, () => colour), 'cover.png')
    const path = `/api/v1/private/games/${game.uid}/images/cover`
    expect((await owner.fetch(path, { method: 'PUT', body: form, headers: { origin: ORIGIN } })).status).toBe(
      200,
    )
    await indexNow(server, game.uid)
  }

  const countOf = (route: string) => server.lines.filter((line) => line.route === route).length

  /** Repeats the action until it has the effect, because the editor may still be busy with something else. */
  async function until(what: string, act: () => Promise<void>, isDone: () => boolean | Promise<boolean>) {
    let actAgainAt = 0
    let pause = REPEAT_MS
    await waitFor(
      what,
      async () => {
        if (await isDone()) return true
        if (Date.now() < actAgainAt) return false
        await act()
        actAgainAt = Date.now() + pause
        pause *= 2
        return false
      },
      STEP_MS,
    )
  }

  async function untilRequested(route: string, act: () => Promise<void>): Promise<void> {
    const before = countOf(route)
    await until(`the editor requests ${route}`, act, () => countOf(route) > before)
  }

  /** What is shown there: the picture of the package that is as it says, of the tampered one, or none. */
  async function pictureAt(place: 'firstPicture' | 'secondPicture' | 'downloadPicture') {
    const [x, y] = AT[place]
    const { red, green, blue } = await editor.colorAt(x, y)
    if (green > 2 * Math.max(red, blue)) return 'grid'
    return red > 2 * Math.max(green, blue) ? 'tampered' : null
  }

  /** The list is darker than anything that stands over it. */
  async function showsMessage(): Promise<boolean> {
    return (await editor.colorAt(...AT.message)).blue > 0x45
  }

  async function takePicture(name: string): Promise<void> {
    await editor.takePicture(join(PICTURES, `asset-library-${name}.png`))
  }

  async function download(name: 'grid' | 'tampered'): Promise<void> {
    await untilRequested(`${ALIAS}/asset`, async () => {
      await editor.click(...AT.search)
      await editor.press('ctrl+a')
      await editor.type(name)
      await editor.press('Return')
    })
    await waitFor(
      'the editor shows only what was found',
      async () => (await pictureAt('firstPicture')) === name && (await pictureAt('secondPicture')) === null,
      STEP_MS,
    )
    await untilRequested(`${ALIAS}/asset/:asset_id`, () => editor.click(...AT.firstResult))
    await untilRequested('/objects/*', () => editor.click(...AT.download))
  }

  test('lists the packages with their pictures', async () => {
    await untilRequested(`${ALIAS}/configure`, async () => {
      await editor.press('Escape')
      await editor.click(...AT.tab)
      await editor.click(...AT.site)
      await editor.press('Down', 'Down', 'Return')
    })
    await waitFor('the list is requested', () => countOf(`${ALIAS}/asset`) > 0, STEP_MS)
    await waitFor('both pictures are requested', () => countOf('/media/:file') >= 2, STEP_MS)
    await waitFor('both pictures are shown', () => pictureAt('secondPicture'), STEP_MS)
    await takePicture('1-list')
  })

  test('refuses a file that differs from its hash', async () => {
    await download('tampered')
    await waitFor('the editor reports the difference', showsMessage, STEP_MS)
    await takePicture('2-tampered')
    await until(
      'the message is closed',
      () => editor.press('Return'),
      async () => !(await showsMessage()),
    )
    await editor.click(...AT.install)
    await until(
      'the download is given up',
      () => editor.click(...AT.closeDownload),
      async () => (await pictureAt('downloadPicture')) === null,
    )
    expect(await editor.hasFile('addons/tampered-kit/plugin.cfg')).toBe(false)
  })

  test('finds, opens, downloads, verifies and installs a package', async () => {
    await download('grid')
    await waitFor(
      'the download is shown',
      async () => (await pictureAt('downloadPicture')) === 'grid',
      STEP_MS,
    )
    await takePicture('3-downloaded')
    await until(
      'the package is installed',
      async () => {
        await editor.click(...AT.install)
        await Bun.sleep(1000)
        await editor.press('Return')
      },
      () => editor.hasFile('addons/grid-kit/plugin.cfg'),
    )
    await takePicture('4-installed')
    expect(await editor.hasFile('addons/tampered-kit/plugin.cfg')).toBe(false)
    const failed = server.lines.filter((line) => 'status' in line && Number(line.status) >= 400)
    expect(failed).toEqual([])
  })
})
