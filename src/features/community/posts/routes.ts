import type { Deps } from '../../../deps.ts'
import { POSTS_PER_DAY } from '../../../domain/posts.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, etagOfRevision, type HeaderSet, revisionCheck } from '../../../http/output/caching.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Post, PostEdit, PostInput, PostsQuery, PublicPost } from './model.ts'
import { getPublicPost, listPublicPosts } from './public-posts.ts'
import {
  createPost,
  deletePost,
  editPost,
  getPost,
  listPosts,
  parsePostState,
  removePicture,
  type RevisedPost,
  uploadPicture,
} from './service.ts'

const tags = ['Posts']

/** Edits accept If-Match with the revision they are based on. */
export function postRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'posts', prefix: '/api/v1/private/games/:uid/posts', tags })
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listPosts(deps, actor, params.uid, parsePostState(query.state), parsePage(query))),
      {
        websiteOrAgent: 'mcp:posts',
        query: PostsQuery,
        response: Envelope(Paged(Post)),
        summary: 'The posts of a listing, drafts too',
      },
    )
    .post(
      '',
      async ({ actor, params, body, set, status }) =>
        status(201, send(set, await createPost(deps, actor, params.uid, body))),
      {
        website: true,
        body: PostInput,
        response: { 201: Envelope(Post) },
        summary: 'Write a post',
        description: `At most ${POSTS_PER_DAY} posts of a listing are published in a day.`,
        fails: ['taken', 'rate_limited'],
      },
    )
    .get(
      '/:post_uid',
      async ({ actor, params, set }) => send(set, await getPost(deps, actor, params.uid, params.post_uid)),
      {
        websiteOrAgent: 'mcp:posts',
        response: Envelope(Post),
        summary: 'A post as its writers see it',
      },
    )
    .patch(
      '/:post_uid',
      async ({ actor, params: { uid, post_uid }, body, set, request }) => {
        const patch = await PostEdit.settle(
          body,
          async () => (await getPost(deps, actor, uid, post_uid)).post,
        )
        return send(set, await editPost(deps, actor, uid, post_uid, patch, revisionCheck(request)))
      },
      {
        website: true,
        body: PostEdit.body,
        response: Envelope(Post),
        summary: 'Change, schedule, publish or withdraw a post',
        fails: ['stale', 'rate_limited'],
      },
    )
    .delete(
      '/:post_uid',
      async ({ actor, params }) => await done(deletePost(deps, actor, params.uid, params.post_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete a post',
      },
    )
    .put(
      '/:post_uid/picture',
      async (context) => {
        const { actor, params } = context
        return ok(await uploadPicture(deps, actor, params.uid, params.post_uid, context))
      },
      {
        rawBody: true,
        website: true,
        limit: 'image_upload',
        response: Envelope(Post),
        summary: 'Set the picture of a post: a form with `file`, scaled to fit in 1280×1280',
      },
    )
    .delete(
      '/:post_uid/picture',
      async ({ actor, params }) => ok(await removePicture(deps, actor, params.uid, params.post_uid)),
      {
        website: true,
        response: Envelope(Post),
        summary: 'Remove the picture of a post',
      },
    )
}

export function publicPostRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'public-posts', prefix: '/api/v1/public/games/:game_id/posts', tags })
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listPublicPosts(deps, actor, params.game_id, parsePage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        ...listOf(PublicPost),
        summary: 'The posts of a listing, newest first',
        mayMove: true,
      },
    )
    .get(
      '/:slug',
      async ({ actor, params }) => ok(await getPublicPost(deps, actor, params.game_id, params.slug)),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        response: Envelope(PublicPost),
        summary: 'A post',
        mayMove: true,
      },
    )
}

function send(set: HeaderSet, { post, revision }: RevisedPost) {
  set.headers.etag = etagOfRevision(revision)
  return ok(post)
}
