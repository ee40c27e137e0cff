import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { ChangelogEntry } from '../../../features/listings/changelog/model.ts'
import { Prose } from '../../components/prose.tsx'
import { Badge, Day } from '../../kit/labels.tsx'

const SHOWN = 3

export function Changelog({ listing }: { listing: Listing }) {
  if (listing.changelog.length === 0) return null
  return (
    <section aria-labelledby="changelog">
      <h2 id="changelog">What is new</h2>
      <Changes entries={listing.changelog.slice(0, SHOWN)} level={3} />
      {listing.changelog.length > SHOWN ? (
        <p>
          <a href={`/games/${listing.vanity_name}/changelog`}>Whole changelog</a>
        </p>
      ) : null}
    </section>
  )
}

interface ChangesProps {
  entries: readonly ChangelogEntry[]
  /** The heading level of entries. */
  level: 2 | 3
}

export function Changes({ entries, level }: ChangesProps) {
  return (
    <ol class="release-notes">
      {entries.map((entry) => (
        <Change key={entry.uid} {...{ entry, level }} />
      ))}
    </ol>
  )
}

/** One entry of such a list. */
export function Change({ entry, level }: { entry: ChangelogEntry } & Pick<ChangesProps, 'level'>) {
  const Heading = `h${level}` as const
  return (
    <li>
      <Heading class="row">
        <bdi>{entry.title}</bdi>{' '}
        {entry.version === null || entry.version === entry.title ? null : <Badge>{entry.version}</Badge>}
      </Heading>
      <p class="quiet small">
        <Day at={entry.created_at} />
      </p>
      <Prose html={entry.body_html} under={level} class="small" />
      <ChangeItems items={entry.items} />
    </li>
  )
}

/** The single changes of a release. */
export function ChangeItems({ items }: Pick<ChangelogEntry, 'items'>) {
  if (items.length === 0) return null
  return (
    <ul class="changes small">
      {items.map(({ title, description }, index) => (
        <li key={index} dir="auto">
          {title}
          {description === '' ? null : <p class="quiet">{description}</p>}
        </li>
      ))}
    </ul>
  )
}
