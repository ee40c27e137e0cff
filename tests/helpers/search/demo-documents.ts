import { platformTokens } from '../../../src/clients/search/search-engine.ts'
import { DEMO_LISTINGS, type DemoListing, DEVELOPERS } from '../../../src/demo/data.ts'
import { planBuilds } from '../../../src/demo/planned-builds.ts'
import { STABLE } from '../../../src/domain/builds/channels.ts'
import type { SearchDocument } from '../../../src/domain/listings/search-document.ts'
import { textOfMarkdown } from '../../../src/lib/text/markdown.ts'
import { makeDocument } from './search-documents.ts'

const DAY_MS = 86_400_000
/** How many players must have suggested a tag. */
const SHOWN_FROM = 3

/** The public listings of the demo, as the index has them. */
export function makeDemoDocuments(): SearchDocument[] {
  return DEMO_LISTINGS.filter(({ visibility, adult }) => visibility === undefined && !adult).map(toDocument)
}

function toDocument(listing: DemoListing): SearchDocument {
  const { name, tagline, description, by, tags, daysAgo, suggestedTags = {} } = listing
  const builds = planBuilds(listing).filter(({ channel, app }) => channel === STABLE && app === null)
  const community = Object.entries(suggestedTags).flatMap(([tag, votes]) =>
    votes >= SHOWN_FROM ? [tag] : [],
  )
  return makeDocument({
    name,
    tagline,
    description: textOfMarkdown(description.join('\n')),
    developer: by,
    developer_name: DEVELOPERS[by].name,
    asset_type: listing.assetType,
    genres: listing.genres ?? [],
    tags: [...new Set([...tags, ...community])],
    tone: listing.tone ?? [],
    inputs: listing.inputs ?? [],
    session_bucket: listing.sessionBucket ?? null,
    net: listing.net ?? null,
    engines: listing.engines ?? [],
    price_cents: listing.priceCents ?? 0,
    languages: (listing.languages ?? []).map(({ language }) => language),
    license_kind: listing.licenseKind ?? null,
    content_warnings: listing.contentWarnings ?? [],
    os: [...new Set(builds.map(({ os }) => os))],
    platforms: [...new Set(builds.flatMap(({ os, arch }) => platformTokens(os, arch)))],
    published_at: 1_800_000_000_000 - daysAgo * DAY_MS,
    updated_at: 1_800_000_000_000 - daysAgo * DAY_MS,
  })
}
