import type { RatedReviews } from '../../../features/community/reviews/service.ts'
import type { ChangelogEntry } from '../../../features/listings/changelog/model.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/pager.tsx'
import { DownloadList, OtherApps } from '../files/download-list.tsx'
import type { StoreData } from '../store-data.ts'
import { Changes } from './changelog.tsx'
import { downloadsOf, isPlayedOnly } from './choice.ts'
import { Ratings, ReviewList } from './reviews.tsx'
import { isGated, StoreFrame } from './store-frame.tsx'

interface TabPageProps {
  visit: Visit
  store: StoreData
}

/** Every review, newest first. */
export function ReviewsPage({ visit, store, reviews }: TabPageProps & { reviews: RatedReviews }) {
  const { vanity_name, url } = store.listing
  return (
    <StoreFrame {...{ visit, store }} tab="reviews" about="Reviews of" canonical={`${url}/reviews`}>
      <Ratings reviews={reviews} />
      <p>
        <a href={`/games/${vanity_name}#reviews`}>Write a review</a>
      </p>
      <ReviewList reviews={reviews.items} />
      <Pager {...reviews} url={visit.url} />
    </StoreFrame>
  )
}

interface NewsPageProps extends TabPageProps {
  changes: Paged<ChangelogEntry>
  /** The changelog alone has an address of its own. */
  kind: 'posts' | 'changelog'
}

/** What is new, at both of its addresses, of which search engines are told one. */
export function NewsPage({ visit, store, changes, kind }: NewsPageProps) {
  const about = kind === 'posts' ? 'News of' : 'Changelog of'
  return (
    <StoreFrame {...{ visit, store, about }} tab="posts" canonical={`${store.listing.url}/posts`}>
      {changes.total === 0 ? <p class="quiet">The developer has not written down any changes yet.</p> : null}
      <Changes entries={changes.items} level={2} />
      <Pager {...changes} url={visit.url} />
    </StoreFrame>
  )
}

/** Every file of every app, with its checksum, its scan and where it comes from. */
export function FilesPage({ visit, store }: TabPageProps) {
  const { listing, standing, betaFiles } = store
  const isTheirs = standing.hasLicense || standing.role !== null
  const mayDownload = isTheirs || listing.anonymous_downloads
  const list = { visit, listing, mayDownload, linksDetails: true, isSecond: true }
  const web = isPlayedOnly(listing.web_player) ? listing.files.filter(({ os }) => os === 'web') : []
  return (
    <StoreFrame {...{ visit, store }} tab="files" about="Files of" canonical={`${listing.url}/files`}>
      {isGated(visit, listing) ? (
        <p class="quiet">Downloads appear once you turn on adult content in your account.</p>
      ) : listing.files.length + betaFiles.length === 0 ? (
        <p class="quiet">Nothing to download yet. The developer has not published a build.</p>
      ) : (
        <>
          <DownloadList {...list} files={downloadsOf(listing)} />
          {web.length === 0 ? null : (
            <section aria-labelledby="played" class="stack">
              <h2 id="played">Played in the browser</h2>
              <DownloadList {...list} files={web} mayDownload={false} />
            </section>
          )}
          <OtherApps {...list} files={listing.files} level={2} />
          {betaFiles.length === 0 ? null : (
            <section aria-labelledby="beta" class="stack">
              <h2 id="beta">Beta builds</h2>
              <DownloadList {...list} files={betaFiles} mayDownload linksDetails={standing.role !== null} />
            </section>
          )}
        </>
      )}
    </StoreFrame>
  )
}
