import { mediaUrl, postPath } from '../../../domain/site-urls.ts'
import { respond } from '../../../lib/respond.ts'
import { cutAtWord } from '../../../lib/text/characters.ts'
import { renderMarkdown, textOfMarkdown } from '../../../lib/text/markdown.ts'
import { Post, PublicPost } from './model.ts'
import type { ShownRow } from './queries.ts'

interface Named {
  vanityName: string
}

function toShared(baseUrl: string, { vanityName }: Named, { post, picture }: ShownRow) {
  return {
    url: `${baseUrl}${postPath(vanityName, post.slug)}`,
    html: renderMarkdown(post.markdown),
    picture: picture && {
      url: mediaUrl(baseUrl, picture.objectKey),
      width: picture.width,
      height: picture.height,
    },
  }
}

export function toPost(baseUrl: string, game: Named, row: ShownRow): Post {
  return respond(Post, row.post, toShared(baseUrl, game, row))
}

interface ShownTo {
  /** Pictures of adult listings are left out for everyone who did not ask for such content. */
  withPicture: boolean
}

export function toPublicPost(
  baseUrl: string,
  game: Named,
  row: ShownRow,
  { withPicture }: ShownTo,
): PublicPost {
  const shared = toShared(baseUrl, game, row)
  return respond(PublicPost, row.post, {
    ...shared,
    picture: withPicture ? shared.picture : null,
    published_at: (row.post.publishedAt ?? row.post.createdAt).toISOString(),
  })
}

/** What lists of posts show. */
export interface PostBrief extends Pick<
  PublicPost,
  'uid' | 'slug' | 'title' | 'kind' | 'pinned' | 'picture' | 'published_at'
> {
  /** The beginning of the text. */
  excerpt: string
}

const EXCERPT_MAX = 280

export function toBrief(post: PublicPost): PostBrief {
  const { uid, slug, title, kind, pinned, picture, published_at } = post
  return { uid, slug, title, kind, pinned, picture, published_at, excerpt: excerptOf(post.markdown) }
}

export function excerptOf(markdown: string): string {
  const text = textOfMarkdown(markdown)
  return text.length > EXCERPT_MAX ? `${cutAtWord(text, EXCERPT_MAX)} …` : text
}
