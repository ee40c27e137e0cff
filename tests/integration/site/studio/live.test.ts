import { describe, expect, test } from 'bun:test'

import { STREAMS_PER_ACCOUNT } from '../../../../src/site/kit/live/live-streams.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertAdmin, insertGame } from '../../../helpers/listings.ts'
import { act, signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })

interface Live {
  answer: Response
  /** True once the server has ended the stream. */
  isEnded: () => boolean
  stop: () => void
}

/** Opens the events of a listing and reads them until they end. */
async function listen(person: Person, ref: string): Promise<Live> {
  const stop = new AbortController()
  const answer = await fetch(`${server.url}/studio/${ref}/builds/events`, {
    headers: { cookie: person.cookie },
    signal: stop.signal,
  })
  let isEnded = false
  const read = async () => {
    const reader = answer.body?.getReader()
    while (!(await reader?.read())?.done) continue
    isEnded = true
  }
  if (answer.ok) void read().catch(() => undefined)
  return { answer, isEnded: () => isEnded, stop: () => stop.abort() }
}

async function makeProject() {
  const [owner, admin] = [await signUp(server), await signUp(server)]
  const { uid } = await insertGame(server, owner)
  await insertAdmin(server, uid, admin, 'accepted')
  return { owner, admin, uid }
}

describe('live pages of the studio', () => {
  test.each([
    [
      'is suspended',
      async ({ uid }: Person) => {
        const operator = await signUpOperator(server)
        return await act(operator, `accounts/${uid}/suspend`, { reason: 'Spam' })
      },
    ],
    ['signs out', (person: Person) => person.json('POST', '/api/auth/sign-out', {})],
  ])('end at once for who %s, and for nobody else', async (_, leave) => {
    const { owner, admin, uid } = await makeProject()
    const [own, other] = [await listen(owner, uid), await listen(admin, uid)]
    expect([own.answer.status, other.answer.status]).toEqual([200, 200])
    expect((await leave(owner)).status).toBe(200)
    await waitFor('the end of the stream', () => own.isEnded())
    expect(other.isEnded()).toBe(false)
    expect((await listen(owner, uid)).answer.status).toBe(401)
    other.stop()
  })

  test('are a bounded number for an account, and do not use up those of others', async () => {
    const { owner, admin, uid } = await makeProject()
    const opened = await Promise.all(Array.from({ length: STREAMS_PER_ACCOUNT }, () => listen(owner, uid)))
    expect(new Set(opened.map(({ answer }) => answer.status))).toEqual(new Set([200]))
    const { answer } = await listen(owner, uid)
    expect(answer.headers.get('retry-after')).toBe('30')
    expect(await readFailure(answer)).toMatchObject({ status: 429, code: 4290 })
    const other = await listen(admin, uid)
    expect(other.answer.status).toBe(200)
    for (const { stop } of [...opened, other]) stop()
    await waitFor('room for another', async () => {
      const next = await listen(owner, uid)
      next.stop()
      return next.answer.status === 200
    })
  })
})
