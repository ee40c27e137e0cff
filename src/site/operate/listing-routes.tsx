import type { Deps } from '../../deps.ts'
import {
  getListing,
  listListings,
  rescan,
  restore,
  takeDown,
} from '../../features/operate/moderation/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { PersonName } from '../components/person.tsx'
import { textOf } from '../kit/form-state.ts'
import { atPage } from '../kit/pages.ts'
import { ListingPage, ListingsPage } from './listing-pages.tsx'
import {
  ConfirmPage,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  parseReason,
} from './operator-form.tsx'

export function operateListingPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const { db } = deps

  const showListings: OperatorPage = async (_, state) => {
    const { query } = state
    const search = { q: query.q?.trim() ?? '', takenDownOnly: query.taken_down === 'true' }
    const listings = await listListings(db, search, parsePage(query))
    return <ListingsPage {...{ state, listings }} />
  }

  /** Forms about a file send the uid of its listing in a field. */
  const showListing: OperatorPage = async (_, context) => {
    const uid = context.refused?.form.values.get('listing') ?? context.params.uid ?? ''
    const listing = await getListing(db, uid)
    return <ListingPage state={atPage(context, `/operate/listings/${listing.uid}`)} listing={listing} />
  }

  const showTakeDown: OperatorPage = async (_, state) => {
    const listing = await getListing(db, state.params.uid ?? '')
    const path = `/operate/listings/${listing.uid}`
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/listings', back: path, action: `${path}/take-down` }}
        title={`Take down ${listing.name}`}
        act="Take down"
      >
        <p>
          The page of <strong dir="auto">{listing.name}</strong> by <PersonName {...listing.owner} /> will be
          missing for everyone but its owner and operators: in search, on shelves, in feeds and in the asset
          library. Its download links end, and the owner cannot publish it. You can undo this.
        </p>
      </ConfirmPage>
    )
  }

  const takeDownListing: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await takeDown(deps, operator, uid, parseReason(form))
    return `/operate/listings/${uid}?done=taken-down`
  }

  const restoreListing: OperatorAct = async (operator, _, { params: { uid = '' } }) => {
    await restore(deps, operator, uid)
    return `/operate/listings/${uid}?done=restored`
  }

  const rescanFile: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await rescan(deps, operator, uid)
    return `/operate/listings/${encodeURIComponent(textOf(form, 'listing'))}?done=rescan`
  }

  return createRoutes(kit, { name: 'operate-listing-pages' })
    .get('/listings', view(showListings), { operatorPage: true })
    .get('/listings/:uid', view(showListing), { operatorPage: true })
    .get('/listings/:uid/take-down', view(showTakeDown), { operatorPage: true })
    .post('/listings/:uid/take-down', submit('take-down', takeDownListing, showTakeDown), operatorAct())
    .post('/listings/:uid/restore', submit('restore', restoreListing, showListing), operatorAct())
    .post('/files/:uid/rescan', submit('rescan', rescanFile, showListing), operatorAct())
}
