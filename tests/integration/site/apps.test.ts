import { beforeAll, describe, expect, test } from 'bun:test'

import { insertBuild, insertFile } from '../../helpers/builds.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertLicense, insertPublicGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { release } from '../../helpers/releases.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { anonymousDownloads: true })
  await nameApp(game, 'server', 'Dedicated server')
  await nameApp(game, 'editor', 'Level editor')
  await release(server, game.uid, { os: 'linux' }, 'server')
  await release(server, game.uid, { os: 'macos' }, 'editor')
  await release(server, game.uid, { os: 'windows' })
})

async function nameApp({ uid }: GameRow, app: string, app_name: string): Promise<void> {
  const build = { version: '0.1.0', os: 'linux', arch: 'x86_64', channel: 'dev', app, app_name }
  expect((await owner.json('POST', `/api/v1/private/games/${uid}/builds`, build)).status).toBe(201)
}

async function open(path: string, person?: Person): Promise<string> {
  const headers = { accept: 'text/html', 'user-agent': FIREFOX }
  const answer = await (person ? person.fetch(path, { headers }) : server.fetch(path, { headers }))
  expect(answer.status).toBe(200)
  return await answer.text()
}

/** The text without tags, in the order it is read. */
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

describe('a game with a server and an editor', () => {
  test('offers them under their names after itself, and runs only where the game does', async () => {
    const html = await open(`/games/${game.vanityName}`)
    const text = textOf(html)
    const places = ['for Windows', 'Dedicated server', 'for Linux', 'Level editor', 'for macOS'].map((part) =>
      text.indexOf(part, text.indexOf('Get it') + 1),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(html).toContain('<h2 class="list-title" dir="auto">Dedicated server</h2>')
    expect(text).toContain('Platforms Windows Size')
    expect(html).toContain('"operatingSystem":"Windows"')
  })

  test('lists them in the library of a player', async () => {
    const player = await signUp(server)
    await insertLicense(server, game.uid, player)
    const text = textOf(await open('/library', player))
    expect(text).toContain('1.0.0 for Windows')
    expect(text).toMatch(/Dedicated server Download Dedicated server for Linux x86_64/)
    expect(text).toMatch(/Level editor Download Level editor for macOS x86_64/)
  })

  test('names them on the press page', async () => {
    const text = textOf(await open(`/games/${game.vanityName}/press`))
    expect(text).toContain('Platforms Windows Dedicated server Linux Level editor macOS')
  })

  test('names them in the studio', async () => {
    for (const tab of ['builds', 'channels', 'overview', 'health']) {
      expect([tab, await open(`/studio/${game.vanityName}/${tab}`, owner)]).toEqual([
        tab,
        expect.stringContaining('Dedicated server'),
      ])
    }
  })

  test('says whose file it is', async () => {
    const { files } = await readData<{ files: { app: string; file_uid: string }[] }>(
      await server.fetch(`/api/v1/public/games/${game.uid}`),
    )
    const file = files.find(({ app }) => app === 'server')
    expect(textOf(await open(`/games/${game.vanityName}/files/${file?.file_uid}`))).toContain(
      'App Dedicated server',
    )
  })
})

test('a page with nothing but a server says that there is no game, and offers the server', async () => {
  const bare = await insertPublicGame(server, owner, { anonymousDownloads: true })
  await release(server, bare.uid, {}, 'server')
  const text = textOf(await open(`/games/${bare.vanityName}`))
  expect(text).toContain('Nothing to download yet')
  expect(text).toMatch(/server Download server 1\.0\.0 for Linux/)
})

describe('the changelog tab', () => {
  const send = (path: string, fields: Record<string, string>) =>
    submitForm(owner, `/studio/${game.vanityName}/changelog${path}`, fields)
  const readEntries = async () => {
    const answer = await owner.fetch(`/api/v1/private/games/${game.uid}/changelog`)
    return (await readData<{ items: { uid: string }[] }>(answer)).items
  }

  test('edits an entry that a build wrote', async () => {
    const items = [{ title: 'The lamp turns', description: 'Twice\na minute.' }]
    await release(server, game.uid, { version: '2.0.0', os: 'windows', changelogItems: items })
    const [entry] = await readEntries()
    expect(await open(`/studio/${game.vanityName}/changelog`, owner)).toContain(
      '- The lamp turns\n  Twice\n  a minute.',
    )
    const fields = { title: 'Light', version: '', items: '- It turns\r\n  Slowly.\r\nStars', body: '' }
    const answer = await send(`/${entry?.uid}`, fields)
    expect(answer.headers.get('location')).toBe(`/studio/${game.vanityName}/changelog?done=saved`)
    expect(await readEntries()).toMatchObject([
      {
        uid: entry?.uid,
        title: 'Light',
        version: null,
        items: [
          { title: 'It turns', description: 'Slowly.' },
          { title: 'Stars', description: '' },
        ],
      },
    ])
  })

  test('shows a refused edit at its entry, with everything typed', async () => {
    const [entry] = await readEntries()
    const answer = await send(`/${entry?.uid}`, { title: ' ', items: 'Kept', body: 'Typed' })
    expect(answer.status).toBe(400)
    const html = await answer.text()
    expect(html).toContain('Enter the title.')
    expect(html).toContain('Typed')
    expect(html).toContain('<details open')
  })
})

test('a build that is still scanned is named with its app', async () => {
  const scanned = await insertPublicGame(server, owner, { anonymousDownloads: true })
  await insertFile(server, await insertBuild(server, scanned.uid, {}, 'server'), { scan: 'scanning' })
  const text = textOf(await open(`/games/${scanned.vanityName}`))
  expect(text).toContain('Nothing to download yet')
  expect(text).toContain('server 1.0.0 for Linux is being scanned')
})
