import { describe, expect, test } from 'bun:test'

import { settingsOf } from '../../../../src/features/settings/reader.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import {
  editJam,
  inHours,
  insertHost,
  insertJam,
  insertMember,
  readJam,
  readOwnJam,
} from '../../../helpers/jams/jams.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { startTwin } from '../../../helpers/server.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { faultOf, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)
const host = usePerson(server)
const player = usePerson(server)

const statusOf = async (path: string, person?: Person) =>
  (await (person ?? server).fetch(path, { headers: { accept: 'text/html' }, redirect: 'manual' })).status
/** As fields for times have it. */
const minute = (time: string) => time.slice(0, 16)

const FIELDS = {
  title: 'Form Jam',
  slug: '',
  tagline: 'From a form',
  text: 'Line one\r\nLine two',
  theme: 'Forms',
  starts_at: minute(inHours(24)),
  ends_at: minute(inHours(48)),
  voting_ends_at: minute(inHours(72)),
  grace_minutes: '10',
  visibility: 'draft',
  entry: 'open',
  entries_per_person: '2',
  types: ['game', 'tool'],
  voters: 'everyone',
  min_ratings: '4',
  'criteria.0.name': 'Fun',
  'criteria.0.text': 'Was it?',
  'criteria.1.name': '',
  'criteria.2.name': 'Look',
  primary: '2',
  hosts: '',
  judges: '',
} as const

describe('/jams', () => {
  test('has sections by state, and one state alone in pages', async () => {
    const jams = await Promise.all(
      (['running', 'coming', 'voting', 'past'] as const).map((state) => insertJam(server, { state })),
    )
    const page = await readPage(server, '/jams')
    for (const { title } of jams) expect(page).toContain(title)
    const order = ['Running', 'Coming', 'Voting', 'Past'].map((label) => page.indexOf(`>${label}</h2>`))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(page).toMatch(
      /Ends <span data-zoned="[^"]+"><time[^>]*>\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time><\/span>/,
    )
    expect(page).toContain(', in 47 hours')
    expect(page).not.toContain('/jams/new')
    expect(await readPage(operator, '/jams')).toContain('/jams/new')
    const past = await readPage(server, '/jams?state=past')
    expect(past).toContain(jams[3]?.title ?? '')
    expect(past).not.toContain(jams[0]?.title ?? '')
  })

  test('are in the header from the first page of a process on', async () => {
    await insertJam(server)
    const started = await startTwin(server)
    try {
      expect(await readPage(started, '/rules')).toContain('<a href="/jams"')
    } finally {
      await started.stop()
    }
  })

  test('shows own drafts to their host, and the header leads there once there is a public jam', async () => {
    const draft = await insertJam(server, { host, visibility: 'draft' })
    expect(await readPage(host, '/jams')).toContain(draft.title)
    expect(await readPage(player, '/jams')).not.toContain(draft.title)
    await insertJam(server)
    await waitFor('the link in the header', async () =>
      (await readPage(server, '/rules')).includes('<a href="/jams"'),
    )
    const missing = await server.fetch('/no-such-page', { headers: { accept: 'text/html' } })
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('<a href="/jams"')])
  })

  test('is a section of the home page where operators want it', async () => {
    const jam = await insertJam(server, {
      state: 'running',
      title: 'Jam at home',
      endsAt: new Date(inHours(1)),
    })
    expect(await readPage(server, '/')).not.toContain(jam.title)
    await operator.json('PATCH', '/api/v1/operator/settings', { home: ['jams', 'newest'] })
    await settingsOf(server.deps).refresh()
    await editJam(operator, jam, { text: 'Changed, so that every process hears of it' })
    await waitFor('the jam on the home page', async () => (await readPage(server, '/')).includes(jam.title))
    await operator.json('PATCH', '/api/v1/operator/settings', { home: null })
  })

  test('is in the sitemap and has a feed, without drafts, unlisted jams and hidden themes', async () => {
    const shown = await insertJam(server, {
      title: '<b>Fed</b>',
      tagline: '<i>Bare</i>',
      theme: 'A secret',
      themeHidden: true,
    })
    const hidden = await Promise.all([
      insertJam(server, { visibility: 'unlisted' }),
      insertJam(server, { visibility: 'draft' }),
    ])
    const feed = await (await server.fetch('/jams/feed.xml')).text()
    const map = await (await server.fetch('/sitemap.xml')).text()
    for (const text of [feed, map]) {
      expect(text).toContain(`/jams/${shown.slug}`)
      for (const { slug } of hidden) expect(text).not.toContain(slug)
    }
    expect(feed).toContain('&lt;b&gt;Fed&lt;/b&gt;')
    // Readers unescape the content once and show it as HTML.
    expect(feed).toContain('&amp;lt;i&amp;gt;Bare')
    expect(feed).not.toContain('A secret')
  })
})

describe('the page of a jam', () => {
  test('has texts as text, times, rules, people and changes', async () => {
    const jam = await insertJam(server, {
      state: 'running',
      host,
      title: '<i>Lantern</i>',
      text: '# Rules\n\n<script>alert(1)</script>',
      theme: '"Light" & dark',
      types: ['game'],
      platforms: ['web'],
      webRequired: true,
      criteria: [{ name: '<script>alert(2)</script>', text: 'Look <b>', primary: false }],
    })
    await insertMember(server, jam, player)
    await editJam(host, jam, { text: '# New rules' })
    const page = await readPage(server, `/jams/${jam.slug}`)
    expect(page).not.toMatch(/<script>|<i>Lantern|Look <b>/)
    for (const text of [
      '&lt;i>Lantern',
      'New rules',
      '&quot;Light&quot; &amp; dark',
      '&lt;script>alert(2)',
      'Types: Game.',
      'Systems: Web.',
      'Entries run in the browser.',
      'The text was changed.',
      await usernameOf(host),
      await usernameOf(player),
      `<link rel="canonical" href="${server.url}/jams/${jam.slug}"/>`,
      'Sign in to join',
    ])
      expect(page).toContain(text)
  })

  test('is for hosts and operators alone while it is a draft, and not indexed with the link only', async () => {
    const draft = await insertJam(server, { host, visibility: 'draft' })
    const path = `/jams/${draft.slug}`
    const pages = ['', '/manage', '/manage/codes', '/participants', '.ics']
    for (const tail of pages) {
      expect(await statusOf(path + tail)).toBeOneOf([303, 404])
      expect(await statusOf(path + tail, player)).toBe(404)
      expect(await statusOf(path + tail, host)).toBe(tail === '.ics' ? 404 : 200)
      expect(await statusOf(path + tail, operator)).toBe(tail === '.ics' ? 404 : 200)
    }
    const unlisted = await insertJam(server, { visibility: 'unlisted' })
    expect(await readPage(server, `/jams/${unlisted.slug}`)).toContain('content="noindex"')
    expect(await statusOf('/jams/no-such-jam')).toBe(404)
    expect(await statusOf('/jams/%00')).toBeOneOf([400, 404])
  })

  test('lets people join and leave, with a code where one is needed', async () => {
    const person = await signUp(server)
    const open = await insertJam(server)
    const joined = await submitForm(person, `/jams/${open.slug}/join`, {})
    expect(joined.headers.get('location')).toBe(`/jams/${open.slug}?done=joined#joining`)
    expect(await readPage(person, `/jams/${open.slug}?done=joined`)).toContain('You joined.')
    await submitForm(person, `/jams/${open.slug}/leave`, {})
    expect((await readJam(server, open.uid)).participants).toBe(0)
    const invited = await insertJam(server, { entry: 'invited' })
    const refused = await submitForm(person, `/jams/${invited.slug}/join`, { code: 'wrong' })
    expect(refused.status).toBe(404)
    expect(await refused.text()).toContain('This code does not work')
    const past = await insertJam(server, { state: 'past' })
    const late = await submitForm(person, `/jams/${past.slug}/join`, {})
    expect([late.status, (await late.text()).includes('This jam is over.')]).toEqual([409, true])
  })

  test('has a calendar', async () => {
    const jam = await insertJam(server)
    const answer = await server.fetch(`/jams/${jam.slug}.ics`)
    expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    const text = await answer.text()
    expect(text).toStartWith('BEGIN:VCALENDAR\r\n')
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(2)
    expect((await server.fetch(`/jams/${jam.uid}.ics`)).status).toBe(200)
  })

  test('lists everyone who joined in pages', async () => {
    const jam = await insertJam(server)
    await Promise.all([host, player].map((person) => insertMember(server, jam, person)))
    const path = `/jams/${jam.slug}/participants?page_size=1`
    const pages = [await readPage(server, path), await readPage(server, `${path}&page=2`)]
    const names = await Promise.all([host, player].map(usernameOf))
    for (const name of names) expect(pages.join('')).toContain(name)
    expect(pages[0]).toContain('Next page')
  })
})

describe('/jams/new', () => {
  test('makes a jam of the form, for those who may', async () => {
    expect(await statusOf('/jams/new')).toBe(303)
    expect(await statusOf('/jams/new', player)).toBe(403)
    expect(await readPage(operator, '/jams/new')).toContain('Make the jam')
    const made = await submitForm(operator, '/jams/new', FIELDS)
    expect(made.headers.get('location')).toBe('/jams/form-jam?done=created')
    expect(await readOwnJam(operator, 'form-jam')).toMatchObject({
      title: 'Form Jam',
      text: 'Line one\nLine two',
      starts_at: `${FIELDS.starts_at}:00.000Z`,
      voting_ends_at: `${FIELDS.voting_ends_at}:00.000Z`,
      types: ['game', 'tool'],
      platforms: [],
      must_play: false,
      min_ratings: 4,
      criteria: [
        { name: 'Fun', text: 'Was it?', primary: false },
        { name: 'Look', text: '', primary: true },
      ],
    })
  })

  test('tells faults at their fields and keeps what was typed', async () => {
    const answer = await submitForm(operator, '/jams/new', {
      ...FIELDS,
      title: '',
      ends_at: FIELDS.starts_at,
      tagline: '<b>kept</b>',
      'criteria.2.name': 'fun',
      hosts: `${await usernameOf(host)}\nnobody-of-this-name`,
    })
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(faultOf(page, 'title')).toBe('Enter the title.')
    expect(faultOf(page, 'ends_at')).toContain('1 hour to 90 days after the start')
    expect(faultOf(page, 'criteria.2.name')).toContain('must differ from the names')
    expect(page).toContain('&lt;b>kept')
    const unknown = await submitForm(operator, '/jams/new', { ...FIELDS, hosts: 'nobody-of-this-name' })
    expect(faultOf(await unknown.text(), 'hosts')).toContain('must be the name of an account')
    const empty = await submitForm(operator, '/jams/new', { ...FIELDS, starts_at: '', ends_at: '' })
    expect(faultOf(await empty.text(), 'starts_at')).toBe('Enter the start.')
  })
})

describe('/jams/{slug}/manage', () => {
  const manage = (jam: { slug: string }, tail = '') => `/jams/${jam.slug}/manage${tail}`
  const whole = (jam: { title: string }, fields: object = {}) => ({
    ...FIELDS,
    title: jam.title,
    form: 'whole',
    revision: '1',
    ...fields,
  })

  test('saves everything before the start, and tells a host whose version is old', async () => {
    const jam = await insertJam(server, { host })
    const [name, other] = [await usernameOf(host), await signUp(server)]
    await insertHost(server, jam, other)
    const hosts = `${name}\n${await usernameOf(other)}`
    const saved = await submitForm(
      host,
      manage(jam),
      whole(jam, { slug: 'managed', visibility: 'public', hosts }),
    )
    expect(saved.headers.get('location')).toBe('/jams/managed/manage?done=saved')
    expect(await readPage(host, '/jams/managed/manage?done=saved')).toContain('The jam is saved.')
    const stale = await submitForm(
      other,
      '/jams/managed/manage',
      whole(jam, { hosts, visibility: 'public', text: 'Typed meanwhile' }),
    )
    expect(stale.status).toBe(412)
    const page = await stale.text()
    expect(page).toContain('Their version')
    expect(page).toContain('Typed meanwhile')
    expect(page).toContain('name="revision" value="2"')
    const again = whole(jam, { hosts, visibility: 'public', text: 'Typed meanwhile', revision: '2' })
    expect((await submitForm(other, '/jams/managed/manage', again)).status).toBe(303)
    expect((await readJam(server, 'managed')).text).toBe('Typed meanwhile')
  })

  test('after the start has only what may change, and keeps the seconds of times', async () => {
    const jam = await insertJam(server, { state: 'running', host })
    const page = await readPage(host, manage(jam))
    expect(page).not.toMatch(/id="(title|theme|starts_at|criteria\.0\.name)"/)
    const fields = {
      form: 'started',
      revision: '1',
      text: 'New',
      ends_at: minute(jam.endsAt.toISOString()),
      voting_ends_at: minute(jam.votingEndsAt?.toISOString() ?? ''),
      hosts: await usernameOf(host),
      judges: '',
    }
    expect((await submitForm(host, manage(jam), fields)).status).toBe(303)
    const shown = await readJam(server, jam.uid)
    expect(shown).toMatchObject({ text: 'New', ends_at: jam.endsAt.toISOString() })
    expect(shown.changes.map(({ text }) => text)).toEqual(['The text was changed.'])
    const refused = await submitForm(host, manage(jam), whole(jam, { revision: '2', hosts: fields.hosts }))
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('The jam has started')
  })

  test('shows the ends that can still move', async () => {
    for (const [state, ends] of [
      ['running', ['ends_at', 'voting_ends_at']],
      ['voting', ['voting_ends_at']],
      ['past', []],
    ] as const) {
      const page = await readPage(host, manage(await insertJam(server, { state, host })))
      expect([...page.matchAll(/name="(\w*ends_at)"/g)].map(([, name]) => name)).toEqual([...ends])
    }
  })

  test('sets and removes the cover, and deletes the jam', async () => {
    const jam = await insertJam(server, { host })
    const form = new FormData()
    form.set('file', await drawPng(64, 36))
    const sent = await host.fetch(manage(jam, '/cover'), { method: 'POST', body: form, redirect: 'manual' })
    expect(sent.headers.get('location')).toBe(`${manage(jam)}?done=pictured#cover`)
    expect(await readPage(host, `/jams/${jam.slug}`)).toContain('class="jam-cover"')
    await submitForm(host, manage(jam, '/cover/remove'), {})
    expect((await readJam(server, jam.uid)).cover).toBeNull()
    expect((await submitForm(player, manage(jam, '/delete'), {})).status).toBeOneOf([403, 404])
    const deleted = await submitForm(host, manage(jam, '/delete'), {})
    expect(deleted.headers.get('location')).toBe('/jams?done=deleted')
    expect(await statusOf(`/jams/${jam.slug}`, host)).toBe(404)
  })

  test('shows codes and late links once, and ends them', async () => {
    const jam = await insertJam(server, { state: 'running', host, entry: 'invited' })
    const made = await submitForm(host, manage(jam, '/codes'), {
      label: 'For Kim',
      uses: '3',
      expires_at: '',
    })
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    const [, code = ''] = /<code class="secret">([^<]+)</.exec(await made.text()) ?? []
    const list = await readPage(host, manage(jam, '/codes'))
    expect(list).toContain('For Kim')
    expect(list).not.toContain(code)
    const joined = await submitForm(player, `/jams/${jam.slug}/join`, { code })
    expect(joined.status).toBe(303)
    const [, uid = ''] = /\/codes\/([0-9a-f-]+)\/end/.exec(list) ?? []
    await submitForm(host, manage(jam, `/codes/${uid}/end`), {})
    expect(await readPage(host, manage(jam, '/codes'))).not.toContain('For Kim')
    const late = await submitForm(host, manage(jam, '/late-links'), { label: '', expires_at: '' })
    expect(await late.text()).toContain(`${server.url}/jams/${jam.slug}/late/`)
    expect(await readPage(server, `/jams/${jam.slug}`)).toContain('gave one person a late link')
    const faulty = await submitForm(host, manage(jam, '/codes'), { label: '', uses: '0', expires_at: '' })
    expect(faulty.status).toBe(400)
  })

  test('hides the theme from operators who do not host, and keeps it when they save', async () => {
    const jam = await insertJam(server, { host, theme: 'A secret light', themeHidden: true })
    const page = await readPage(operator, manage(jam))
    expect(page).not.toContain('A secret light')
    expect(page).not.toContain('id="theme"')
    const typed = whole(jam, { hosts: await usernameOf(host), theme_hidden: 'true' })
    const fields = Object.fromEntries(Object.entries(typed).filter(([name]) => name !== 'theme'))
    expect((await submitForm(operator, manage(jam), fields)).status).toBe(303)
    expect((await readOwnJam(host, jam.uid)).theme).toBe('A secret light')
  })
})
