import { beforeAll, expect } from 'bun:test'

import { type GameRow, insertPublicGame } from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { publishPost } from '../helpers/posts.ts'
import { type Tab, until } from '../helpers/site/tabs.ts'
import { walkInBrowsers } from '../helpers/site/walks.ts'
import { usePerson, useStore } from '../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { name: 'Lantern Bay', status: 'in_development' })
})

const page = () => `/games/${game.vanityName}`
const act = (name: string) => `.follow-acts [value="${name}"]`

async function signIn(tab: Tab, { email, password }: Person, next: string): Promise<void> {
  await tab.open(`${server.url}/sign-in?next=${next}`)
  await tab.fill('#email', email)
  await tab.fill('#password', password)
  await tab.click('main form .button')
  await until(tab, `location.pathname === '${next}'`)
}

walkInBrowsers({
  'somebody follows a game, hears of a post and opens it': async (tab) => {
    await signIn(tab, await signUp(server), page())
    await tab.click(act('follow'))
    await until(tab, `document.querySelector('${act('unfollow')}')`)
    await tab.open(`${server.url}/notices`)
    const title = `News ${crypto.randomUUID().slice(0, 8)}`
    await publishPost(owner, game, { title })
    // The open page hears of it.
    await until(tab, `document.querySelector('.notice-game')?.textContent.includes('${title}')`)
    await until(tab, `document.querySelector('.bell').textContent.includes('1')`)
    await tab.click('a[data-notice]')
    await until(tab, `location.pathname.startsWith('${page()}/posts/')`)
    expect(await tab.read<string>("document.querySelector('h1').textContent")).toBe(title)
    await tab.open(`${server.url}/following`)
    await until(tab, "!document.querySelector('.bell').textContent.includes('unread')")
    expect(await tab.read<string>("document.querySelector('.library-items').textContent")).toContain(
      game.name,
    )
  },
  'and wishes it, and shares the wishlist': async (tab) => {
    await tab.open(server.url + page())
    await tab.click(act('wish'))
    await until(tab, `document.querySelector('${act('unwish')}')`)
    await tab.open(`${server.url}/wishlist`)
    await tab.click('[value="share"]')
    const readAddress =
      "document.querySelector('#share-url')?.textContent.match(/http\\S+\\/wishlist\\/[\\w-]+/)?.[0]"
    await until(tab, readAddress)
    await tab.open((await tab.read<string>(readAddress)) ?? '')
    expect(await tab.read<string>("document.querySelector('.library-items').textContent")).toContain(
      game.name,
    )
    await tab.open(`${server.url}/wishlist`)
    await tab.click('[value="remove"]')
    await until(tab, "document.querySelector('.empty')")
  },
})
