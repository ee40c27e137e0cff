import { describe, expect, test } from 'bun:test'

import type { NewInvitations } from '../../../../src/features/operate/accounts/model.ts'
import type { WaitingPublication } from '../../../../src/features/operate/moderation/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { type KeptMail, readMails, waitForMail } from '../../../helpers/mails.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { indexNow } from '../../../helpers/search/search.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all', OPERATORS: 'named@example.org' })
const operator = usePerson(server, signUpOperator)

const patch = async (body: object) => {
  expect((await operator.json('PATCH', '/api/v1/operator/settings', body)).status).toBe(200)
}

let count = 0
async function tryToSignUp(fields: { email?: string; invite?: string } = {}): Promise<number> {
  count += 1
  const answer = await server.fetch('/api/auth/sign-up/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': randomAddress() },
    body: JSON.stringify({
      name: 'Someone',
      email: `sign-up-${count}@example.org`,
      password: 'a long password',
      ...fields,
    }),
  })
  return answer.status
}

const invite = async (body: object) => await readData<NewInvitations>(await act(operator, 'invites', body))

describe('sign-up', () => {
  test('by invitation needs a code that is known, unused and not too old', async () => {
    await patch({ sign_up: 'invite' })
    expect(await tryToSignUp()).toBe(403)
    expect(await tryToSignUp({ invite: 'aaaa-bbbb-cccc-dddd' })).toBe(403)
    const { codes, invites } = await invite({ count: 2, uses: 1 })
    const [first = '', second = ''] = codes
    expect(await tryToSignUp({ invite: first.toUpperCase().replaceAll('-', ' ') })).toBe(200)
    expect(await tryToSignUp({ invite: first })).toBe(403)
    expect(
      (await operator.fetch(`/api/v1/operator/invites/${invites[1]?.uid}`, { method: 'DELETE' })).status,
    ).toBe(200)
    expect(await tryToSignUp({ invite: second })).toBe(403)
    const expired = await invite({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    await server.deps.db.execute('update invitations set expires_at = now() where expires_at is not null')
    expect(await tryToSignUp({ invite: expired.codes[0] ?? '' })).toBe(403)
    expect((await act(operator, 'invites', { expires_at: '2020-01-01T00:00:00.000Z' })).status).toBe(400)
  })

  test('lets in as many as a code allows, also at once, and a sign-up that fails uses nothing up', async () => {
    const { codes } = await invite({ uses: 2 })
    const [code = ''] = codes
    expect(await tryToSignUp({ invite: code, email: operator.email })).not.toBe(200)
    const all = await Promise.all(Array.from({ length: 4 }, () => tryToSignUp({ invite: code })))
    expect(all.toSorted((a, b) => a - b)).toEqual([200, 200, 403, 403])
  })

  test('codes are stored as hashes, and listed only by their beginning', async () => {
    const { codes } = await invite({})
    const [code = ''] = codes
    const stored = JSON.stringify(await server.deps.db.execute('select * from invitations'))
    expect(stored).not.toContain(code)
    const listed = await (await operator.fetch('/api/v1/operator/invites')).text()
    expect(listed).toContain(code.slice(0, 4))
    expect(listed).not.toContain(code)
  })

  test('that is closed is for those whom operators add, and those whom OPERATORS names', async () => {
    await patch({ sign_up: 'closed' })
    const { codes } = await invite({})
    expect(await tryToSignUp()).toBe(403)
    expect(await tryToSignUp({ invite: codes[0] ?? '' })).toBe(403)
    const page = await readPage(server, '/sign-up')
    expect(page).toContain('This store adds accounts itself')
    expect(page).not.toContain('name="password"')
    expect((await act(operator, 'accounts', { email: 'welcome@example.org' })).status).toBe(201)
    const mail = await waitForMail(server, 'welcome@example.org', 'Your account at Playshelf')
    const code = new URL(mail.link).searchParams.get('invite') ?? ''
    expect(await tryToSignUp({ invite: code, email: 'stranger@example.org' })).toBe(403)
    const form = await readPage(server, `/sign-up?invite=${code}`)
    expect(form).toContain(`value="${code}"`)
    expect(await tryToSignUp({ invite: code, email: 'welcome@example.org' })).toBe(200)
    expect(await tryToSignUp({ email: 'named@example.org' })).toBe(200)
    await patch({ sign_up: null })
    expect(await tryToSignUp()).toBe(200)
  })

  test('names the terms and the privacy page where they exist', async () => {
    const read = () => readPage(server, '/sign-up')
    expect(await read()).not.toContain('you agree to')
    const page = (slug: string, title: string) => ({ slug, title, markdown: 'Text' })
    await patch({ pages: [page('privacy', 'Privacy'), page('terms', 'Our terms')] })
    expect(await read()).toMatch(/you agree to.*\/pages\/terms.*Our terms.*\/pages\/privacy/s)
    await patch({ pages: null })
  })
})

async function draft(owner: Person) {
  const game = await insertPublicGame(server, owner, { publishedAt: null, visibility: 'draft' })
  const publish = () =>
    owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, { visibility: 'public' })
  return {
    ...game,
    publish,
    isPublic: async () => (await server.fetch(`/api/v1/public/games/${game.uid}`)).status === 200,
  }
}

async function developer(): Promise<Person> {
  const person = await signUp(server)
  await verifyEmail(server, person)
  return person
}

describe('publishing that is approved', () => {
  const queue = async () =>
    (await readData<Paged<WaitingPublication>>(await operator.fetch('/api/v1/operator/queue'))).items

  test('has the first publication of a developer wait, and later ones not', async () => {
    await patch({ publishing: 'approved' })
    const owner = await developer()
    const game = await draft(owner)
    const answer = await game.publish()
    expect([answer.status, await readData<object>(answer)]).toEqual([
      202,
      { visibility: 'draft', approval: 'pending' },
    ])
    expect(await game.isPublic()).toBe(false)
    expect((await queue()).map(({ uid }) => uid)).toContain(game.uid)
    expect((await act(operator, `queue/${game.uid}/approve`)).status).toBe(200)
    expect(await game.isPublic()).toBe(true)
    await waitForMail(server, owner.email, `${game.name} is published`)
    expect((await act(operator, `queue/${game.uid}/approve`)).status).toBe(409)
    expect((await (await draft(owner)).publish()).status).toBe(200)
  })

  test('is told to operators with a confirmed address: a mail at once, then one an hour, and a number on their pages', async () => {
    const subject = 'A page waits for your approval'
    const isTold = (mail: KeptMail) => mail.subject.includes('wait for your') || mail.subject === subject
    const told = async () => (await readMails(server)).filter(isTold)
    const before = (await told()).length
    const second = await signUpOperator(server)
    await server.deps.db.execute("delete from rate_counts where key like 'waiting%'")
    const first = await draft(await developer())
    await first.publish()
    await waitForMail(server, second.email, subject)
    const mail = (await told()).findLast(({ to }) => to === operator.email)
    expect(mail?.text).toContain(first.name)
    expect(mail?.link).toBe(`${server.url}/operate/queue`)
    expect((await told()).map(({ to }) => to)).not.toContain('named@example.org')

    const others = [await draft(await developer()), await draft(await developer())]
    for (const { publish } of others) {
      await publish()
      // Asking again while it waits is not another publication.
      await publish()
    }
    const deferred = async () => {
      const rows = await server.deps.db.execute<{ due: number }>(
        "select extract(epoch from run_at - now())::float8 as due from graphile_worker.jobs where task_identifier = 'publications.announce'",
      )
      return rows.length === 1 && (rows[0]?.due ?? 0) > 60
    }
    await waitFor('the next mail is put off', deferred)
    expect((await told()).length - before).toBe(2)

    const page = await readPage(operator, '/operate')
    expect(page).toMatch(/<strong>3<\/strong><a href="\/operate\/queue">Waiting publications/)
    for (const path of ['/operate', '/operate/audit', '/operate/settings']) {
      const text = await readPage(operator, path)
      expect(text).toMatch(/href="\/operate\/queue"[^>]*>Queue <span[^>]*>3/)
    }

    await server.deps.db.execute("update rate_counts set ends_at = now() where key like 'waiting%'")
    await server.deps.db.execute(
      "select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs where task_identifier = 'publications.announce'), run_at => now())",
    )
    const merged = await waitForMail(server, second.email, '3 pages wait for your approval')
    for (const { name } of [first, ...others]) expect(merged.text).toContain(name)
    for (const { uid } of [first, ...others])
      expect((await act(operator, `queue/${uid}/decline`, { reason: 'Tried out.' })).status).toBe(200)
  })

  test('is declined with a reason by mail; the page stays a draft and can be published again', async () => {
    const owner = await developer()
    const game = await draft(owner)
    await game.publish()
    expect(
      (await act(operator, `queue/${game.uid}/decline`, { reason: 'The cover is blurred.' })).status,
    ).toBe(200)
    const { text } = await waitForMail(server, owner.email, `${game.name} was not published`)
    expect(text).toContain('The cover is blurred.')
    expect(await game.isPublic()).toBe(false)
    expect((await game.publish()).status).toBe(202)
    const withdraw = { visibility: 'draft' }
    expect((await owner.json('PUT', `/api/v1/private/games/${game.uid}/visibility`, withdraw)).status).toBe(
      200,
    )
    expect((await queue()).map(({ uid }) => uid)).not.toContain(game.uid)
  })

  test('concerns pages that open by their link too, and not those who published before', async () => {
    const owner = await developer()
    const hidden = await draft(owner)
    const path = `/api/v1/private/games/${hidden.uid}/visibility`
    expect((await owner.json('PUT', path, { visibility: 'invisible' })).status).toBe(202)
    const known = await developer()
    await insertPublicGame(server, known, { publishedAt: new Date() })
    expect((await (await draft(known)).publish()).status).toBe(200)
    await patch({ publishing: null })
    expect((await (await draft(await developer())).publish()).status).toBe(200)
  })
})

describe('adult content that is not allowed', () => {
  test('is hidden at once, cannot be published or restored, and comes back when it is allowed', async () => {
    const owner = await developer()
    const adult = await insertPublicGame(server, owner, { adult: true, contentWarnings: ['gore'] })
    const mild = await insertPublicGame(server, owner)
    await indexNow(server, adult.uid)
    const status = async (uid: string) => (await server.fetch(`/api/v1/public/games/${uid}`)).status
    expect([await status(adult.uid), await status(mild.uid)]).toEqual([200, 200])
    await patch({ adult_content: 'not_allowed' })
    expect([await status(adult.uid), await status(mild.uid)]).toEqual([404, 200])
    const page = await server.fetch(`/games/${adult.vanityName}`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(404)
    expect((await act(operator, `listings/${adult.uid}/restore`)).status).toBe(422)
    const own = await draft(owner)
    await owner.json('PATCH', `/api/v1/private/games/${own.uid}`, { adult: true, content_warnings: ['gore'] })
    expect(await readFailure(await own.publish())).toMatchObject({ status: 422, code: 4225 })
    const edit = await owner.json('PATCH', `/api/v1/private/games/${mild.uid}`, {
      adult: true,
      content_warnings: ['gore'],
    })
    expect(edit.status).toBe(422)
    await patch({ adult_content: null })
    expect(await status(adult.uid)).toBe(200)
    expect((await own.publish()).status).toBe(200)
  })
})

describe('the rest', () => {
  test('indexing that is off closes robots.txt, the sitemap and every page', async () => {
    const text = (path: string) => readPage(server, path)
    await patch({ indexing: false })
    expect(await text('/robots.txt')).toBe('User-agent: *\nDisallow: /\n')
    expect(await text('/sitemap.xml')).not.toContain('<url>')
    expect(await text('/')).toContain('<meta name="robots" content="noindex"')
    await patch({ indexing: null })
    expect(await text('/')).not.toContain('noindex')
    expect(await text('/sitemap.xml')).toContain('<url>')
  })

  test('the fee is the one of the store rules, on the page and in the API', async () => {
    await patch({ fee_percent: 17 })
    expect(await readData<object>(await server.fetch('/api/v1/public/store-rules'))).toMatchObject({
      fee_percent: 17,
    })
    expect(await (await server.fetch('/rules')).text()).toContain('The store keeps 17 %')
    await patch({ fee_percent: null })
  })

  test('the contact is in security.txt, which is missing without one', async () => {
    expect((await server.fetch('/.well-known/security.txt')).status).toBe(404)
    await patch({ contact: 'help@example.org' })
    const text = await (await server.fetch('/.well-known/security.txt')).text()
    expect(text).toMatch(/^Contact: mailto:help@example\.org\nExpires: \d{4}-\d\d-\d\dT/)
    expect(await (await server.fetch('/rules')).text()).toContain('href="mailto:help@example.org"')
    await patch({ contact: null })
  })
})
