import { beforeAll, describe, expect, test } from 'bun:test'

import { drawPng, send } from '../../helpers/files/pictures.ts'
import { insertPublicGame } from '../../helpers/listings.ts'
import { signUp, usernameOf } from '../../helpers/people.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const developer = usePerson(server)
let path: string
beforeAll(async () => {
  path = `/developers/${await usernameOf(developer)}`
})

const open = (from: string) => readPage(server, from)
const headings = (page: string) => [...page.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, text]) => text)

describe('the page of a developer', () => {
  test('shows games apart from what is made for them, and nothing that is not there', async () => {
    const game = await insertPublicGame(server, developer, { name: 'Lantern Keeper' })
    const before = await open(path)
    expect(headings(before)).toEqual(['Games'])
    expect(before).not.toContain('developer-banner')
    await insertPublicGame(server, developer, { name: 'More Lamps', assetType: 'mod', parentUid: game.uid })
    const page = await open(path)
    expect(headings(page)).toEqual(['Games', 'Tools, mods and assets'])
    expect(page.indexOf('Lantern Keeper')).toBeLessThan(page.indexOf('More Lamps'))
  })

  test('shows name, text, links, featured listing, picture and banner', async () => {
    const { uid } = await insertPublicGame(server, developer, { name: 'The Featured One' })
    await developer.json('PATCH', '/api/v1/private/me', {
      display_name: '<i>Lantern</i> Works',
      bio: 'We make **lamps**.',
      links: [{ label: 'Devlog', url: 'https://ada.example.org/log' }],
      featured: uid,
    })
    for (const kind of ['picture', 'banner'])
      await send(developer, `/api/v1/private/me/${kind}`, await drawPng(60, 40))
    const page = await open(path)
    expect(headings(page)).toEqual(['Featured', 'Games', 'Tools, mods and assets'])
    expect(page).toContain('&lt;i>Lantern&lt;/i> Works</h1>')
    expect(page).toContain('<strong>lamps</strong>')
    expect(page).toMatch(/<a href="https:\/\/ada\.example\.org\/log" rel="me nofollow ugc noopener"/)
    expect(page).toMatch(/<img class="developer-banner" src="\/media\/[0-9a-f]{64}\.webp"/)
    expect(page).toMatch(/<img class="face large" src="\/media\/[0-9a-f]{64}\.webp"/)
    expect(page).toContain('<meta property="og:image"')
  })

  test('pages through one part at an address of its own', async () => {
    const busy = await signUp(server)
    for (let number = 0; number < 26; number += 1)
      await insertPublicGame(server, busy, { name: `Game ${number}`, visibility: 'public' })
    const own = `/developers/${await usernameOf(busy)}`
    expect(await open(own)).toContain(`href="${own}?show=games"`)
    const second = await open(`${own}?show=games&page=2&page_size=24`)
    expect(second).toContain('Game 0<')
    expect(second).not.toContain('Game 25<')
    expect(second).toContain('Previous page')
  })

  test('is missing for who has published nothing', async () => {
    const person = await signUp(server)
    await person.json('PATCH', '/api/v1/private/me', { display_name: 'Nobody Yet' })
    const answer = await server.fetch(`/developers/${await usernameOf(person)}`)
    expect(answer.status).toBe(404)
  })
})

test('a picture is uploaded and removed by forms of the profile page', async () => {
  const person = await signUp(server)
  const upload = async (file: Blob) => {
    const body = new FormData()
    body.set('file', file, 'picture.png')
    return await person.fetch('/account/picture', { method: 'POST', body, redirect: 'manual' })
  }
  const refused = await upload(new Blob(['no picture'], { type: 'image/png' }))
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain('must be a PNG, JPEG or WebP image')
  const done = await upload(await drawPng(60, 40))
  expect(done.headers.get('location')).toBe('/account/profile?done=picture#picture')
  const open = async () => await (await person.fetch('/account/profile')).text()
  expect(await open()).toContain('Remove picture')
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  await person.fetch('/account/picture/remove', { ...form, redirect: 'manual' })
  expect(await open()).not.toContain('Remove picture')
})

test('old links of the account page lead to the page that has the section now', async () => {
  const person = await signUp(server)
  const page = await (await person.fetch('/account')).text()
  for (const [id, at] of [
    ['keys', '/account/keys#keys'],
    ['security', '/account/security#security'],
    ['email', '/account/security#email'],
    ['profile', '/account/profile#profile'],
    ['delete', '/account/data#delete'],
  ])
    expect(page).toContain(`<li id="${id}"><a href="${at}">`)
  const later = await person.fetch('/account/password', { redirect: 'manual' })
  expect(later.headers.get('location')).toBe('/account')
})
