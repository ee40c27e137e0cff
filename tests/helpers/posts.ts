import { and, eq, sql } from 'drizzle-orm'

import { noticeEvents } from '../../src/db/schema/notices.ts'
import { posts } from '../../src/db/schema/posts.ts'
import type { Post, PublicPost } from '../../src/features/community/posts/model.ts'
import type { Paged } from '../../src/lib/paging.ts'
import { readData } from './json.ts'
import type { Person } from './people.ts'
import type { ReachableServer, TestServer } from './server.ts'

type Ref = { uid: string }

export const postsPath = (game: Ref, tail = '') => `/api/v1/private/games/${game.uid}/posts${tail}`

/** Writes a post and returns it. */
export async function writePost(person: Person, game: Ref, fields: object = {}): Promise<Post> {
  const answer = await person.json('POST', postsPath(game), { title: 'The lamp turns', ...fields })
  if (answer.status !== 201) throw new Error(`The post was refused: ${await answer.text()}`)
  return await readData<Post>(answer)
}

export const publishPost = (person: Person, game: Ref, fields: object = {}) =>
  writePost(person, game, { state: 'published', ...fields })

export async function readPost(person: Person, game: Ref, uid: string): Promise<Post> {
  return await readData<Post>(await person.fetch(postsPath(game, `/${uid}`)))
}

export async function listPublic(
  server: ReachableServer,
  game: Ref,
  init: RequestInit = {},
): Promise<PublicPost[]> {
  const answer = await server.fetch(`/api/v1/public/games/${game.uid}/posts`, init)
  return (await readData<Paged<PublicPost>>(answer)).items
}

/** The notices of a post. */
export async function listNotices({ deps }: TestServer, postUid: string) {
  return await deps.db
    .select()
    .from(noticeEvents)
    .where(and(eq(noticeEvents.kind, 'post'), eq(noticeEvents.postUid, postUid)))
}

/** Moves the time of a scheduled post into the past. */
export async function makePostDue({ deps }: TestServer, uid: string): Promise<void> {
  await deps.db
    .update(posts)
    .set({ publishAt: sql`now() - interval '1 second'` })
    .where(eq(posts.uid, uid))
}
