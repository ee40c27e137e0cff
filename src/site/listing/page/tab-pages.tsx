import type { News } from '../../../features/community/posts/public-posts.ts'
import { toBrief } from '../../../features/community/posts/responses.ts'
import type { RatedReviews } from '../../../features/community/reviews/service.ts'
import type { Visit } from '../../../http/visit.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Pager } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import { FaultSummary } from '../../kit/form.tsx'
import { DownloadList, OtherApps } from '../files/download-list.tsx'
import type { StoreData } from '../store-data.ts'
import { Change } from './changelog.tsx'
import { downloadsOf, isPlayedOnly } from './choice.ts'
import { PostSummary } from './posts.tsx'
import { Ratings, type RefusedAnswer, ReviewList } from './reviews.tsx'
import { isGated, StoreFrame } from './store-frame.tsx'

interface TabPageProps {
  visit: Visit
  store: StoreData
}

interface ReviewsPageProps extends TabPageProps {
  reviews: RatedReviews
  notice: string | undefined
  refusedAnswer: RefusedAnswer | undefined
}

/** Every review, newest first. */
export function ReviewsPage({ visit, store, reviews, notice, refusedAnswer }: ReviewsPageProps) {
  const { vanity_name, url } = store.listing
  return (
    <StoreFrame
      {...{ visit, store }}
      tab="reviews"
      about="Reviews of"
      canonical={`${url}/reviews`}
      notices={
        <>
          {notice === undefined ? null : <Notice tone="good">{notice}</Notice>}
          <FaultSummary form={refusedAnswer?.form} scope={refusedAnswer?.reviewUid} />
        </>
      }
    >
      <Ratings reviews={reviews} />
      <p>
        <a href={`/games/${vanity_name}#reviews`}>Write a review</a>
      </p>
      <ReviewList reviews={reviews.items} {...{ store, refusedAnswer }} />
      <Pager {...reviews} url={visit.url} />
    </StoreFrame>
  )
}

interface NewsPageProps extends TabPageProps {
  news: Paged<News>
  /** The changelog alone has an address of its own. */
  kind: 'posts' | 'changelog'
}

/** What is new, at both of its addresses, of which search engines are told one. */
export function NewsPage({ visit, store, news, kind }: NewsPageProps) {
  const { url, vanity_name } = store.listing
  const about = kind === 'posts' ? 'News of' : 'Changelog of'
  return (
    <StoreFrame {...{ visit, store, about }} tab="posts" canonical={`${url}/posts`}>
      {news.total === 0 ? <p class="quiet">No news yet.</p> : null}
      <ol class="release-notes">
        {news.items.map((item) =>
          item.part === 'posts' ? (
            <li key={item.post.uid}>
              <PostSummary post={toBrief(item.post)} vanityName={vanity_name} level={2} withPicture />
            </li>
          ) : (
            <Change key={item.entry.uid} entry={item.entry} level={2} />
          ),
        )}
      </ol>
      <Pager {...news} url={visit.url} />
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
