import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { HistoryKind } from '../../../domain/history.ts'
import {
  POST_STATES,
  POST_TITLE_MAX,
  type PostState,
  SCHEDULE_DAYS_MAX,
  UNPUBLISHED_MAX,
} from '../../../domain/posts.ts'
import { AppError, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Arrival } from '../../../lib/net/requests.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { describeName, parseName, slugify } from '../../../lib/text/names.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { changeGame, type GameRow, markEdited, openGame, recordChange } from '../../games/service.ts'
import type { ProcessedImage } from '../../listings/images/process.ts'
import { prepareImage, receiveImage, removeAttached, storeAttached } from '../../listings/images/service.ts'
import { publishScheduled } from '../jobs.ts'
import type { Post, PostInput, PostPatch } from './model.ts'
import { publishPost } from './publish.ts'
import * as queries from './queries.ts'
import { toPost } from './responses.ts'

type Author = WebsiteUser | Agent

/** A post with the revision that If-Match is compared with. */
export interface RevisedPost {
  post: Post
  revision: number
}

/** Throws when the caller's revision is not the current one. */
type RevisionCheck = (revision: number) => void

export function parsePostState(text: string | undefined): PostState | null {
  return POST_STATES.find((state) => state === text) ?? null
}

/** For owner and admins. */
export async function listPosts(
  deps: Deps,
  author: Author,
  ref: string,
  state: PostState | null,
  page: Page,
): Promise<Paged<Post>> {
  const { game } = await openGame(deps.db, author, ref, 'edit')
  return mapPage(await queries.pagePosts(deps.db, game.uid, state, page), (row) =>
    toPost(deps.config.baseUrl, game, row),
  )
}

export async function getPost(deps: Deps, author: Author, ref: string, uid: string): Promise<RevisedPost> {
  const { game } = await openGame(deps.db, author, ref, 'edit')
  return await loadPost(deps, deps.db, game, uid)
}

export async function createPost(
  deps: Deps,
  author: WebsiteUser,
  ref: string,
  input: PostInput,
): Promise<RevisedPost> {
  return await changeGame(deps.db, author, ref, 'edit', async (tx, game) => {
    return await writePost(deps, tx, author, game, null, input)
  })
}

/** Changes the fields that are sent. */
export async function editPost(
  deps: Deps,
  author: WebsiteUser,
  ref: string,
  uid: string,
  patch: PostPatch,
  checkRevision: RevisionCheck,
): Promise<RevisedPost> {
  return await changeGame(deps.db, author, ref, 'edit', async (tx, game) => {
    const { post } = await requirePost(tx, game.uid, uid)
    checkRevision(post.revision)
    return await writePost(deps, tx, author, game, post, patch)
  })
}

/** Needs the lock of the game. `before` is null for a new post. */
export async function writePost(
  deps: Deps,
  tx: Transaction,
  author: Author,
  game: GameRow,
  before: queries.PostRow | null,
  patch: PostPatch,
): Promise<RevisedPost> {
  const values = applyPatch(before, patch)
  const uid = before?.uid ?? createUid()
  if (before === null) await requireRoom(tx, game.uid)
  if (values.pinned && !before?.pinned) await queries.unpinOthers(tx, game.uid, uid)
  const { state, ...texts } = values
  const isPublishing = state === 'published' && before?.state !== 'published'
  const stored = isPublishing ? texts : values
  const row = before
    ? await queries.updatePost(tx, uid, stored)
    : await queries.insertPost(tx, {
        ...stored,
        uid,
        gameUid: game.uid,
        slug: await chooseSlug(tx, game.uid, values),
      })
  const change = describeChange(before, values)
  if (change) await recordChange(tx, author, game.uid, { kind: change, subject: row.title })
  if (state === 'scheduled' && row.publishAt)
    await enqueue(tx, publishScheduled, {}, { key: `${publishScheduled.name} ${uid}`, runAt: row.publishAt })
  if (before?.state === 'published') await markEdited(tx, game.uid)
  const final = isPublishing ? await publishPost(tx, game, row) : row
  return await loadRevised(deps, tx, game, final)
}

const CHANGES: Readonly<Partial<Record<PostState, HistoryKind>>> = {
  scheduled: 'post_scheduled',
  published: 'post_published',
}

/** What the history of the listing records; null for an edit that changes nothing of who can read it. */
function describeChange(before: queries.PostRow | null, { state, publishAt }: Values): HistoryKind | null {
  const isSame =
    state === before?.state && (state !== 'scheduled' || +(before.publishAt ?? 0) === +(publishAt ?? 0))
  if (isSame) return null
  return CHANGES[state] ?? (before?.state === 'published' ? 'post_withdrawn' : null)
}

type Values = Required<
  Pick<queries.NewPost, 'title' | 'markdown' | 'kind' | 'state' | 'publishAt' | 'pinned' | 'sendToFollowers'>
> & { publishAt: Date | null; state: PostState }

/** All faults are reported together. */
function applyPatch(before: queries.PostRow | null, patch: PostPatch): Values {
  const issues: Issue[] = []
  const title = patch.title === undefined ? before?.title : parseName(patch.title, POST_TITLE_MAX)
  if (title === undefined || title === null)
    issues.push(issueAt('title', `must be ${describeName(POST_TITLE_MAX)}.`))
  const sentAt = patch.publish_at
  const publishAt =
    sentAt === undefined ? (before?.publishAt ?? null) : sentAt === null ? null : new Date(sentAt)
  const state = patch.state ?? before?.state ?? 'draft'
  const isNewTime = +(publishAt ?? 0) !== +(before?.publishAt ?? 0)
  const fault = isNewTime || state !== before?.state ? findTimeFault(state, publishAt) : null
  if (fault !== null) issues.push(issueAt('publish_at', fault))
  if (issues.length > 0) throw invalidFields(issues)
  return {
    title: title ?? '',
    markdown: patch.markdown ?? before?.markdown ?? '',
    kind: patch.kind ?? before?.kind ?? 'news',
    state,
    publishAt,
    pinned: patch.pinned ?? before?.pinned ?? false,
    sendToFollowers: patch.send_to_followers ?? before?.sendToFollowers ?? true,
  }
}

/** Drafts keep any time that was entered; it only matters once they are scheduled. */
function findTimeFault(state: PostState, publishAt: Date | null): string | null {
  if (publishAt && Number.isNaN(publishAt.getTime())) return 'must be a date and time.'
  if (state !== 'scheduled') return null
  if (!publishAt) return 'must be given for a scheduled post.'
  const ahead = publishAt.getTime() - Date.now()
  if (ahead <= 0) return 'must be in the future.'
  return ahead > SCHEDULE_DAYS_MAX * DAY_MS ? `must be at most ${SCHEDULE_DAYS_MAX} days ahead.` : null
}

async function requireRoom(tx: Transaction, gameUid: string): Promise<void> {
  if ((await queries.countUnpublished(tx, gameUid)) < UNPUBLISHED_MAX) return
  throw new AppError('taken', {
    message: `There are ${UNPUBLISHED_MAX} drafts and scheduled posts. Publish or delete one, then write the next.`,
  })
}

const SLUG_MAX = 80
const NUMBERED_MAX = 20

/** From the title; titles without letters that an address can have get the name of their kind. */
async function chooseSlug(tx: Transaction, gameUid: string, { title, kind }: Values): Promise<string> {
  const base = slugify(title, SLUG_MAX) || kind
  const numbered = Array.from({ length: NUMBERED_MAX - 1 }, (_, index) => `${base}-${index + 2}`)
  const candidates = [base, ...numbered]
  const taken = await queries.listTakenSlugs(tx, gameUid, candidates)
  const free = candidates.find((slug) => !taken.includes(slug))
  return free ?? `${base}-${crypto.randomUUID().slice(0, 8)}`
}

/** The post, of a listing that the caller has opened. */
export async function requirePost(db: Db, gameUid: string, uid: string): Promise<queries.ShownRow> {
  const row = isUid(uid) ? await queries.findPost(db, gameUid, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

async function loadPost(deps: Deps, db: Db, game: GameRow, uid: string): Promise<RevisedPost> {
  const row = await requirePost(db, game.uid, uid)
  return { post: toPost(deps.config.baseUrl, game, row), revision: row.post.revision }
}

/** With the picture, which is only read where there is one. */
async function loadRevised(
  deps: Deps,
  tx: Transaction,
  game: GameRow,
  post: queries.PostRow,
): Promise<RevisedPost> {
  if (post.pictureUid !== null) return await loadPost(deps, tx, game, post.uid)
  return { post: toPost(deps.config.baseUrl, game, { post, picture: null }), revision: post.revision }
}

export async function deletePost(deps: Deps, author: WebsiteUser, ref: string, uid: string): Promise<void> {
  await changeGame(deps.db, author, ref, 'edit', async (tx, game) => {
    const { post } = await requirePost(tx, game.uid, uid)
    await queries.deletePost(tx, post.uid)
    if (post.pictureUid !== null) await removeAttached(tx, game.uid, 'post', post.pictureUid)
    await recordChange(tx, author, game.uid, { kind: 'post_deleted', subject: post.title })
    if (post.state === 'published') await markEdited(tx, game.uid)
  })
}

/** Receives a form with `file`. Permission is checked before it is read. */
export async function uploadPicture(
  deps: Deps,
  author: WebsiteUser,
  ref: string,
  uid: string,
  arrival: Arrival,
): Promise<Post> {
  const { game } = await openGame(deps.db, author, ref, 'edit')
  await requirePost(deps.db, game.uid, uid)
  const whose = { accountUid: author.userUid, gameUid: game.uid }
  return await receiveImage(deps, arrival, whose, async (file) =>
    setPicture(deps, author, game.uid, uid, await prepareImage(deps, 'post', file)),
  )
}

export async function removePicture(
  deps: Deps,
  author: WebsiteUser,
  ref: string,
  uid: string,
): Promise<Post> {
  return await setPicture(deps, author, ref, uid, null)
}

/** The revision stays: a text that is being edited meanwhile can still be saved. */
async function setPicture(
  deps: Deps,
  author: WebsiteUser,
  ref: string,
  uid: string,
  picture: ProcessedImage | null,
): Promise<Post> {
  return await changeGame(deps.db, author, ref, 'edit', async (tx, game) => {
    const { post } = await requirePost(tx, game.uid, uid)
    const pictureUid = picture && (await storeAttached(deps, tx, game.uid, 'post', picture))
    await queries.setPicture(tx, post.uid, pictureUid)
    if (post.pictureUid !== null) await removeAttached(tx, game.uid, 'post', post.pictureUid)
    if (post.state === 'published') await markEdited(tx, game.uid)
    return (await loadPost(deps, tx, game, post.uid)).post
  })
}
