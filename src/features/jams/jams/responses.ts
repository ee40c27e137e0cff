import type { Db } from '../../../db/client.ts'
import { computeState } from '../../../domain/jams.ts'
import { jamPath, mediaUrl } from '../../../domain/site-urls.ts'
import type { Paged } from '../../../lib/paging.ts'
import { mapPage, respond } from '../../../lib/respond.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { type JamAccess, seesTheme } from '../access.ts'
import { listChanges } from '../changes.ts'
import { Jam, type JamPerson, JamSummary, OwnJam } from './model.ts'
import * as queries from './queries.ts'

type Given = Pick<
  JamSummary,
  'url' | 'cover' | 'theme' | 'state' | 'results_published_at' | 'participants' | 'entries' | 'hosts'
>

interface About {
  now: Date
  showsTheme: boolean
  counts: queries.JamCounts | undefined
  hosts: JamPerson[]
}

function toGiven(
  baseUrl: string,
  jam: queries.JamRow,
  { now, showsTheme, counts = { participants: 0, entries: 0 }, hosts }: About,
): Given {
  return {
    url: baseUrl + jamPath(jam.slug),
    cover: jam.coverKey && mediaUrl(baseUrl, jam.coverKey),
    theme: showsTheme ? jam.theme : null,
    state: computeState(jam, now),
    results_published_at: jam.publishedAt?.toISOString() ?? null,
    ...counts,
    hosts,
  }
}

/** Three statements for a page of jams. Hidden themes are left out for everybody. */
export async function toSummaries(
  db: Db,
  baseUrl: string,
  page: Paged<queries.ListedJam>,
): Promise<Paged<JamSummary>> {
  const uids = page.items.map(({ jam }) => jam.uid)
  const [counts, people] = await Promise.all([
    queries.countOf(db, uids),
    queries.listPeople(db, uids, 'host'),
  ])
  return mapPage(page, ({ jam, now }) => {
    const hosts = people.filter(({ jamUid }) => jamUid === jam.uid).map(toJamPerson)
    const showsTheme = seesTheme({ jam, state: computeState(jam, now), isHost: false })
    const about = { now, showsTheme, counts: counts.get(jam.uid), hosts }
    return respond(JamSummary, jam, toGiven(baseUrl, jam, about))
  })
}

/** Three statements beside the one that opened the jam. */
export async function toJam(db: Db, baseUrl: string, access: JamAccess): Promise<Jam> {
  return respond(Jam, access.jam, await loadGiven(db, baseUrl, access))
}

/** The same in a transaction, where statements follow each other. */
export async function toOwnJam(db: Db, baseUrl: string, access: JamAccess): Promise<OwnJam> {
  const { hasJoined, isNamedHost, isJudge } = access
  const given = await loadGiven(db, baseUrl, access)
  return respond(OwnJam, access.jam, { ...given, joined: hasJoined, is_host: isNamedHost, is_judge: isJudge })
}

async function loadGiven(db: Db, baseUrl: string, access: JamAccess) {
  const { jam, now } = access
  const [counts, people, changes] = await Promise.all([
    queries.countOf(db, [jam.uid]),
    queries.listPeople(db, [jam.uid]),
    listChanges(db, jam.uid),
  ])
  const named = (role: 'host' | 'judge') => people.filter((one) => one.role === role).map(toJamPerson)
  const about = { now, showsTheme: seesTheme(access), counts: counts.get(jam.uid), hosts: named('host') }
  return {
    ...toGiven(baseUrl, jam, about),
    html: renderMarkdown(jam.text),
    judges: named('judge'),
    changes: changes.map(({ text, createdAt }) => ({ text, at: createdAt.toISOString() })),
  }
}

function toJamPerson({ uid, username }: JamPerson): JamPerson {
  return { uid, username }
}
