import type { PostKind } from '../../../domain/posts.ts'
import { postPath } from '../../../domain/site-urls.ts'
import type { PublicPost } from '../../../features/community/posts/model.ts'
import { excerptOf, type PostBrief } from '../../../features/community/posts/responses.ts'
import type { Visit } from '../../../http/visit.ts'
import { pathOf } from '../../components/card.tsx'
import { Prose } from '../../components/prose.tsx'
import { Badge, Day } from '../../kit/labels.tsx'
import type { StoreData } from '../store-data.ts'
import { isGated, StoreFrame } from './store-frame.tsx'

export const POST_KIND_LABELS: Readonly<Record<PostKind, string>> = {
  news: 'News',
  update: 'Update',
  event: 'Event',
}

interface PostsProps {
  posts: readonly PostBrief[]
  vanityName: string
  isAdultGated: boolean
}

/** The pinned post and the newest ones, on the store page. */
export function Posts({ posts, vanityName, isAdultGated }: PostsProps) {
  if (posts.length === 0) return null
  return (
    <section aria-labelledby="posts">
      <h2 id="posts">News</h2>
      <ol class="release-notes">
        {posts.map((post) => (
          <li key={post.uid}>
            <PostSummary {...{ post, vanityName }} level={3} withPicture={!isAdultGated} />
          </li>
        ))}
      </ol>
      <p>
        <a href={`/games/${vanityName}/posts`}>All news</a>
      </p>
    </section>
  )
}

interface PostSummaryProps {
  post: PostBrief
  vanityName: string
  level: 2 | 3
  withPicture: boolean
}

export function PostSummary({ post, vanityName, level, withPicture }: PostSummaryProps) {
  const Heading = `h${level}` as const
  return (
    <article class="post-summary">
      <div>
        <Heading>
          <a href={postPath(vanityName, post.slug)} dir="auto">
            {post.title}
          </a>
        </Heading>
        <PostFacts {...post} />
        {post.excerpt === '' ? null : (
          <p class="small" dir="auto">
            {post.excerpt}
          </p>
        )}
      </div>
      {withPicture && post.picture ? <Picture picture={post.picture} isLazy /> : null}
    </article>
  )
}

function PostFacts({ kind, pinned, published_at }: Pick<PostBrief, 'kind' | 'pinned' | 'published_at'>) {
  return (
    <p class="quiet small">
      <Badge>{POST_KIND_LABELS[kind]}</Badge> {pinned ? <Badge tone="good">Pinned</Badge> : null}{' '}
      <Day at={published_at} />
    </p>
  )
}

function Picture({
  picture,
  isLazy = false,
}: {
  picture: NonNullable<PostBrief['picture']>
  isLazy?: boolean
}) {
  const { url, width, height } = picture
  return (
    <img
      {...{ class: 'post-picture', src: pathOf(url), width, height, alt: '' }}
      loading={isLazy ? 'lazy' : undefined}
      decoding="async"
    />
  )
}

interface PostPageProps {
  visit: Visit
  store: StoreData
  post: PublicPost
}

/** One post, under the tab of the news. */
export function PostPage({ visit, store, post }: PostPageProps) {
  const { listing, standing } = store
  const picture = isGated(visit, listing) ? null : post.picture
  const news = `/games/${listing.vanity_name}/posts`
  return (
    <StoreFrame
      {...{ visit, store }}
      tab="posts"
      title={post.title}
      description={excerptOf(post.markdown)}
      canonical={post.url}
      head={<PostHead {...{ store, post }} />}
    >
      <article class="post">
        <PostFacts {...post} />
        {picture === null ? null : <Picture picture={picture} />}
        <Prose html={post.html} under={1} />
        <p class="quiet small">
          <a href={news}>All news of {listing.name}</a>
          {standing.role === null ? (
            <>
              {' · '}
              <a href={`/games/${listing.vanity_name}/report?post=${post.uid}`}>Report this post</a>
            </>
          ) : (
            <>
              {' · '}
              <a href={`/studio/${listing.vanity_name}/posts/${post.uid}`}>Edit in the studio</a>
            </>
          )}
        </p>
      </article>
    </StoreFrame>
  )
}

/** Metadata for search engines and link previews. */
function PostHead({ store: { listing }, post }: Pick<PostPageProps, 'store' | 'post'>) {
  const picture = listing.adult ? null : (post.picture ?? listing.cover)
  return (
    <>
      <meta property="og:type" content="article" />
      <meta property="og:title" content={post.title} />
      <meta property="og:description" content={excerptOf(post.markdown)} />
      <meta property="og:url" content={post.url} />
      <meta property="article:published_time" content={post.published_at} />
      <meta property="article:modified_time" content={post.updated_at} />
      {picture === null ? null : (
        <>
          <meta property="og:image" content={picture.url} />
          <meta property="og:image:width" content={String(picture.width)} />
          <meta property="og:image:height" content={String(picture.height)} />
          <meta name="twitter:card" content="summary_large_image" />
        </>
      )}
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: toJsonLd(listing, post, picture?.url) }}
      />
    </>
  )
}

/** Escapes `<`, so that no title can close the script element. */
function toJsonLd(listing: StoreData['listing'], post: PublicPost, image: string | undefined): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: post.title,
    url: post.url,
    image,
    datePublished: post.published_at,
    dateModified: post.updated_at,
    author: { '@type': 'Organization', name: listing.developer.display_name },
    about: { '@type': 'CreativeWork', name: listing.name, url: listing.url },
  }
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
}
