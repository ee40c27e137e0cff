import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { createUid } from '../../../src/lib/ids.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import type { Person } from '../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { submitForm } from '../../helpers/site/studio.ts'

let server: TestServer
let owner: Person
let game: GameRow
let build: { uid: string }
beforeAll(async () => {
  server = await startTestServer()
  owner = await signUpOperator(server)
  game = await insertPublicGame(server, owner)
  build = await insertBuild(server, game.uid)
})
afterAll(() => server.stop())

const ALERT = /<div class="notice bad faults" role="alert">.*?<li>(.*?)<\/li>/

/** Where the theme switch leads back to. */
const NEXT = /name="next" value="([^"]*)"/

const open = async (path: string) =>
  await (await owner.fetch(path, { redirect: 'follow', headers: { accept: 'text/html' } })).text()

describe('a form about something that is gone', () => {
  test.each<[string, string, () => string, Record<string, string>]>([
    ['a player key', 'Account', () => `/account/keys/${createUid()}/delete`, {}],
    ['an invitation', 'Invitations', () => `/dashboard/invites/${createUid()}`, { decision: 'accept' }],
    ['a job', 'Jobs', () => '/operate/jobs/987654321/retry', {}],
    ['a report', 'Reports', () => `/operate/reports/${createUid()}/dismiss`, {}],
    ['an entry to delete', 'Changelog', () => `/studio/${game.uid}/changelog/${createUid()}/delete`, {}],
    [
      'an entry to edit',
      'Changelog',
      () => `/studio/${game.uid}/changelog/${createUid()}`,
      { title: 'Fog', items: '', body: 'Thick', version: '' },
    ],
    [
      'the symbols of a build',
      'Builds',
      () => `/studio/${game.uid}/builds/${build.uid}/symbols`,
      { symbol_uid: createUid() },
    ],
  ])('%s: its page says so', async (_, heading, path, fields) => {
    const answer = await submitForm(owner, path(), fields)
    const page = await answer.text()
    expect([answer.status, ALERT.exec(page)?.[1]]).toEqual([404, expect.stringMatching(/\w+ .*\.$/)])
    expect(page).toContain(`<h1>${heading}</h1>`)
    expect(await open(NEXT.exec(page)?.[1] ?? '')).toContain(`<h1>${heading}</h1>`)
  })
})

describe('the notice after a form', () => {
  test('is shown by the name of what was done', async () => {
    expect(await open('/account?done=profile')).toContain('Your profile is saved.')
  })

  test.each(['constructor', 'toString', '__proto__', 'nothing'])('is none for %s', async (name) => {
    const pages = [`/account?done=${name}`, `/studio?done=${name}`, `/games/${game.vanityName}?done=${name}`]
    for (const page of pages) expect(await open(page)).not.toContain('class="notice good"')
  })
})
