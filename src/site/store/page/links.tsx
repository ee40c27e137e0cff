import type { Listing } from '../../../features/catalog/pages/listing-model.ts'

interface LinksProps {
  listing: Listing
  isOpen: boolean
  takesBugs: boolean
}

/** Links to the listing elsewhere, and the actions readers can take on the page. */
export function Links({ listing, isOpen, takesBugs }: LinksProps) {
  const page = `/games/${listing.vanity_name}`
  return (
    <section aria-labelledby="links">
      <h2 id="links">Links</h2>
      <ul class="plain-list small">
        {listing.website === null ? null : (
          <li>
            <a href={listing.website} rel="nofollow noopener">
              Website
            </a>
          </li>
        )}
        {listing.store_links.map(({ platform, label, url }) => (
          <li key={platform}>
            <a href={url} rel="nofollow noopener">
              {label}
            </a>
          </li>
        ))}
        {listing.adult || !isOpen ? null : (
          <li>
            <a href={`${page}/press`}>Press kit</a>
          </li>
        )}
        <li>
          <a href={`${page}/changelog`}>Changelog</a>
        </li>
        {takesBugs ? (
          <li>
            <a href={`${page}/report-bug`} rel="nofollow">
              Report a bug
            </a>
          </li>
        ) : null}
        <li>
          <a href={`${page}/report`} rel="nofollow">
            Report this page
          </a>
        </li>
      </ul>
    </section>
  )
}
