import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../../src/domain/listings/web-player.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { release } from '../../../helpers/releases.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const maker = usePerson(server)

const html = { accept: 'text/html' }
const tabOf = ({ vanityName }: GameRow) => `/studio/${vanityName}/builds`

async function open(game: GameRow): Promise<string> {
  return await (await maker.fetch(tabOf(game), { headers: html })).text()
}

async function save(game: GameRow, fields: Record<string, string>, who = maker) {
  const body = new URLSearchParams(
    Object.entries(fields).map(([name, value]) => [`web_player.${name}`, value] as [string, string]),
  )
  return await who.fetch(`${tabOf(game)}/web-player`, { method: 'POST', headers: html, body })
}

async function savedOf({ uid }: GameRow) {
  const [row] = await server.deps.db.select().from(games).where(eq(games.uid, uid))
  return row?.webPlayer
}

describe('the form Web player', () => {
  test('is there for a project with a web build, with its settings and their bounds', async () => {
    const game = await insertPublicGame(server, maker)
    await release(server, game.uid, { os: 'linux' })
    expect(await open(game)).not.toContain('Web player')
    await releaseWeb(server, game.uid)
    const text = await open(game)
    expect(text).toMatch(/<h2[^>]*>Web player<\/h2>/)
    expect(text).toContain('name="web_player.width" aria-describedby="web-player-web_player.width-hint"')
    expect(text).toContain('320 to 3840; 960 if empty.')
    expect(text).toContain('240 to 2160; 600 if empty.')
  })

  test('saves every setting; an empty size is the default', async () => {
    const game = await insertPublicGame(server, maker)
    await releaseWeb(server, game.uid)
    const answer = await save(game, { width: '1280', height: '', autostart: 'true', isolation: 'true' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${tabOf(game)}?done=web-player`])
    expect(await savedOf(game)).toEqual({
      width: 1280,
      height: WEB_PLAYER_DEFAULTS.height,
      isolation: true,
      autostart: true,
      signed_out: false,
      mobile: false,
      downloadable: false,
    })
    const text = await open(game)
    expect(text).toContain('value="1280"')
    expect(text).toMatch(/name="web_player.autostart" value="true" checked/)
    expect(text).not.toMatch(/name="web_player.mobile" value="true" checked/)
  })

  test.each([
    ['width', '319'],
    ['width', '3841'],
    ['height', '239'],
    ['height', '2161'],
    ['height', '600.5'],
    ['width', 'wide'],
  ])('names the fault of a %s of %s and keeps the entries', async (name, value) => {
    const game = await insertPublicGame(server, maker)
    await releaseWeb(server, game.uid)
    const answer = await save(game, { [name]: value, autostart: 'true' })
    const text = await answer.text()
    expect(answer.status).toBe(400)
    expect(text).toContain(`href="#web-player-web_player.${name}"`)
    expect(text).toContain(`id="web-player-web_player.${name}-fault"`)
    expect(text).toContain(`value="${value}"`)
    expect(text).toMatch(/name="web_player.autostart" value="true" checked/)
    expect(await savedOf(game)).toBeNull()
  })

  test('is for the makers of the project only', async () => {
    const game = await insertPublicGame(server, maker)
    expect((await save(game, { width: '800' }, await signUp(server))).status).toBe(404)
    expect(await savedOf(game)).toBeNull()
  })
})

describe('a web build in the studio', () => {
  test('can be tried where it has an entry page, on any channel', async () => {
    const game = await insertPublicGame(server, maker)
    const build = await releaseWeb(server, game.uid, undefined, { channel: 'dev' })
    expect(await open(game)).toContain(`href="/games/${game.vanityName}/play?build=${build.uid}"`)
  })

  test('says where the entry page was found instead', async () => {
    const game = await insertPublicGame(server, maker)
    const parts = [
      { name: 'build/web/index.html', data: 'x' },
      { name: 'readme.txt', data: 'x' },
    ]
    await releaseWeb(server, game.uid, parts)
    const text = await open(game)
    expect(text).toContain(
      'index.html was not found at the root; found at build/web/index.html. It is a download only.',
    )
    expect(text).not.toContain('Try it')
  })
})

test('a store without play origins says which setting is missing', async () => {
  const url = 'https://games.example.org'
  const other = await startTestServer({ BASE_URL: url })
  try {
    const owner = await signUp({ ...other, url })
    const game = await insertPublicGame(other, owner)
    await releaseWeb(other, game.uid)
    const text = await (await owner.fetch(tabOf(game), { headers: html })).text()
    expect(text).toContain('<code>PLAY_URL</code>')
    expect(text).not.toContain('Try it')
  } finally {
    await other.stop()
  }
})
