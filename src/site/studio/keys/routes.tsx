import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { invalidField } from '../../../errors.ts'
import { listEditions } from '../../../features/listings/pricing/service.ts'
import { KeysInput, type NewKeys } from '../../../features/selling/keys/model.ts'
import {
  createKeys,
  deleteKeyBatch,
  listKeyBatches,
  listRedemptions,
} from '../../../features/selling/keys/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import type { PageContext } from '../../kit/pages.ts'
import { sendCsv } from '../frame/csv.ts'
import {
  changes,
  openProject,
  type Project,
  projectPages,
  type ShowTab,
  type TabAct,
  tabPath,
} from '../frame/project.ts'
import { KeysPage } from './keys-page.tsx'

const ALL = readPage({ page_size: '50' })
const FIRST = readPage({})

/** Keys that a developer gives away, also in a store that sells nothing. */
export function keyTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const { baseUrl } = deps.config

  const showKeys = async (project: Project, state: PageContext, made?: NewKeys) => {
    const { user, listing } = project
    const [batches, { items: editions }] = await Promise.all([
      listKeyBatches(deps, user, listing.uid, made ? FIRST : readPage(state.query)),
      listEditions(deps, user, listing.uid, ALL),
    ])
    return <KeysPage {...{ project, state, batches, editions, baseUrl, ...(made && { made }) }} />
  }
  const showTab: ShowTab = (project, state) => showKeys(project, state)

  const make: TabAct = async (project, form, state) =>
    await showKeys(project, state, await createKeys(deps, project.user, project.listing.uid, readKeys(form)))

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
