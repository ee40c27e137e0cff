import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { isAllowedPrice, isPaidPrice } from '../../../domain/listings/store-rules.ts'
import { type AppError, invalidFields } from '../../../errors.ts'
import { editListing } from '../../../features/listings/page/service.ts'
import { EditionInput } from '../../../features/listings/pricing/model.ts'
import {
  createEdition,
  deleteEdition,
  listEditions,
  setAnonymousDownloads,
  updateEdition,
} from '../../../features/listings/pricing/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { CHANGES, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { PRICE_RANGE, PricingPage } from './pricing-page.tsx'

const ALL = readPage({ page_size: '50' })

/** Price, editions, and downloads without an account. */
export function priceRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const showTab: ShowTab = async (project, state) => {
    const { items: editions } = await listEditions(deps, project.user, project.listing.uid, ALL)
    return <PricingPage {...{ project, state, editions }} />
  }

  const savePrice: TabAct = async (project, form) => {
    const price_cents = readDollars(form, isAllowedPrice, `The price must be 0, or ${PRICE_RANGE}.`)
    // The price is the only field of the form, so that the last one wins.
    await editListing(deps, project.user, project.listing.uid, { price_cents }, () => {})
    return tabPath(project, 'pricing', 'price')
  }

  const addEdition: TabAct = async (project, form) => {
    await createEdition(deps, project.user, project.listing.uid, readEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const saveEdition: TabAct = async (project, form, { params }) => {
    const uid = params.edition_uid ?? ''
    await updateEdition(deps, project.user, project.listing.uid, uid, readEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const removeEdition: TabAct = async (project, _, { params }) => {
    await deleteEdition(deps, project.user, project.listing.uid, params.edition_uid ?? '')
    return tabPath(project, 'pricing', 'edition-deleted')
  }

  const setAnonymous: TabAct = async (project, form) => {
    const enabled = form.get('enabled') === 'true'
    const input = { enabled, confirm_no_license: form.has('confirm_no_license') }
    await setAnonymousDownloads(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'pricing', enabled ? 'anonymous' : 'signed-in')
  }

  return new Elysia({ name: 'studio-pricing', prefix: '/studio/:uid/pricing' })
    .use(kit)
    .get('', view(showTab), { page: true })
    .post('/price', submit('price', savePrice, showTab), CHANGES)
    .post('/editions', submit('edition', addEdition, showTab), CHANGES)
    .post('/editions/:edition_uid', submit('editions', saveEdition, showTab), CHANGES)
    .post('/editions/:edition_uid/delete', submit('editions', removeEdition, showTab), CHANGES)
    .post('/anonymous', submit('anonymous', setAnonymous, showTab), CHANGES)
}

function readEdition(form: URLSearchParams): EditionInput {
  const input = {
    name: textOf(form, 'name'),
    price_cents: readDollars(form, isPaidPrice, `The price of an edition must be ${PRICE_RANGE}.`),
    active: form.has('active'),
  }
  checkForm(EditionInput, input)
  return input
}

/** Prices are typed in dollars and stored in cents. */
function readDollars(form: URLSearchParams, isAllowed: (cents: number) => boolean, rule: string): number {
  const text = textOf(form, 'price_cents').trim().replace(/^\$/, '')
  const [, dollars = '', cents = ''] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text || '0') ?? []
  if (dollars === '') throw refuse('Type the price in dollars, such as 4.99.')
  const price = Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
  if (!isAllowed(price)) throw refuse(rule)
  return price
}

function refuse(message: string): AppError {
  return invalidFields([{ path: 'price_cents', message }])
}
