import type { Deps } from '../../../deps.ts'
import { JAMS_IN_SITEMAP } from '../../../domain/jams.ts'
import { developerUrl, jamPath, mediaUrl } from '../../../domain/site-urls.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { escapeXml } from '../../../lib/text/xml.ts'
import { FEED_ENTRIES, type News } from '../../community/feeds/service.ts'
import { tellTime } from '../access.ts'
import * as queries from './queries.ts'

/** The newest public jams, as entries of a feed. */
export async function listJamNews({ db, config: { baseUrl } }: Pick<Deps, 'db' | 'config'>): Promise<News[]> {
  const rows = await queries.listNewest(db, FEED_ENTRIES)
  const hosts = await queries.listPeople(
    db,
    rows.map(({ jam }) => jam.uid),
    'host',
  )
  return rows.map(({ jam }) => {
    const host = hosts.find(({ jamUid }) => jamUid === jam.uid)
    return {
      uid: jam.uid,
      part: 'post',
      title: jam.title,
      url: baseUrl + jamPath(jam.slug),
      html: `<p>${escapeXml(jam.tagline)}</p>${renderMarkdown(jam.text)}`,
      items: listTimes(jam).map((title) => ({ title, description: '' })),
      picture: jam.coverKey && mediaUrl(baseUrl, jam.coverKey),
      publishedAt: jam.createdAt,
      updatedAt: jam.updatedAt,
      author: host
        ? { name: host.displayName, url: developerUrl(baseUrl, host.username) }
        : { name: jam.title, url: `${baseUrl}/jams` },
    }
  })
}

function listTimes({ startsAt, endsAt, votingEndsAt }: queries.JamRow): string[] {
  const times = [`Starts ${tellTime(startsAt)}`, `Ends ${tellTime(endsAt)}`]
  return votingEndsAt ? [...times, `Voting ends ${tellTime(votingEndsAt)}`] : times
}

/** The newest public jams, for search engines. */
export async function listJamAddresses({ db, config: { baseUrl } }: Pick<Deps, 'db' | 'config'>) {
  const rows = await queries.listNewestAddresses(db, JAMS_IN_SITEMAP)
  return rows.map(({ slug, updatedAt }) => ({
    url: baseUrl + jamPath(slug),
    updated_at: updatedAt.toISOString(),
  }))
}
