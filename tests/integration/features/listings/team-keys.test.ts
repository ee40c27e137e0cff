import { describe, expect, test } from 'bun:test'

import { loadQueueState } from '../../../../src/jobs/queue.ts'
import { insertLink } from '../../../helpers/extstore/extstore-links.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { readMails, waitForMail } from '../../../helpers/mails.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const SUBJECT = 'Renew the keys of your listing'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

interface Pair {
  access_token: string
  secret_key: string
}

interface Team {
  owner: Person
  admin: Person
  game: GameRow
  username: string
}

async function makeTeam(): Promise<Team> {
  const [owner, admin] = await Promise.all([signUp(server, 'Olga Owner'), signUp(server)])
  for (const person of [owner, admin]) {
    await person.json('PATCH', '/api/v1/private/me', { developer_mode: true })
  }
  const { username } = await readData<{ username: string }>(await admin.fetch('/api/v1/private/me'))
  const game = await insertGame(server, owner, { name: 'The Last Lamp' })
  await insertAdmin(server, game.uid, admin, 'accepted')
  return { owner, admin, game, username }
}

const pathOf = ({ game }: Team, rest: string) => `/api/v1/private/games/${game.uid}/${rest}`
const issue = async (team: Team, person: Person) =>
  await readData<Pair>(await person.json('POST', pathOf(team, 'deploy-keys')))
const remove = async (team: Team, by: Person) =>
  await readData(await by.json('DELETE', pathOf(team, `admins/${team.admin.uid}`)))
const trust = async (team: Team, person: Person, fields: object) =>
  await person.json('POST', pathOf(team, 'publishers'), { provider: 'github', ...fields })
const readPublishers = async (team: Team) => {
  const found = await team.owner.fetch(pathOf(team, 'publishers'))
  return (await readData<{ items: { repository: string }[] }>(found)).items.map((item) => item.repository)
}
const listKeys = async (team: Team) => await readData(await team.owner.fetch(pathOf(team, 'deploy-keys')))
const use = ({ access_token, secret_key }: Pair) =>
  server.fetch('/api/v1/tool/upload/builds', {
    headers: { 'x-access-token': access_token, 'x-secret-key': secret_key },
  })

async function mailsTo({ owner }: Team): Promise<string[]> {
  await waitFor('every mail is sent', async () => (await loadQueueState(server.deps.db)).queued === 0)
  return (await readMails(server)).filter(({ to }) => to === owner.email).map(({ subject }) => subject)
}

describe('the deploy key of an admin who is removed', () => {
  test.each(['by the owner', 'by leaving'] as const)(
    '%s: ends with their publishers, and the owner is told',
    async (how) => {
      const team = await makeTeam()
      const pair = await issue(team, team.admin)
      const last4 = pair.access_token.slice(-4)
      const publisher = { repository: 'moss/garden', workflow: 'release.yml', ref: null }
      expect((await trust(team, team.admin, publisher)).status).toBe(201)
      expect((await trust(team, team.owner, { repository: 'moss/lamp' })).status).toBe(201)
      expect(await remove(team, how === 'by leaving' ? team.admin : team.owner)).toEqual({
        deploy_keys: [{ last4, created_at: expect.stringMatching(/Z$/) }],
        publishers: [publisher],
      })
      expect((await use(pair)).status).toBe(401)
      expect(await readPublishers(team)).toEqual(['moss/lamp'])
      const mail = await waitForMail(server, team.owner.email, SUBJECT)
      expect(mail.text).toContain(`${team.username} no longer helps run "The Last Lamp"`)
      expect(mail.text).toContain(`that ends in ${last4}`)
      expect(mail.text).toContain('trusted publisher moss/garden release.yml')
      expect(mail.link).toBe(`${server.url}/studio/${team.game.vanityName}/publishing`)
      expect(await listKeys(team)).toMatchObject({
        items: [{ last4, issued_by: { username: team.username, has_access: false } }],
      })
      const renewed = await issue(team, team.owner)
      expect((await use(renewed)).status).toBe(200)
    },
  )

  test('ends with the account too, and its owner is told', async () => {
    const team = await makeTeam()
    const pair = await issue(team, team.admin)
    await trust(team, team.admin, { repository: 'moss/garden' })
    const deleted = await team.admin.json('DELETE', '/api/v1/private/me', { password: team.admin.password })
    expect(deleted.status).toBe(200)
    expect((await use(pair)).status).toBe(401)
    expect(await readPublishers(team)).toEqual([])
    const mail = await waitForMail(server, team.owner.email, SUBJECT)
    expect(mail.text).toContain(`that ends in ${pair.access_token.slice(-4)}`)
    expect(mail.text).toContain('moss/garden')
  })

  test('is not spoken of when it was revoked before, or when the owner issued the key', async () => {
    const team = await makeTeam()
    await issue(team, team.admin)
    const pair = await issue(team, team.owner)
    expect(await remove(team, team.owner)).toEqual({})
    expect((await use(pair)).status).toBe(200)
    expect(await mailsTo(team)).not.toContain(SUBJECT)
  })

  test('the auth key of sign-in, which admins can read, is told too', async () => {
    const team = await makeTeam()
    const link = await insertLink(server.deps, team.game.uid)
    expect(await remove(team, team.owner)).toEqual({ extstore_auth_key_last4: link.authKey.slice(-4) })
    const mail = await waitForMail(server, team.owner.email, SUBJECT)
    expect(mail.text).toContain(`that ends in ${link.authKey.slice(-4)}`)
    expect(mail.link).toBe(`${server.url}/studio/${team.game.vanityName}/sign-in`)
    expect(mail.text).not.toContain(link.authKey)
  })

  test('who never accepted could read nothing: nothing is told', async () => {
    const team = await makeTeam()
    await insertLink(server.deps, team.game.uid)
    const invited = await signUp(server)
    await insertAdmin(server, team.game.uid, invited, 'invited')
    const answer = await team.owner.json('DELETE', pathOf(team, `admins/${invited.uid}`))
    expect(await readData(answer)).toEqual({})
    expect(await mailsTo(team)).not.toContain(SUBJECT)
  })
})

test('the list of deploy keys says who issued each, and whether they still help', async () => {
  const team = await makeTeam()
  await issue(team, team.owner)
  await issue(team, team.admin)
  const { username } = await readData<{ username: string }>(await team.owner.fetch('/api/v1/private/me'))
  expect(await listKeys(team)).toMatchObject({
    items: [
      { issued_by: { username: team.username, has_access: true }, revoked_at: null },
      { issued_by: { username, has_access: true } },
    ],
  })
})
