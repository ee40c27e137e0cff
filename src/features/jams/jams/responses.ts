import type { Db } from '../../../db/client.ts'
import { type PersonRow, toPerson } from '../../../domain/actor.ts'
import { computeState } from '../../../domain/jams.ts'
import { jamPath, mediaUrl } from '../../../domain/site-urls.ts'
import { mapPage, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { type JamAccess, listChanges, seesTheme } from '../access.ts'
import { Jam, JamHead, type JamPerson, JamSummary, OwnJam } from './model.ts'
import * as queries from './queries.ts'

type Given = Pick<JamSummary, 'url' | 'cover' | 'theme' | 'state' | 'results_published_at'>

function toGiven(
  baseUrl: string,
  jam: queries.JamRow,
  { now, showsTheme }: { now: Date; showsTheme: boolean },
): Given {
  return {
    url: baseUrl + jamPath(jam.slug),
    cover: jam.coverKey && mediaUrl(baseUrl, jam.coverKey),
    theme: showsTheme ? jam.theme : null,
    state: computeState(jam, now),
    results_published_at: jam.publishedAt?.toISOString() ?? null,
  }
}

const NOBODY: queries.JamCounts = { participants: 0, entries: 0 }

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
    const hosts = people.filter(({ jamUid }) => jamUid === jam.uid).map((host) => toJamPerson(baseUrl, host))
    const showsTheme = seesTheme({ jam, state: computeState(jam, now), isHost: false })
    const given = toGiven(baseUrl, jam, { now, showsTheme })
    return respond(JamSummary, jam, { ...given, ...(counts.get(jam.uid) ?? NOBODY), hosts })
  })
}

/** Three statements beside the one that opened the jam. */
export async function toJam(db: Db, baseUrl: string, access: JamAccess): Promise<Jam> {
  return respond(Jam, access.jam, await loadGiven(db, baseUrl, access))
}

/** The same in a transaction, where statements follow each other. */
export async function toOwnJam(db: Db, baseUrl: string, access: JamAccess): Promise<OwnJam> {
  return respond(OwnJam, access.jam, { ...(await loadGiven(db, baseUrl, access)), ...toOwn(access) })
}

/** Without a statement. */
export function toJamHead(baseUrl: string, access: JamAccess): JamHead {
  const { jam, now } = access
  const given = toGiven(baseUrl, jam, { now, showsTheme: seesTheme(access) })
  return respond(JamHead, jam, { ...given, ...toOwn(access) })
}

function toOwn({ hasJoined, isNamedHost, isJudge }: JamAccess) {
  return { joined: hasJoined, is_host: isNamedHost, is_judge: isJudge }
}

async function loadGiven(db: Db, baseUrl: string, access: JamAccess) {
  const { jam, now } = access
  const [counts, people, changes] = await Promise.all([
    queries.countOf(db, [jam.uid]),
    queries.listPeople(db, [jam.uid]),
    listChanges(db, jam.uid),
  ])
  const named = (role: 'host' | 'judge') =>
    people.filter((one) => one.role === role).map((one) => toJamPerson(baseUrl, one))
  return {
    ...toGiven(baseUrl, jam, { now, showsTheme: seesTheme(access) }),
    ...(counts.get(jam.uid) ?? NOBODY),
    hosts: named('host'),
    html: renderMarkdown(jam.text),
    judges: named('judge'),
    changes: changes.map(({ text, createdAt }) => ({ text, at: createdAt.toISOString() })),
  }
}

function toJamPerson(baseUrl: string, row: PersonRow & { uid: string }): JamPerson {
  return { uid: row.uid, ...toPerson(baseUrl, row) }
}
