import { t } from 'elysia'

import {
  POST_KINDS,
  POST_STATES,
  POST_TEXT_MAX,
  POST_TITLE_MAX,
  SCHEDULE_DAYS_MAX,
} from '../../../domain/posts.ts'
import {
  Integer,
  Joined,
  Moment,
  OneOf,
  PageQuery,
  Strict,
  Uid,
  writable,
} from '../../../http/input/schema.ts'

const Title = t.String({
  minLength: 1,
  maxLength: POST_TITLE_MAX * 2,
  description: `One line of 1 to ${POST_TITLE_MAX} characters.`,
  examples: ['The lamp turns again'],
})

const fields = {
  markdown: t.String({ maxLength: POST_TEXT_MAX }),
  kind: OneOf(POST_KINDS),
  state: OneOf(POST_STATES),
  publish_at: t.Nullable(
    t.String({
      format: 'date-time',
      description: `When a scheduled post is published, at most ${SCHEDULE_DAYS_MAX} days ahead.`,
      examples: ['2026-01-31T12:00:00.000Z'],
    }),
  ),
  pinned: t.Boolean({ description: 'Shown first; a listing has one such post.' }),
  send_to_followers: t.Boolean({
    description: 'Whether followers are told when it is first published; true by default.',
  }),
}

export const PostInput = t.Object(
  { title: Title, ...t.Partial(t.Object(fields)).properties },
  {
    additionalProperties: false,
  },
)
export type PostInput = typeof PostInput.static

/** Fields that are not sent stay as they are. */
export const PostPatch = Strict(t.Partial(PostInput).properties)
export type PostPatch = typeof PostPatch.static

export const PostPicture = t.Object({
  url: t.String({ format: 'uri', examples: ['https://store.example/media/0f3a.webp'] }),
  width: Integer({ examples: [1280] }),
  height: Integer({ examples: [720] }),
})
export type PostPicture = typeof PostPicture.static

const shared = {
  uid: Uid,
  slug: t.String({
    description: 'The last part of its address, from the first title.',
    examples: ['the-lamp-turns-again'],
  }),
  url: t.String({ format: 'uri' }),
  title: t.String(),
  markdown: t.String({ description: 'As it was written.' }),
  html: t.String(),
  kind: OneOf(POST_KINDS),
  pinned: t.Boolean(),
  picture: t.Nullable(PostPicture),
  updated_at: Moment,
}

/** As owner and admins see it. */
export const Post = t.Object(
  {
    ...shared,
    state: OneOf(POST_STATES),
    publish_at: t.Nullable(Moment),
    published_at: t.Nullable(Moment),
    send_to_followers: t.Boolean(),
    sent_at: t.Nullable(Moment),
    taken_down: t.Nullable(t.Object({ at: Moment, reason: t.String() })),
    created_at: Moment,
  },
  { $id: 'Post' },
)
export type Post = typeof Post.static

/** Accepts the read-only fields too, so that a post that was read can be sent back. */
export const PostEdit = writable(PostPatch, Post)

export const PostsQuery = Joined([
  PageQuery,
  t.Object({
    state: t.Optional(t.String({ description: `One of ${POST_STATES.join(', ')}; all by default.` })),
  }),
])

/** As everyone sees it. */
export const PublicPost = t.Object({ ...shared, published_at: Moment }, { $id: 'PublicPost' })
export type PublicPost = typeof PublicPost.static
