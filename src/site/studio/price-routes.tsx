import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { invalidField } from '../../errors.ts'
import { editListing } from '../../features/listings/page/service.ts'
import { EditionInput } from '../../features/listings/pricing/model.ts'
import {
  createEdition,
  deleteEdition,
  listEditions,
  setAnonymousDownloads,
  updateEdition,
} from '../../features/listings/pricing/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { checkForm } from '../form-check.ts'
import { textOf } from '../forms.ts'
import { PricingPage } from '../pages/studio/pricing.tsx'
import { type Act, CHANGES, type ShowTab, submit, tabPath, view } from './handlers.ts'

const ALL = readPage({ page_size: '50' })

/** Price, editions, and downloads without an account. */
export function priceRoutes(kit: HttpKit, deps: Deps) {
  const showTab: ShowTab = async (project, state) => {
    const { items: editions } = await listEditions(deps, project.user, project.listing.uid, ALL)
    return <PricingPage {...{ project, state, editions }} />
  }

  const savePrice: Act = async (project, form) => {
    const price_cents = readDollars(form, 'price_cents')
    // The price is the only field of the form, so that the last one wins.
    await editListing(deps, project.user, project.listing.uid, { price_cents }, () => {})
    return tabPath(project, 'pricing', 'price')
  }

  const addEdition: Act = async (project, form) => {
    await createEdition(deps, project.user, project.listing.uid, readEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const saveEdition: Act = async (project, form, { params }) => {
    const uid = params.edition_uid ?? ''
    await updateEdition(deps, project.user, project.listing.uid, uid, readEdition(form))
    return tabPath(project, 'pricing', 'edition')
  }

  const removeEdition: Act = async (project, _, { params }) => {
    await deleteEdition(deps, project.user, project.listing.uid, params.edition_uid ?? '')
    return tabPath(project, 'pricing', 'edition-deleted')
  }

  const setAnonymous: Act = async (project, form) => {
    const enabled = form.get('enabled') === 'true'
    const input = { enabled, confirm_no_license: form.has('confirm_no_license') }
    await setAnonymousDownloads(deps, project.user, project.listing.uid, input)
    return tabPath(project, 'pricing', enabled ? 'anonymous' : 'signed-in')
  }

  return new Elysia({ name: 'studio-pricing', prefix: '/studio/:uid/pricing' })
    .use(kit)
    .get('', view(deps, showTab), { page: true })
    .post('/price', submit(deps, 'price', savePrice, showTab), CHANGES)
    .post('/editions', submit(deps, 'edition', addEdition, showTab), CHANGES)
    .post('/editions/:edition_uid', submit(deps, 'editions', saveEdition, showTab), CHANGES)
    .post('/editions/:edition_uid/delete', submit(deps, 'editions', removeEdition, showTab), CHANGES)
    .post('/anonymous', submit(deps, 'anonymous', setAnonymous, showTab), CHANGES)
}

function readEdition(form: URLSearchParams): EditionInput {
  const input = {
    name: textOf(form, 'name'),
    price_cents: readDollars(form, 'price_cents'),
    active: form.has('active'),
  }
  checkForm(EditionInput, input)
  return input
}

/** Prices are typed in dollars and stored in cents. */
function readDollars(form: URLSearchParams, name: string): number {
  const text = textOf(form, name).trim().replace(/^\$/, '')
  if (text === '') return 0
  const [, dollars = '', cents = ''] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  if (dollars === '') throw invalidField(name, 'Type the price in dollars, such as 4.99.')
  return Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
}
