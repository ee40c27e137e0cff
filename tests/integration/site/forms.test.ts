import { beforeAll, describe, expect, test } from 'bun:test'

import { DomUtils, parseDocument } from 'htmlparser2'

import { createUid } from '../../../src/lib/ids.ts'
import { insertBuild } from '../../helpers/builds.ts'
import { readData } from '../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { readCookies } from '../../helpers/people.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore()
const owner = usePerson(server, signUpOperator)
let game: GameRow
let build: { uid: string }
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
  build = await insertBuild(server, game.uid)
})

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

describe('what became of a form', () => {
  /** The page that a browser shows in the end. */
  async function send(path: string, fields: Record<string, string>): Promise<string> {
    const answer = await submitForm(owner, path, fields)
    const target = answer.headers.get('location')
    if (target === null) return await answer.text()
    const cookie = `${owner.cookie}; ${readCookies(answer)}`
    const page = await server.fetch(target, { headers: { cookie, accept: 'text/html' } })
    return await page.text()
  }

  /** The element that has the focus when the page opens, with whatever it is in. */
  function focusOf(page: string): { text: string; around: string[]; id: string | undefined } {
    const [focused, ...more] = DomUtils.findAll(({ attribs }) => 'autofocus' in attribs, parseDocument(page))
    if (!focused || more.length > 0) throw new Error('Not one element takes the focus')
    const around: string[] = []
    for (let node = focused.parent; node && 'attribs' in node; node = node.parent) {
      if (node.name === 'section') around.push(node.attribs['aria-labelledby'] ?? '')
      if (node.name === 'form') around.push(node.attribs.action ?? '')
    }
    return { text: DomUtils.textContent(focused), around, id: focused.attribs.id }
  }

  test.each<[string, string, Record<string, string>, string]>([
    [
      'not your password',
      '/account/password',
      { currentPassword: 'wrong', newPassword: 'a new password' },
      'password',
    ],
    ['not your password', '/account/email', { newEmail: 'new@example.org', password: 'wrong' }, 'email'],
    ['not your password', '/account/delete', { password: 'wrong' }, 'delete'],
    ['display name', '/account/profile', { username: 'ada', display_name: 'x'.repeat(51) }, 'profile'],
    ['https', '/account/profile', { username: 'ada', links: 'Site | http://a.example' }, 'profile'],
    ['ünfit', '/account/privacy', { hidden_tags: 'ünfit!' }, 'privacy'],
    ['label', '/account/keys', { label: '', scopes: 'player:read' }, 'keys'],
  ])('“%s” is said in the section of %s', async (message, path, fields, section) => {
    const { around, text } = focusOf(await send(path, fields))
    expect([around, text]).toEqual([[`${section}-title`], expect.stringContaining(message)])
  })

  test('a saved section has the focus at its address', async () => {
    const { around, text, id } = focusOf(
      await send('/account/profile', { username: `saver-${createUid().slice(-8)}` }),
    )
    expect([around, text, id]).toEqual([['profile-title'], 'Your profile is saved.', 'profile'])
  })

  test('something that was deleted is told where its kind is', async () => {
    const { uid } = await readData<{ uid: string }>(
      await owner.json('POST', '/api/v1/private/player-keys', { label: 'Old' }),
    )
    const { around, text } = focusOf(await send(`/account/keys/${uid}/delete`, {}))
    expect([around, text]).toEqual([['keys-title'], 'The key is deleted and no longer works.'])
  })

  test('forms of one address are told apart', async () => {
    const fields = { group: 'footer', revision: '0', do: 'save', 'footer_links.0.label': '' }
    const page = await send('/operate/settings', fields)
    expect(focusOf(page).around).toEqual(['footer-heading'])
  })

  test('a form outside of sections says it itself', async () => {
    const other = await insertPublicGame(server, await signUpOperator(server))
    await owner.json('POST', `/api/v1/private/games/${other.uid}/claim`)
    const action = `/games/${other.vanityName}/review`
    const { around } = focusOf(await send(action, { text: 'Good', stars: '' }))
    expect(around).toContain(action)
  })

  test.each<[string, string, () => string, Record<string, string>, () => string]>([
    [
      'a player key',
      'New player key',
      () => '/account/keys',
      { label: 'Launcher', scopes: 'player:read' },
      () => '/account/keys#keys',
    ],
    [
      'a deploy key',
      'Your new deploy key',
      () => `/studio/${game.vanityName}/deploy-keys`,
      {},
      () => `/studio/${game.vanityName}/publishing#keys`,
    ],
    ['invitations', 'New invitations', () => '/operate/invites', { count: '2' }, () => '/operate/invites'],
  ])('%s is shown once, on a page of its own', async (_, heading, path, fields, back) => {
    await owner.json('PATCH', '/api/v1/private/me', { developer_mode: true })
    const page = await send(path(), fields)
    expect(page).toContain(`<h1>${heading}</h1>`)
    expect(focusOf(page).text).toMatch(/not shown again/)
    expect(page).toContain(`href="${back()}">Done</a>`)
    // Nothing else that could be sent by mistake.
    const forms = DomUtils.getElementsByTagName('form', parseDocument(page))
    expect(forms.filter((form) => DomUtils.getAttributeValue(form, 'action') === path())).toEqual([])
  })

  test('a page without the form says it at its top', async () => {
    const page = await open('/account?done=profile')
    expect(focusOf(page)).toMatchObject({ around: [], text: 'Your profile is saved.' })
  })
})
