import type { Deps } from '../../../deps.ts'
import { isAllowedPrice, isPaidPrice } from '../../../domain/listings/store-rules.ts'
import { invalidFields } from '../../../errors.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { AnonymousDownloadsInput, EditionInput } from '../../../features/listings/pricing/model.ts'
import {
  createEdition,
  deleteEdition,
  listEditions,
  setAnonymousDownloads,
  updateEdition,
} from '../../../features/listings/pricing/service.ts'
import { findSale } from '../../../features/selling/payouts/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { checked, parseCents, readForm } from '../../kit/form-state.ts'
import { changes, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/studio-frame.tsx'
import { PRICE_RANGE, PricingPage } from './pricing-page.tsx'

const ALL = parsePage({ page_size: '50' })

/** Price, editions, and downloads without an account. */
export function priceRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { items: editions } = await listEditions(deps, project.user, project.listing.uid, ALL)
    const { visibility, owner } = project.listing
    const sale = await findSale(deps, { visibility, ownerUid: owner.uid })
    return <PricingPage {...{ project, state, editions, sale }} />
  }

  const savePrice: TabAct = async (project, form) => {
    const price_cents = parsePrice(form, isAllowedPrice, `The price must be 0, or ${PRICE_RANGE}.`)
    // Saved without comparing revisions: the form has only these fields, so the last one wins.
    const patch = { price_cents, ...(deps.payments && { pay_more: form.has('pay_more') }) }
    await editListing(deps, project.user, project.listing.uid, patch, () => {})
    return tabPath(project, 'pricing', 'price')
  }

  const addEdition: TabAct = async (project, form) => {
    await createEdition(deps, project.user, project.listing.uid, parseEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const saveEdition: TabAct = async (project, form, { params }) => {
    const uid = params.edition_uid ?? ''
    await updateEdition(deps, project.user, project.listing.uid, uid, parseEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const removeEdition: TabAct = async (project, _, { params }) => {
    await deleteEdition(deps, project.user, project.listing.uid, params.edition_uid ?? '')
    return tabPath(project, 'pricing', 'edition-deleted')
  }

  const setAnonymous: TabAct = async (project, form) => {
    const input = readForm(AnonymousDownloadsInput, form)
    await setAnonymousDownloads(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'pricing', input.enabled ? 'anonymous' : 'signed-in')
  }

  return createRoutes(kit, { name: 'studio-pricing', prefix: '/studio/:uid/pricing' })
    .get('', view(showTab), { page: true })
    .post('/price', submit('price', savePrice, showTab), changes())
    .post('/editions', submit('edition', addEdition, showTab), changes())
    .post('/editions/:edition_uid', submit('editions', saveEdition, showTab), changes())
    .post('/editions/:edition_uid/delete', submit('editions', removeEdition, showTab), changes())
    .post('/anonymous', submit('anonymous', setAnonymous, showTab), changes())
}

const parseEdition = (form: URLSearchParams) =>
  readForm(EditionInput, form, {
    price_cents: (sent) => parsePrice(sent, isPaidPrice, `The price of an edition must be ${PRICE_RANGE}.`),
    active: checked,
  })

function parsePrice(form: URLSearchParams, isAllowed: (cents: number) => boolean, rule: string): number {
  const price = parseCents(form, 'price_cents')
  if (!isAllowed(price)) throw invalidFields([{ path: 'price_cents', message: rule }])
  return price
}
