import { beforeAll, describe, expect, test } from 'bun:test'

import { bugReporters } from '../../../../src/db/schema/bugs.ts'
import type { BugReporter } from '../../../../src/features/bugs/settings/model.ts'
import { changeReporter, getReporter } from '../../../../src/features/bugs/settings/service.ts'
import { setReporter } from '../../../helpers/bugs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { readMails } from '../../../helpers/mails.ts'
import { bearerOf, callTool } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { asAgent, obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

describe('the bug reporter', () => {
  const server = useStore({ TRUST_PROXY: '1' })
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
    await verifyEmail(server, owner)
  })

  const pathOf = (uid: string) => `/api/v1/private/games/${uid}/bug-reporter`

  describe('the settings', () => {
    test('start off, without a key, which is made when the reporter is first turned on and stays', async () => {
      const { uid } = await insertGame(server, owner)
      expect(await readData<object>(await owner.fetch(pathOf(uid)))).toEqual({
        enabled: false,
        daily_cap: 10,
        webhook_urls: [],
        webhooks: [],
        signing_key: null,
      })
      const on = await setReporter(owner, uid)
      expect(on.signing_key).toMatch(/^[0-9a-f]{64}$/)
      const off = await setReporter(owner, uid, { enabled: false, daily_cap: 3 })
      expect(off).toEqual({ ...on, enabled: false, daily_cap: 3 })
      expect(await readData<object>(await owner.fetch(pathOf(uid)))).toEqual(off)
    })

    test('the key is encrypted at rest, and replaced for one game alone', async () => {
      const [one, two] = [await insertGame(server, owner), await insertGame(server, owner)]
      const [first, second] = [await setReporter(owner, one.uid), await setReporter(owner, two.uid)]
      const rows = await server.deps.db.select().from(bugReporters)
      expect(JSON.stringify(rows)).not.toContain(first.signing_key)
      const renewed = await readData<{ signing_key: string }>(
        await owner.json('POST', `${pathOf(one.uid)}/signing-key`),
      )
      expect(renewed).toEqual({ ...first, signing_key: renewed.signing_key })
      expect(renewed.signing_key).not.toBe(first.signing_key)
      expect(await setReporter(owner, two.uid, {})).toEqual(second)
    })

    test('programs see the last four characters of the key', async () => {
      const { uid } = await insertGame(server, owner)
      const { signing_key } = await setReporter(owner, uid)
      const agent = asAgent(owner.uid, 'x')
      const last4 = signing_key.slice(-4)
      expect((await getReporter(server.deps, agent, uid)).signing_key).toBe(last4)
      expect((await changeReporter(server.deps, agent, uid, { daily_cap: 5 })).signing_key).toBe(last4)
    })

    test.each([
      [{ daily_cap: 0 }],
      [{ daily_cap: 10_001 }],
      [{ daily_cap: 1.5 }],
      [{ enabled: 'yes' }],
      [{ cap: 5 }],
      [{ webhook_urls: Array.from({ length: 6 }, (_, index) => `https://example.org/${index}`) }],
      [{ webhook_urls: ['http://example.org/'] }],
      [{ webhook_urls: ['http://localhost/'] }],
      [{ webhook_urls: ['http://127.0.0.2/'] }],
      [{ webhook_urls: ['http://2130706433/'] }],
      [{ webhook_urls: ['http://0x7f000001/'] }],
      [{ webhook_urls: ['http://127.0.0.1.example.org/'] }],
      [{ webhook_urls: ['http://127.0.0.1@example.org/'] }],
      [{ webhook_urls: ['https://user:secret@example.org/'] }],
      [{ webhook_urls: ['ftp://example.org/', 'https://example.org/'] }],
      [{ webhook_urls: [`https://example.org/${'x'.repeat(2000)}`] }],
    ])('%j is refused and changes nothing', async (input) => {
      const { uid } = await insertGame(server, owner)
      const failure = await readFailure(await owner.json('PUT', pathOf(uid), { enabled: true, ...input }))
      expect(failure).toMatchObject({ status: 400, code: 4000 })
      expect(await readData<object>(await owner.fetch(pathOf(uid)))).toMatchObject({ enabled: false })
    })

    test('five URLs are accepted, the same one once, and a receiver on this machine', async () => {
      const { uid } = await insertGame(server, owner)
      const urls = [1, 2, 3].map((n) => `https://example.org/${n}`)
      const sent = [...urls, 'https://example.org/1', 'http://127.0.0.1:9000/bugs?x=1']
      const { webhook_urls } = await setReporter(owner, uid, { webhook_urls: sent })
      expect(webhook_urls).toEqual([...urls, 'http://127.0.0.1:9000/bugs?x=1'])
    })
  })
})

describe('approvals of webhooks', () => {
  const CHAT = 'https://discord.com/api/webhooks/1/secret-token'
  const NEW = 'https://elsewhere.example/hook?key=1'

  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let owner: Person
  let agent: Record<string, string>
  beforeAll(async () => {
    owner = await signUp(server)
    await verifyEmail(server, owner)
    agent = await agentOf(owner)
  })

  async function agentOf(person: Person): Promise<Record<string, string>> {
    const { access_token } = await obtainToken(server, person, 'mcp:bugs.read mcp:bugs.write')
    return bearerOf(access_token)
  }

  let count = 0
  async function newGame(webhook_urls: string[] = [CHAT]): Promise<GameRow> {
    const game = await insertGame(server, owner, { name: `Tide Lantern ${(count += 1)};` })
    await setReporter(owner, game.uid, { enabled: true, webhook_urls })
    return game
  }

  const ask = (game: GameRow, input: object, headers = agent) =>
    callTool(server, headers, 'set_bug_reporter', { game_id: game.uid, ...input })
  const readSaved = async (game: GameRow) =>
    await readData<BugReporter>(await owner.fetch(`/api/v1/private/games/${game.uid}/bug-reporter`))
  const mailsAbout = async (game: GameRow) =>
    (await readMails(server)).filter(({ text }) => text.includes(game.name))
  const decide = (person: Person, token: string, decision: string) =>
    person.json('POST', `/api/v1/private/approvals/${token}`, { decision })

  async function mailedToken(game: GameRow): Promise<string> {
    const mail = await waitFor('the mail', async () => (await mailsAbout(game))[0])
    expect(mail.to).toBe(owner.email)
    return mail.link.split('/').at(-1) ?? ''
  }

  describe('new webhooks that an agent asks for', () => {
    test('wait for the owner, while the other settings are changed', async () => {
      const game = await newGame()
      const asked = await ask(game, { daily_cap: 7, webhook_urls: ['https://discord.com', NEW] })
      expect(asked.data).toMatchObject({ approval: 'pending', daily_cap: 7 })
      expect(await readSaved(game)).toMatchObject({ daily_cap: 7, webhook_urls: [CHAT] })
      const token = await mailedToken(game)
      const page = await (await owner.fetch(`/approvals/${token}`)).text()
      for (const part of [game.name, CHAT, 'elsewhere.example/hook', 'A test client for']) {
        expect(page).toContain(part)
      }
      expect(await readData<object>(await decide(owner, token, 'approve'))).toEqual({ approval: 'approved' })
      expect(await readSaved(game)).toMatchObject({ webhook_urls: [CHAT, NEW] })
      expect((await decide(owner, token, 'approve')).status).toBe(404)
    })

    test('are not set when the owner rejects them', async () => {
      const game = await newGame()
      await ask(game, { webhook_urls: [NEW] })
      const token = await mailedToken(game)
      expect(await readData<object>(await decide(owner, token, 'reject'))).toEqual({ approval: 'rejected' })
      expect(await readSaved(game)).toMatchObject({ webhook_urls: [CHAT] })
    })

    test('are asked for once: again without a mail, and others not before it is decided', async () => {
      const game = await newGame()
      for (let n = 0; n < 3; n += 1) {
        expect((await ask(game, { webhook_urls: [NEW] })).data).toMatchObject({ approval: 'pending' })
      }
      expect((await ask(game, { webhook_urls: ['https://third.example/'] })).code).toBe(4090)
      await mailedToken(game)
      expect(await mailsAbout(game)).toHaveLength(1)
    })

    test('of an admin are decided by the owner alone, also in the studio', async () => {
      const game = await newGame()
      const admin = await signUp(server)
      await insertAdmin(server, game.uid, admin, 'accepted')
      await ask(game, { webhook_urls: [NEW] }, await agentOf(admin))
      const token = await mailedToken(game)
      expect((await decide(admin, token, 'approve')).status).toBe(403)
      const path = `/studio/${game.vanityName}/bugs/settings`
      expect(await (await admin.fetch(path)).text()).toContain('Only the owner can approve it.')
      const page = await (await owner.fetch(path)).text()
      const [action = ''] = /\/studio\/[\w-]+\/bugs\/settings\/approvals\/[0-9a-f-]+/.exec(page) ?? []
      const form = { method: 'POST', body: new URLSearchParams({ decision: 'approve' }) }
      expect((await admin.fetch(action, form)).status).toBe(403)
      expect((await owner.fetch(action, form)).status).toBe(303)
      expect(await readSaved(game)).toMatchObject({ webhook_urls: [NEW] })
    })

    test('need the confirmed address of the owner, as everyone’s do', async () => {
      const newcomer = await signUp(server)
      const game = await insertGame(server, newcomer)
      const refused = await ask(game, { webhook_urls: [NEW] }, await agentOf(newcomer))
      expect(refused.code).toBe(4096)
    })

    test('are judged like those of the owner', async () => {
      const chats = [1, 2, 3].map((n) => `${CHAT}${n}`)
      const more = [1, 2, 3].map((n) => `https://elsewhere.example/${n}`)
      const tooMany = await ask(await newGame(chats), { webhook_urls: ['https://discord.com', ...more] })
      expect(tooMany.code).toBe(4000)
      const refused = await ask(await newGame(), { webhook_urls: ['https://169.254.169.254/latest'] })
      expect(refused.code).toBe(4000)
    })
  })

  describe('without approval', () => {
    test('an agent removes webhooks and keeps those it names as it sees them', async () => {
      const game = await newGame([CHAT, NEW])
      const kept = await ask(game, { webhook_urls: ['https://discord.com'] })
      expect(kept.data).not.toHaveProperty('approval')
      expect(await readSaved(game)).toMatchObject({ webhook_urls: [CHAT] })
      await ask(game, { webhook_urls: [] })
      expect(await readSaved(game)).toMatchObject({ webhook_urls: [] })
      expect(await mailsAbout(game)).toEqual([])
    })
  })

  test('agents see webhooks without path and query, in every part of an answer', async () => {
    const game = await newGame([CHAT, NEW])
    const read = await callTool(server, agent, 'get_bug_reporter', { game_id: game.uid })
    expect(read.data).toMatchObject({
      webhook_urls: ['https://discord.com', 'https://elsewhere.example'],
      webhooks: [{ url: 'https://discord.com' }, { url: 'https://elsewhere.example' }],
    })
    const changed = await ask(game, { daily_cap: 2 })
    for (const answer of [read, changed]) expect(JSON.stringify(answer)).not.toMatch(/secret-token|key=1/)
  })

  test('the mailed link is of no use to others', async () => {
    const game = await newGame()
    await ask(game, { webhook_urls: [NEW] })
    const stranger = await signUp(server)
    const token = await mailedToken(game)
    const signedOut = await server.fetch(`/approvals/${token}`)
    expect(signedOut.headers.get('location')).toStartWith('/sign-in?next=')
    expect((await stranger.fetch(`/approvals/${token}`)).status).toBe(404)
    expect(await readFailure(await decide(stranger, token, 'approve'))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })
})
