import { Elysia } from 'elysia'

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
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { sendCsv } from '../frame/csv.ts'
import { changes, openProject, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { KeysPage } from './keys-page.tsx'
import { NewCodesPage } from './new-codes.tsx'

const ALL = readPage({ page_size: '50' })

/** Keys that a developer gives away, also in a store that sells nothing. */
export function keyTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const { baseUrl } = deps.config

  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [batches, { items: editions }] = await Promise.all([
      listKeyBatches(deps, user, listing.uid, readPage(state.query)),
      listEditions(deps, user, listing.uid, ALL),
    ])
    return <KeysPage {...{ project, state, batches, editions }} />
  }

  const make: TabAct = async ({ user, listing }, form, { visit }) => {
    const made = await createKeys(deps, user, listing.uid, readKeys(form))
    return <NewCodesPage {...{ visit, made, listing, baseUrl }} />
  }

  const remove: TabAct = async (project, _, { params }) => {
    await deleteKeyBatch(deps, project.user, project.listing.uid, params.batch_uid ?? '')
    return tabPath(project, 'keys', 'deleted')
  }

  return new Elysia({ name: 'studio-keys', prefix: '/studio/:uid/keys' })
    .use(kit)
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

function readKeys(form: URLSearchParams): KeysInput {
  const edition = textOf(form, 'edition_uid')
  const until = textOf(form, 'expires_at').trim()
  const time = until === '' ? null : new Date(`${until}Z`)
  if (time && Number.isNaN(time.getTime())) throw invalidField('expires_at', 'must be a day and a time.')
  const input = {
    count: Number(textOf(form, 'count')),
    label: textOf(form, 'label').trim(),
    ...(edition !== '' && { edition_uid: edition }),
    ...(time && { expires_at: time.toISOString() }),
  }
  checkForm(KeysInput, input)
  return input
}
