import { entryPath, jamPath } from '../../../domain/site-urls.ts'
import type { StoreData } from '../store-data.ts'

/** The jams of a listing, each with the version that people play there. */
export function Jams({ store: { jams, listing } }: { store: StoreData }) {
  if (jams.length === 0) return null
  return (
    <ul class="small jam-lines" aria-label="Jams">
      {jams.map(({ slug, title, versions }) => (
        <li key={slug}>
          Entered in{' '}
          <a href={jamPath(slug)} dir="auto">
            {title}
          </a>
          {versions.length === 0 ? null : (
            <>
              {' '}
              <a class="quiet" href={entryPath(slug, listing.vanity_name)}>
                with version {versions.join(', ')}
              </a>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
