import type { Listing } from '../../../features/catalog/pages/listing-model.ts'

const SHOWN = 3

export function Changelog({ listing }: { listing: Listing }) {
  if (listing.changelog.length === 0) return null
  return (
    <section aria-labelledby="changelog">
      <h2 id="changelog">What is new</h2>
      <ol class="timeline">
        {listing.changelog.slice(0, SHOWN).map((entry) => (
          <li key={entry.uid}>
            <h3>
              {entry.title} {entry.version === null ? null : <span class="badge">{entry.version}</span>}
            </h3>
            <p class="quiet small">
              <time dateTime={entry.created_at}>{entry.created_at.slice(0, 10)}</time>
            </p>
            <div class="prose small" dangerouslySetInnerHTML={{ __html: entry.body_html }} />
          </li>
        ))}
      </ol>
      {listing.changelog.length > SHOWN ? (
        <a href={`/games/${listing.vanity_name}/changelog`}>All changes</a>
      ) : null}
    </section>
  )
}
