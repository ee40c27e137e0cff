import { describe, expect, test } from 'bun:test'

import { readSettings, signUpFollower } from '../../../helpers/digests/digests.ts'
import { signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

const save = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })

describe('the page of what is mailed', () => {
  test('shows every kind, the times and the address, and saves them', async () => {
    const person = await signUpFollower(server, [])
    const page = await (await person.fetch('/account/notices')).text()
    for (const name of ['Releases', 'Posts', 'Lower prices', 'Answers to your reviews', 'Jams'])
      expect(page).toContain(name)
    expect(page).toContain('Europe/Berlin')
    expect(page).toContain(`Mails go to ${person.email}`)
    const fields = {
      'kinds.post': 'never',
      'kinds.release': 'at_once',
      digest: 'daily',
      hour: '7',
      time_zone: 'Asia/Tokyo',
    }
    const saved = await person.fetch('/account/notices', save(fields))
    expect(saved.status).toBe(303)
    expect(saved.headers.get('location')).toBe('/account/notices?done=notices#mails')
    expect(await readSettings(person)).toMatchObject({
      kinds: { post: 'never', release: 'at_once', price: 'digest' },
      digest: 'daily',
      hour: 7,
      time_zone: 'Asia/Tokyo',
    })
    const again = await (await person.fetch('/account/notices')).text()
    expect(again).toMatch(/name="kinds\.post" value="never" checked/)
    expect(again).toContain('at 07:00')
  })

  test.each([
    [{ 'kinds.post': 'weekly' }],
    [{ hour: '24' }],
    [{ hour: 'noon' }],
    [{ digest: 'hourly' }],
    [{ time_zone: 'Mars/\u202eOlympus' }],
  ])('keeps what was entered, and says what is wrong: %j', async (fields) => {
    const person = await signUpFollower(server, [])
    const answer = await person.fetch('/account/notices', save({ 'kinds.release': 'never', ...fields }))
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('class="notice bad faults"')
    expect(page).toMatch(/name="kinds\.release" value="never" checked/)
    expect((await readSettings(person)).kinds.release).toBe('digest')
  })

  test('leads who is not signed in to the sign-in, and back', async () => {
    const answer = await server.fetch('/account/notices')
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toContain('next=%2Faccount%2Fnotices')
  })

  test('says that an unconfirmed address gets nothing', async () => {
    const page = await (await (await signUp(server)).fetch('/account/notices')).text()
    expect(page).toContain('is not confirmed')
  })
})
