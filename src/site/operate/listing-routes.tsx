import { Elysia } from 'elysia'

import {
  getListing,
  listListings,
  rescan,
  restore,
  takeDown,
} from '../../features/operate/listings/service.ts'
import type { Operate } from '../../features/operate/operate.ts'
import type { HttpKit } from '../../http/kit.ts'
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { attempt, EMPTY_FORM, type Refused, textOf } from '../kit/form-state.ts'
import { type ResponseSettings, show } from '../kit/render.ts'
import { ConfirmPage } from './confirm-page.tsx'
import { ListingPage } from './listing-page.tsx'
import { ListingsPage } from './listings-page.tsx'
import { readReason } from './reason.ts'

const NOTICES: Readonly<Record<string, string>> = {
  'taken-down': 'The page is taken down, and its owner is mailed the reason.',
  restored: 'The page is back as it was.',
  rescan: 'The file is being scanned again; until then it cannot be downloaded.',
}

export function operateListingPages(kit: HttpKit, operate: Operate) {
  const { db } = operate.deps

  async function showTakeDown(visit: Visit, set: ResponseSettings, uid: string, refused: Refused | null) {
    const form = refused?.form ?? EMPTY_FORM
    const listing = await getListing(db, uid)
    const path = `/operate/listings/${listing.uid}`
    const page = (
      <ConfirmPage
        {...{ visit, form, tab: '/operate/listings', back: path, action: `${path}/take-down` }}
        title={`Take down ${listing.name}`}
        act="Take down"
      >
        <p>
          The page of <strong>{listing.name}</strong> by {listing.owner.username} will be missing for everyone
          but its owner and operators: in search, on shelves, in feeds and in the asset library. Its download
          links end, and the owner cannot publish it. You can undo this.
        </p>
      </ConfirmPage>
    )
    return show(visit, set, page, refused ?? {})
  }

  return new Elysia({ name: 'operate-listing-pages' })
    .use(kit)
    .get(
      '/listings',
      async ({ visit, query, set }) => {
        const search = { q: query.q?.trim() ?? '', takenDownOnly: query.taken_down === 'true' }
        const listings = await listListings(db, search, readPage(query))
        return show(visit, set, <ListingsPage visit={visit} listings={listings} />)
      },
      { operatorPage: true },
    )
    .get(
      '/listings/:uid',
      async ({ visit, params, query, set }) => {
        const listing = await getListing(db, params.uid)
        const notice = NOTICES[query.done ?? '']
        return show(visit, set, <ListingPage visit={visit} listing={listing} notice={notice} />)
      },
      { operatorPage: true },
    )
    .get('/listings/:uid/take-down', ({ visit, params, set }) => showTakeDown(visit, set, params.uid, null), {
      operatorPage: true,
    })
    .post(
      '/listings/:uid/take-down',
      async ({ visit, params, form, set, redirect }) => {
        const refused = await attempt(form, () =>
          takeDown(operate, visit.actor, params.uid, readReason(form)),
        )
        if (refused) return await showTakeDown(visit, set, params.uid, refused)
        return redirect(`/operate/listings/${params.uid}?done=taken-down`, 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .post(
      '/listings/:uid/restore',
      async ({ visit, params, redirect }) => {
        await restore(operate, visit.actor, params.uid)
        return redirect(`/operate/listings/${params.uid}?done=restored`, 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .post(
      '/files/:uid/rescan',
      async ({ visit, params, form, set, redirect }) => {
        const listingUid = textOf(form, 'listing')
        const refused = await attempt(form, () => rescan(operate, visit.actor, params.uid))
        if (!refused) return redirect(`/operate/listings/${encodeURIComponent(listingUid)}?done=rescan`, 303)
        const listing = await getListing(db, listingUid)
        const fault = refused.form.faults[0]?.message
        return show(visit, set, <ListingPage visit={visit} listing={listing} fault={fault} />, refused)
      },
      { operatorPage: true, limit: 'operator' },
    )
}
