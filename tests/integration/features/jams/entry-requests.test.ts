import { beforeAll, describe, expect, test } from 'bun:test'

import {
  endJam,
  entryPath,
  inMinutes,
  insertFit,
  insertRunning,
  readState,
  submit,
} from '../../../helpers/jams/entries.ts'
import { type JamRow, moveJam } from '../../../helpers/jams/jams.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertAdmin } from '../../../helpers/listings.ts'
import type { GameRow } from '../../../helpers/listings.ts'
import { readMails } from '../../../helpers/mails.ts'
import { bearerOf, callTool } from '../../../helpers/mcp.ts'
import type { Person } from '../../../helpers/people.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
const admin = usePerson(server)
let agent: Record<string, string>
beforeAll(async () => {
  agent = bearerOf((await obtainToken(server, admin, 'mcp:builds.write')).access_token)
})

let count = 0
async function prepare(): Promise<{ jam: JamRow; game: GameRow }> {
  count += 1
  const game = await insertFit(server, owner, { name: `Star Harbour ${count};` })
  await insertAdmin(server, game.uid, admin, 'accepted')
  return { jam: await insertRunning(server), game }
}

const mailsAbout = async ({ name }: GameRow) =>
  (await readMails(server)).filter(({ text }) => text.includes(name))
const ask = (jam: JamRow, game: GameRow, body: object = {}) =>
  server.fetch(entryPath(jam, game), {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...agent },
    body: JSON.stringify(body),
  })
async function tokenFor(game: GameRow): Promise<string> {
  const mail = await waitFor('the mail', async () => (await mailsAbout(game))[0])
  expect(mail.to).toBe(owner.email)
  return mail.link.split('/').at(-1) ?? ''
}
const decide = (person: Person, token: string, decision = 'approve') =>
  person.json('POST', `/api/v1/private/approvals/${token}`, { decision })

describe("a program's entry", () => {
  test('waits for the approval of the owner, who is mailed once', async () => {
    const { jam, game } = await prepare()
    const first = await ask(jam, game, { note: 'Made by a program' })
    expect(first.status).toBe(202)
    expect(await readData(first)).toEqual({ approval: 'pending' })
    expect((await ask(jam, game)).status).toBe(202)
    const token = await tokenFor(game)
    expect((await readState(owner, jam, game)).entered).toBe(false)
    const page = await (await owner.fetch(`/approvals/${token}`)).text()
    expect(page).toContain(jam.title)
    expect(page).toContain('Made by a program')
    expect(await (await owner.fetch(`/studio/${game.vanityName}/jams`)).text()).toContain(
      'Waiting for approval',
    )
    expect((await decide(admin, token)).status).toBe(403)
    expect((await decide(owner, token)).status).toBe(200)
    expect(await readState(owner, jam, game)).toMatchObject({ entered: true, note: 'Made by a program' })
    expect((await decide(owner, token)).status).toBe(404)
    expect(await mailsAbout(game)).toHaveLength(1)
  })

  test('is not made when it is rejected, approved after the end, or does not fit', async () => {
    const { jam, game } = await prepare()
    await callTool(server, agent, 'enter_jam', { game_id: game.uid, jam: jam.slug })
    const token = await tokenFor(game)
    await endJam(server, jam)
    expect(await readFailure(await decide(owner, token))).toMatchObject({ status: 409, code: 4121 })
    expect((await ask(jam, game)).status).toBe(409)
    // It stays open: the hosts may move the end.
    await moveJam(server, jam, { endsAt: inMinutes(60), webRequired: true })
    expect(await readFailure(await decide(owner, token))).toMatchObject({ status: 422, code: 4236 })
    expect((await decide(owner, token, 'reject')).status).toBe(200)
    expect((await readState(owner, jam, game)).entered).toBe(false)
  })
})

test('searches find the listings of a jam', async () => {
  const { jam, game } = await prepare()
  await submit(owner, jam, game)
  const saved = await owner.json('PATCH', `/api/v1/private/games/${game.uid}`, { tagline: 'Jam of lights' })
  expect(saved.status).toBe(200)
  const find = async (slug: string) => {
    const answer = await server.fetch(`/api/v1/public/search?jam=${slug}`)
    return (await readData<{ items: { uid: string }[] }>(answer)).items.map(({ uid }) => uid)
  }
  await waitFor('it is found', async () => (await find(jam.slug)).length > 0)
  expect(await find(jam.slug)).toEqual([game.uid])
  expect(await find('no-such-jam')).toEqual([])
  expect(await (await server.fetch(`/search?jam=${jam.slug}`)).text()).toContain(game.name.replace(';', ''))
})
