import { eq } from 'drizzle-orm'

import { collections } from '../../../src/db/schema/catalog.ts'
import { games } from '../../../src/db/schema/games/games.ts'
import { lookAlikes, pageReports } from '../../../src/db/schema/operate.ts'
import { posts } from '../../../src/db/schema/posts.ts'
import { invitations } from '../../../src/db/schema/settings.ts'
import { STORE_IMAGES } from '../../../src/domain/store-settings.ts'
import { enqueue } from '../../../src/jobs/queue.ts'
import { insertBuild, insertFile } from '../builds.ts'
import { failingJob } from '../jobs.ts'
import { insertPublicGame } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import type { TestServer } from '../server.ts'
import { insertOrder } from './authorization-selling-cases.ts'

export interface OperatorCase {
  /** Creates what the path names. */
  params?: (server: TestServer, operator: Person) => Promise<Record<string, string>>
  /** A valid body of the API, or form of the page. */
  body?: Record<string, string | number>
  /** The status for an operator; 200 by default. */
  allowed?: number
}

async function listing(server: TestServer, operator: Person) {
  return { uid: (await insertPublicGame(server, operator)).uid }
}

async function takenDown(server: TestServer, operator: Person) {
  const { uid } = await listing(server, operator)
  await operator.json('POST', `/api/v1/operator/listings/${uid}/take-down`, { reason: 'x' })
  return { uid }
}

async function file(server: TestServer, operator: Person) {
  const game = await insertPublicGame(server, operator)
  return { uid: (await insertFile(server, await insertBuild(server, game.uid))).uid }
}

async function post(server: TestServer, operator: Person) {
  const { uid: gameUid } = await insertPublicGame(server, operator)
  const values = { gameUid, title: 'News', slug: 'news' }
  const [row] = await server.deps.db.insert(posts).values(values).returning()
  return { uid: row?.uid ?? '' }
}

async function takenDownPost(server: TestServer, operator: Person) {
  const { uid } = await post(server, operator)
  await operator.json('POST', `/api/v1/operator/posts/${uid}/take-down`, { reason: 'x' })
  return { uid }
}

async function account(server: TestServer) {
  return { uid: (await signUp(server)).uid }
}

async function lookAlike(server: TestServer) {
  const { uid } = await account(server)
  await server.deps.db.insert(lookAlikes).values({ userUid: uid, name: 'Playshe1f', otherUid: null })
  return { uid }
}

async function suspended(server: TestServer, operator: Person) {
  const { uid } = await account(server)
  await operator.json('POST', `/api/v1/operator/accounts/${uid}/suspend`)
  return { uid }
}

async function report(server: TestServer, operator: Person) {
  const game = await insertPublicGame(server, operator)
  const values = { gameUid: game.uid, userUid: operator.uid, reason: 'other', text: 'x' } as const
  const [row] = await server.deps.db.insert(pageReports).values(values).returning()
  return { uid: row?.uid ?? '' }
}

async function job({ deps }: TestServer) {
  await enqueue(deps.db, failingJob, { reason: 'x' })
  const [row] = await deps.db.execute<{ id: string }>(
    'select id::text from graphile_worker.jobs order by id desc limit 1',
  )
  return { id: row?.id ?? '' }
}

async function waiting(server: TestServer, operator: Person) {
  const { uid } = await listing(server, operator)
  const pendingPublication = { at: new Date().toISOString(), visibility: 'public' } as const
  await server.deps.db
    .update(games)
    .set({ visibility: 'draft', pendingPublication })
    .where(eq(games.uid, uid))
  return { uid }
}

async function invitation({ deps }: TestServer) {
  const values = { codeHash: crypto.randomUUID(), hint: 'abcd', uses: 1 }
  const [row] = await deps.db.insert(invitations).values(values).returning()
  return { uid: row?.uid ?? '' }
}

async function collection({ deps }: TestServer) {
  const values = { slug: crypto.randomUUID().slice(0, 8), title: 'Rainy days', gameUids: [] }
  const [row] = await deps.db.insert(collections).values(values).returning()
  return { uid: row?.uid ?? '' }
}

/** An unpaid order, so that its refund is refused after the access is granted. */
async function order(server: TestServer, operator: Person) {
  const game = await insertPublicGame(server, operator)
  return await insertOrder({ server, game }, null)
}

/** An image sent to each of them: bodies that are no form are refused after the access is granted. */
function imageCases(path: string, put: string, remove: string, end: string): Record<string, OperatorCase> {
  const isPage = end !== ''
  return Object.fromEntries(
    STORE_IMAGES.flatMap((name) => [
      [`${put} ${path}/${name}`, { allowed: 415 }],
      [`${remove} ${path}/${name}${end}`, { allowed: isPage ? 303 : 200 }],
    ]),
  )
}

const reason = { reason: 'Somebody else made it.' }
const form = { allowed: 303 }

/** Every route for operators, by method and path. The test fails for a route that is missing here. */
export const OPERATOR_CASES: Record<string, OperatorCase> = {
  'GET /api/v1/operator/status': {},
  'GET /api/v1/operator/jobs': {},
  'POST /api/v1/operator/jobs/:id/retry': { params: job },
  'POST /api/v1/operator/search/rebuild': {},
  'GET /api/v1/operator/reports': {},
  'POST /api/v1/operator/reports/:uid/dismiss': { params: report },
  'POST /api/v1/operator/reports/:uid/resolve': { params: report },
  'GET /api/v1/operator/listings': {},
  'GET /api/v1/operator/listings/:uid': { params: listing },
  'POST /api/v1/operator/listings/:uid/take-down': { params: listing, body: reason },
  'POST /api/v1/operator/listings/:uid/restore': { params: takenDown },
  'GET /api/v1/operator/posts/:uid': { params: post },
  'POST /api/v1/operator/posts/:uid/take-down': { params: post, body: reason },
  'POST /api/v1/operator/posts/:uid/restore': { params: takenDownPost },
  'POST /api/v1/operator/files/:uid/rescan': { params: file },
  'GET /api/v1/operator/accounts': {},
  'POST /api/v1/operator/accounts/:uid/suspend': { params: account },
  'POST /api/v1/operator/accounts/:uid/restore': { params: suspended },
  'PUT /api/v1/operator/accounts/:uid/storage-limit': { params: account, body: { limit: 1000 } },
  'POST /api/v1/operator/accounts/:uid/reset-factors': { params: account, body: reason },
  'POST /api/v1/operator/accounts/:uid/clear-profile': { params: account, body: reason },
  'GET /api/v1/operator/look-alikes': {},
  'POST /api/v1/operator/look-alikes/:uid/dismiss': { params: lookAlike },
  'GET /api/v1/operator/settings': {},
  'PATCH /api/v1/operator/settings': { body: { second_factor: 'optional' } },
  ...imageCases('/api/v1/operator/settings', 'PUT', 'DELETE', ''),
  'GET /api/v1/operator/queue': {},
  'POST /api/v1/operator/queue/:uid/approve': { params: waiting },
  'POST /api/v1/operator/queue/:uid/decline': { params: waiting, body: reason },
  'GET /api/v1/operator/invites': {},
  'POST /api/v1/operator/invites': { body: { count: 2 }, allowed: 201 },
  'DELETE /api/v1/operator/invites/:uid': { params: invitation },
  'POST /api/v1/operator/accounts': { body: { email: 'invited@example.org' }, allowed: 201 },
  'GET /api/v1/operator/collections': {},
  'POST /api/v1/operator/collections': { body: { title: 'Made by the API' }, allowed: 201 },
  'GET /api/v1/operator/collections/:uid': { params: collection },
  'PATCH /api/v1/operator/collections/:uid': { params: collection, body: { title: 'Rain' } },
  'DELETE /api/v1/operator/collections/:uid': { params: collection },
  'GET /api/v1/operator/audit': {},
  'GET /api/v1/operator/searches': {},

  'GET /operate/': {},
  'POST /operate/search/rebuild': form,
  'GET /operate/jobs': {},
  'POST /operate/jobs/:id/retry': { params: job, ...form },
  'GET /operate/reports': {},
  'POST /operate/reports/:uid/dismiss': { params: report, ...form },
  'POST /operate/reports/:uid/resolve': { params: report, ...form },
  'GET /operate/listings': {},
  'GET /operate/listings/:uid': { params: listing },
  'GET /operate/listings/:uid/take-down': { params: listing },
  'POST /operate/listings/:uid/take-down': { params: listing, body: reason, ...form },
  'POST /operate/listings/:uid/restore': { params: takenDown, ...form },
  'GET /operate/posts/:uid': { params: post },
  'GET /operate/posts/:uid/take-down': { params: post },
  'POST /operate/posts/:uid/take-down': { params: post, body: reason, ...form },
  'POST /operate/posts/:uid/restore': { params: takenDownPost, ...form },
  'POST /operate/files/:uid/rescan': { params: file, ...form },
  'GET /operate/accounts': {},
  'GET /operate/accounts/:uid/suspend': { params: account },
  'POST /operate/accounts/:uid/suspend': { params: account, body: reason, ...form },
  'POST /operate/accounts/:uid/restore': { params: suspended, ...form },
  'GET /operate/accounts/:uid/reset-factors': { params: account },
  'POST /operate/accounts/:uid/reset-factors': { params: account, body: reason, ...form },
  'GET /operate/accounts/:uid/clear-profile': { params: account },
  'POST /operate/accounts/:uid/clear-profile': { params: account, body: reason, ...form },
  'POST /operate/look-alikes/:uid/dismiss': { params: lookAlike, ...form },
  'GET /operate/accounts/:uid/storage': { params: account },
  'POST /operate/accounts/:uid/storage': { params: account, body: { limit: '1 GB', reason: '' }, ...form },
  'GET /operate/settings': {},
  'POST /operate/settings': { body: { second_factor: 'optional' }, ...form },
  'GET /operate/settings/page': {},
  'POST /operate/settings/page': {
    body: { was: '', slug: 'imprint', title: 'Imprint', markdown: 'Who we are.' },
    ...form,
  },
  'POST /operate/settings/page/delete': { body: { was: 'imprint' }, ...form },
  ...imageCases('/operate/settings/images', 'POST', 'POST', '/delete'),
  'GET /operate/queue': {},
  'POST /operate/queue/:uid/approve': { params: waiting, ...form },
  'GET /operate/queue/:uid/decline': { params: waiting },
  'POST /operate/queue/:uid/decline': { params: waiting, body: reason, ...form },
  'GET /operate/invites': {},
  'POST /operate/invites': { allowed: 201 },
  'POST /operate/invites/account': { body: { email: 'also-invited@example.org' }, ...form },
  'POST /operate/invites/:uid/delete': { params: invitation, ...form },
  'GET /operate/collections': {},
  'GET /operate/collections/new': {},
  'POST /operate/collections/new': { body: { title: 'Made by a form' }, ...form },
  'GET /operate/collections/:uid': { params: collection },
  'POST /operate/collections/:uid': { params: collection, body: { title: 'Rain' }, ...form },
  'POST /operate/collections/:uid/delete': { params: collection, ...form },
  'GET /operate/sales': {},
  'GET /operate/sales.csv': {},
  'POST /operate/sales/:uid/refund': { params: order, body: reason, allowed: 409 },
  'GET /operate/searches': {},
  'GET /operate/audit': {},
}
