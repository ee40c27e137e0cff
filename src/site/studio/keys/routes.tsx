import type { Deps } from '../../../deps.ts'
import { invalidField } from '../../../errors.ts'
import { listEditions } from '../../../features/listings/pricing/service.ts'
import { KeysInput } from '../../../features/selling/keys/model.ts'
import {
  createKeys,
  deleteKeyBatch,
  listKeyBatches,
  listRedemptions,
} from '../../../features/selling/keys/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { type FieldReader, maybeText, readForm, textOf, trimmed } from '../../kit/form-state.ts'
import { sendCsv } from '../frame/csv.ts'
import {
  changes,
  openProject,
  projectPages,
  type ShowTab,
  type TabAct,
  tabPath,
} from '../frame/studio-frame.tsx'
import { KeysPage, NewCodesPage } from './keys-page.tsx'

const ALL = parsePage({ page_size: '50' })

/** The tab for keys that developers give away; it also exists in a store that sells nothing. */
export function keyTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const { baseUrl } = deps.config

  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [batches, { items: editions }] = await Promise.all([
      listKeyBatches(deps, user, listing.uid, parsePage(state.query)),
      listEditions(deps, user, listing.uid, ALL),
    ])
    return <KeysPage {...{ project, state, batches, editions }} />
  }

  const make: TabAct = async ({ user, listing }, form, { visit }) => {
    const made = await createKeys(deps, user, listing.uid, parseKeys(form))
    return <NewCodesPage {...{ visit, made, listing, baseUrl }} />
  }

  const remove: TabAct = async (project, _, { params }) => {
    await deleteKeyBatch(deps, project.user, project.listing.uid, params.batch_uid ?? '')
    return tabPath(project, 'keys', 'deleted')
  }

  return createRoutes(kit, { name: 'studio-keys', prefix: '/studio/:uid/keys' })
    .get('', view(showTab), { page: true })
    .post('', submit('make', make, showTab), { ...changes(), fresh: true })
    .post('/:batch_uid/delete', submit('delete', remove, showTab), changes())
    .get(
      '/:batch_uid/redeemed.csv',
      async ({ visit, params, set }) => {
        const { user, listing } = await openProject(deps, visit, params.uid)
        const redeemed = await listRedemptions(deps, user, listing.uid, params.batch_uid)
        const rows = redeemed.map(({ username, redeemed_at }) => [username, redeemed_at])
        return sendCsv(set, `${listing.vanity_name}-redeemed`, [['username', 'redeemed_at'], ...rows])
      },
      { page: true },
    )
}

const parseKeys = (form: URLSearchParams) =>
  readForm(KeysInput, form, {
    count: (sent, name) => Number(textOf(sent, name)),
    label: trimmed,
    edition_uid: maybeText,
    expires_at: utcTime,
  })

/** A day and a time in UTC, as browsers send it; empty leaves it out. */
const utcTime: FieldReader = (form, name) => {
  const text = textOf(form, name).trim()
  if (text === '') return undefined
  const time = new Date(`${text}Z`)
  if (Number.isNaN(time.getTime())) throw invalidField(name, 'must be a day and a time.')
  return time.toISOString()
}
