import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { changelogEntries } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { posts } from '../../../../src/db/schema/posts.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { type GameRow, insertLicense, insertPublicGame, verifyEmail } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { postsPath, publishPost, writePost } from '../../../helpers/posts.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const player = usePerson(server)
const operator = usePerson(server, signUpOperator)
let game: GameRow
beforeAll(async () => {
  await verifyEmail(server, player)
  game = await insertPublicGame(server, owner)
})

const html = { accept: 'text/html' }
async function open(path: string, person?: Person): Promise<{ status: number; text: string }> {
  const answer = await (person ?? server).fetch(path, { headers: html })
  return { status: answer.status, text: await answer.text() }
}
const pageOf = (of: GameRow, tail = '') => `/games/${of.vanityName}${tail}`

describe('the page of a post', () => {
  test('has the text, the picture and the metadata of an article', async () => {
    const post = await publishPost(owner, game, {
      title: '<b>Lamp</b> & light',
      markdown: '**Warm** "light"',
    })
    await send(owner, postsPath(game, `/${post.uid}/picture`), await drawPng(80, 40))
    const address = `${server.url}${pageOf(game, `/posts/${post.slug}`)}`
    const { status, text } = await open(pageOf(game, `/posts/${post.slug}`))
    expect(status).toBe(200)
    expect(text).toContain('<strong>Warm</strong>')
    expect(text).toContain('&lt;b>Lamp&lt;/b> &amp; light')
    expect(text).not.toContain('<b>Lamp')
    expect(text).toContain(`<link rel="canonical" href="${address}"/>`)
    expect(text).toContain('<meta property="og:type" content="article"/>')
    expect(text).toContain(`<meta property="og:url" content="${address}"/>`)
    expect(text).toMatch(/<meta property="og:image" content="[^"]+\/media\/[0-9a-f]{64}\.webp"/)
    expect(text).toMatch(/<meta property="article:published_time" content="\d{4}-/)
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
    expect(JSON.parse(json)).toMatchObject({
      '@type': 'Article',
      headline: '<b>Lamp</b> & light',
      url: address,
    })
    expect(json).not.toContain('<')
    expect(text).toContain('<img class="post-picture"')
  })

  test('is missing for drafts, unknown slugs and hidden listings', async () => {
    const draft = await writePost(owner, game, { title: 'Still a draft' })
    for (const slug of [draft.slug, 'unknown', '%00'])
      expect((await open(pageOf(game, `/posts/${slug}`))).status).not.toBe(200)
    const made = await insertPublicGame(server, owner)
    const { slug } = await publishPost(owner, made)
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, made.uid))
    expect((await open(pageOf(made, `/posts/${slug}`))).status).toBe(404)
    expect((await open(pageOf(made, `/posts/${slug}`), owner)).status).toBe(200)
  })

  test('leaves out the picture of an adult listing for those who did not ask for it', async () => {
    const made = await insertPublicGame(server, owner, { adult: true, contentWarnings: ['gore'] })
    const post = await publishPost(owner, made)
    await send(owner, postsPath(made, `/${post.uid}/picture`), await drawPng(80, 40))
    const reader = await signUp(server)
    for (const tail of ['', '/posts', `/posts/${post.slug}`])
      expect((await open(pageOf(made, tail), reader)).text).not.toContain('post-picture')
    await reader.json('PATCH', '/api/v1/private/me', { adult_content: true })
    for (const tail of ['', '/posts', `/posts/${post.slug}`])
      expect((await open(pageOf(made, tail), reader)).text).toContain('post-picture')
  })

  test('leads to the report about it', async () => {
    const made = await insertPublicGame(server, owner)
    const post = await publishPost(owner, made)
    const { text } = await open(pageOf(made, `/posts/${post.slug}`), player)
    const path = pageOf(made, `/report?post=${post.uid}`)
    expect(text).toContain(`href="${path}"`)
    expect((await open(path, player)).text).toContain(`name="post" value="${post.uid}"`)
    const fields = { post: post.uid, reason: 'hateful', text: 'Look at it.' }
    const sent = await submitForm(player, pageOf(made, '/report'), fields)
    expect(sent.status).toBe(303)
    expect((await open('/operate/reports', operator)).text).toContain(`/operate/posts/${post.uid}`)
  })
})

describe('news', () => {
  test('have posts and releases in one line of time; the changelog has releases alone', async () => {
    const made = await insertPublicGame(server, owner)
    const times = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'].map((day) => new Date(day))
    const [first, third] = [
      await publishPost(owner, made, { title: 'Post one' }),
      await publishPost(owner, made, { title: 'Post three' }),
    ]
    for (const [index, post] of [first, third].entries())
      await server.deps.db
        .update(posts)
        .set({ publishedAt: times[index * 2] ?? new Date() })
        .where(eq(posts.uid, post.uid))
    for (const [title, at] of [
      ['Release two', times[1]],
      ['Release four', times[3]],
    ] as const)
      await server.deps.db
        .insert(changelogEntries)
        .values({ gameUid: made.uid, title, body: '', createdAt: at ?? new Date() })
    const titles = (text: string) =>
      [...text.matchAll(/(?:Post|Release) (?:one|two|three|four)/g)].map(([title]) => title)
    const news = await open(pageOf(made, '/posts'))
    expect(titles(news.text)).toEqual(['Release four', 'Post three', 'Release two', 'Post one'])
    const changelog = await open(pageOf(made, '/changelog'))
    expect(titles(changelog.text)).toEqual(['Release four', 'Release two'])
    expect(titles((await open(pageOf(made, '/posts?page=2&page_size=2'))).text)).toEqual([
      'Release two',
      'Post one',
    ])
  })

  test('of the store page are the pinned post and the newest two, at once', async () => {
    const made = await insertPublicGame(server, owner)
    expect((await open(pageOf(made))).text).not.toContain('id="posts"')
    await publishPost(owner, made, { title: 'Old and pinned', pinned: true })
    for (const title of ['Second', 'Third', 'Fourth']) await publishPost(owner, made, { title })
    const section = async () =>
      /<section aria-labelledby="posts">.*?<\/section>/s.exec((await open(pageOf(made))).text)
    const titles = async () =>
      [...((await section())?.[0] ?? '').matchAll(/posts\/([a-z-]+)"/g)].map(([, slug]) => slug)
    expect(await titles()).toEqual(['old-and-pinned', 'fourth', 'third'])
    const newest = await publishPost(owner, made, { title: 'Fifth' })
    expect(await titles()).toEqual(['old-and-pinned', 'fifth', 'fourth'])
    await act(operator, `posts/${newest.uid}/take-down`, { reason: 'x' })
    expect(await titles()).toEqual(['old-and-pinned', 'fourth', 'third'])
  })

  test('of a developer are on their page, without those of adult listings', async () => {
    const developer = await signUp(server)
    const made = await insertPublicGame(server, developer)
    const adult = await insertPublicGame(server, developer, { adult: true, contentWarnings: ['gore'] })
    await publishPost(developer, made, { title: 'For everyone' })
    await publishPost(developer, adult, { title: 'For adults' })
    const path = `/developers/${await usernameOf(developer)}`
    const { text } = await open(path)
    expect(text).toContain('<h2 id="news">News</h2>')
    expect(text).toContain('For everyone')
    expect(text).not.toContain('For adults')
    const reader = await signUp(server)
    await reader.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await open(path, reader)).text).toContain('For adults')
  })

  test('are on the home page where operators want them', async () => {
    const made = await insertPublicGame(server, owner, { tags: ['lamps', 'cozy', 'stars'] })
    const { slug } = await publishPost(owner, made, { title: 'Home news' })
    expect((await open('/')).text).not.toContain(slug)
    const before = (
      (await (await operator.fetch('/api/v1/operator/settings')).json()) as {
        data: { settings: { home: string[] } }
      }
    ).data
    expect(JSON.stringify(before)).not.toContain('"posts"')
    await operator.json('PATCH', '/api/v1/operator/settings', { home: ['posts', 'newest'] })
    await waitFor('the section', async () => (await open('/', player)).text.includes(`/posts/${slug}`))
    await player.json('PATCH', '/api/v1/private/me', { hidden_tags: ['lamps'] })
    await waitFor('it is hidden', async () => !(await open('/', player)).text.includes(`/posts/${slug}`))
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, made.uid))
    await waitFor('it is gone', async () => !(await open('/', owner)).text.includes(`/posts/${slug}`))
    await operator.json('PATCH', '/api/v1/operator/settings', { home: null })
  })
})

describe('answers to reviews on the page', () => {
  test('are written by the developer and read by everyone', async () => {
    const made = await insertPublicGame(server, owner)
    await insertLicense(server, made.uid, player)
    const reviewed = await player.json('PUT', `/api/v1/private/games/${made.uid}/review`, {
      rating: 5,
      text: 'Warm.',
    })
    const { data } = (await reviewed.json()) as { data: { uid: string } }
    const action = pageOf(made, `/reviews/${data.uid}/answer`)
    expect((await open(pageOf(made, '/reviews'), player)).text).not.toContain(action)
    expect((await open(pageOf(made, '/reviews'), owner)).text).toContain(`action="${action}"`)

    const refused = await submitForm(owner, action, { text: '   ' })
    expect(refused.status).toBe(422)
    expect(await refused.text()).toContain('Enter the text.')
    const sent = await submitForm(owner, action, { text: '<i>Thanks</i>\r\nfriend' })
    expect(sent.status).toBe(303)
    for (const tail of ['', '/reviews']) {
      const { text } = await open(pageOf(made, tail))
      expect(text).toContain('&lt;i>Thanks&lt;/i>\nfriend')
    }
    expect((await submitForm(player, action, { text: 'x' })).status).toBe(403)
    expect((await submitForm(owner, `${action}/delete`, {})).status).toBe(303)
    expect((await open(pageOf(made))).text).not.toContain('Thanks')
  })
})
