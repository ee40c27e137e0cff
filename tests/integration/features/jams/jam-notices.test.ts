import { describe, expect, test } from 'bun:test'

import { asc, eq } from 'drizzle-orm'

import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import { announceDue } from '../../../../src/features/jams/notices/announce.ts'
import { inHours, insertJam, type JamRow, moveJam, timesOf } from '../../../helpers/jams/jams.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore()

const run = () => announceDue(server.deps, new AbortController().signal)
const at = (hours: number) => new Date(inHours(hours))
const listNotices = async ({ uid }: JamRow) => {
  const rows = await server.deps.db
    .select()
    .from(noticeEvents)
    .where(eq(noticeEvents.jamUid, uid))
    .orderBy(asc(noticeEvents.uid))
  return rows.map(({ facts, userUid, kind }) => ({ ...facts, userUid, kind }))
}
const titles = async (jam: JamRow) => (await listNotices(jam)).map(({ title }) => title)

describe('news of a jam', () => {
  test('tell the theme at the start, once for all who joined', async () => {
    const jam = await insertJam(server, { state: 'running', theme: 'Light', themeHidden: true })
    await Promise.all([run(), run()])
    await run()
    expect(await listNotices(jam)).toEqual([
      {
        kind: 'jam',
        userUid: null,
        title: `${jam.title} has started`,
        text: 'The theme: Light',
        path: `/jams/${jam.slug}`,
      },
    ])
  })

  test('come a day and an hour before the end, and again if that moves', async () => {
    const jam = await insertJam(server, { startsAt: at(-72), endsAt: at(20), votingEndsAt: null })
    await run()
    expect(await titles(jam)).toEqual([`${jam.title} ends within a day`])
    await moveJam(server, jam, { endsAt: at(0.5) })
    await run()
    await run()
    expect((await titles(jam)).slice(1)).toEqual([`${jam.title} ends within an hour`])
    await moveJam(server, jam, { endsAt: at(0.9) })
    await run()
    expect((await titles(jam)).slice(2)).toEqual([`${jam.title} ends within an hour`])
  })

  test('of a short jam do not say that it ends when it begins', async () => {
    const jam = await insertJam(server, { startsAt: at(-0.1), endsAt: at(0.8), votingEndsAt: null })
    await run()
    expect(await titles(jam)).toEqual([`${jam.title} has started`])
  })

  test('tell of the voting once builds are pinned, of its end and of the results', async () => {
    const jam = await insertJam(server, timesOf('voting'))
    await run()
    expect(await titles(jam)).toEqual([])
    await moveJam(server, jam, { pinnedAt: at(-1) })
    await run()
    expect(await titles(jam)).toEqual([`Voting has begun: ${jam.title}`])
    await moveJam(server, jam, { votingEndsAt: at(-1) })
    await run()
    await moveJam(server, jam, { publishedAt: at(-0.1) })
    await run()
    expect(await titles(jam)).toEqual([
      `Voting has begun: ${jam.title}`,
      `Voting has ended: ${jam.title}`,
      `The results are out: ${jam.title}`,
    ])
    const paths = (await listNotices(jam)).map(({ path }) => path)
    expect(paths).toEqual([`/jams/${jam.slug}/rate`, `/jams/${jam.slug}`, `/jams/${jam.slug}/results`])
  })

  test('are not of drafts, of jams to come, or of what is long over', async () => {
    const quiet = [
      await insertJam(server, { ...timesOf('running'), visibility: 'draft' }),
      await insertJam(server, { state: 'coming' }),
      await insertJam(server, { state: 'past' }),
    ]
    await run()
    for (const jam of quiet) expect(await titles(jam)).toEqual([])
  })
})
