import { Elysia } from 'elysia'

import type { Deps } from '../deps.ts'
import { type Actor, type Anonymous, type WebsiteUser } from '../domain/actor.ts'
import { AppError } from '../errors.ts'
import { recordAttempt } from '../features/catalog/downloads/attempts.ts'
import type { Downloads } from '../features/catalog/downloads/downloads.ts'
import { linkForAnyone, linkForUser } from '../features/catalog/downloads/service.ts'
import { readVisit as readDownloadVisit } from '../features/catalog/downloads/visit.ts'
import type { Listing } from '../features/catalog/pages/listing-model.ts'
import { readListing, readListingFor } from '../features/catalog/pages/listing.ts'
import { claimGame, findLicense, joinBeta, leaveBeta } from '../features/community/library/service.ts'
import { hasReviewed, listReviews, writeReview } from '../features/community/reviews/service.ts'
import type { HttpKit } from '../http/kit.ts'
import type { Visit } from '../http/visit.ts'
import { readPage } from '../lib/paging.ts'
import { type Standing, StorePage } from './pages/store/store-page.tsx'
import { show } from './render.ts'

const REVIEWS_SHOWN = 5
const STRANGER: Standing = { role: null, hasLicense: false, isInBeta: false, hasReviewed: false }

/** What the forms of a page did, as the next page says it. */
const NOTICES: Readonly<Record<string, string>> = {
  claimed: 'It is in your library now.',
  joined: 'You joined the beta: its builds are below.',
  left: 'You left the beta.',
  reviewed: 'Your review is published.',
}

/** A listing's page and what visitors do there. */
export function storePages(kit: HttpKit, deps: Deps, downloads: Downloads) {
  return new Elysia({ name: 'store-pages', prefix: '/games/:game_id' })
    .use(kit)
    .get(
      '/',
      async ({ params, query, visit, set }) => {
        const { listing, standing } = await readFor(visit, params.game_id)
        const reviews = await readReviews(listing)
        const notice = NOTICES[query.done ?? ''] ?? null
        return show(visit, set, <StorePage {...{ visit, listing, reviews, standing, notice }} />)
      },
      { page: true },
    )
    .post(
      '/claim',
      async ({ params, visit, redirect }) => {
        await claimGame(deps, requireUser(visit.actor), params.game_id)
        return redirect(`/games/${params.game_id}?done=claimed`, 303)
      },
      { page: true },
    )
    .post(
      '/beta',
      async ({ params, form, visit, redirect }) => {
        const user = requireUser(visit.actor)
        const isLeaving = form.get('beta') === 'leave'
        await (isLeaving ? leaveBeta(deps, user, params.game_id) : joinBeta(deps, user, params.game_id))
        return redirect(`/games/${params.game_id}?done=${isLeaving ? 'left' : 'joined'}`, 303)
      },
      { page: true },
    )
    .post(
      '/review',
      async ({ params, form, visit, redirect }) => {
        const input = { rating: Number(form.get('rating')), text: form.get('text') ?? '' }
        await writeReview(deps.db, requireUser(visit.actor), params.game_id, input)
        return redirect(`/games/${params.game_id}?done=reviewed#reviews`, 303)
      },
      { page: true },
    )
    .get(
      '/files/:file_uid/download',
      async ({ params, visit, redirect, set }) => {
        set.headers['cache-control'] = 'no-store'
        const { url } = await linkFor(visit, params.game_id, params.file_uid)
        return redirect(url, 302)
      },
      { limit: 'signed_out_download', page: true },
    )

  async function readFor({ actor }: Visit, ref: string): Promise<{ listing: Listing; standing: Standing }> {
    if (actor.kind !== 'user') return { listing: await readListing(deps, ref), standing: STRANGER }
    const { listing, game, role } = await readListingFor(deps, actor, ref)
    const [license, reviewed] = await Promise.all([
      findLicense(deps.db, actor.userUid, game.uid),
      hasReviewed(deps.db, actor.userUid, game.uid),
    ])
    const isInBeta = license?.beta ?? false
    return { listing, standing: { role, hasLicense: license !== undefined, isInBeta, hasReviewed: reviewed } }
  }

  async function readReviews({ uid }: Listing) {
    return await listReviews(deps.db, uid, readPage({ page_size: String(REVIEWS_SHOWN) }))
  }

  function linkFor({ actor, request }: Visit, ref: string, fileUid: string) {
    const visit = readDownloadVisit(request.headers, deps.config.countryHeader)
    return actor.kind === 'user'
      ? recordAttempt(downloads.log, { source: 'library', fileUid, visit }, () =>
          linkForUser(downloads, actor, ref, fileUid),
        )
      : recordAttempt(downloads.log, { source: 'redirect', fileUid, visit }, () =>
          linkForAnyone(downloads, fileUid),
        )
  }
}

function requireUser(actor: Anonymous | WebsiteUser): Extract<Actor, { kind: 'user' }> {
  if (actor.kind === 'user') return actor
  throw new AppError('unauthorized')
}
