import type { Deps } from '../../../deps.ts'
import { PUBLISHER_PROVIDERS } from '../../../domain/builds/publishers.ts'
import { issueDeployKey, listDeployKeys } from '../../../features/builds/deploy-keys/service.ts'
import { PublisherInput } from '../../../features/builds/publishers/model.ts'
import {
  addPublisher,
  forgetRepository,
  listPublishers,
  removePublisher,
  setPublishing,
} from '../../../features/builds/publishers/service.ts'
import { grantLicense, listLicenses } from '../../../features/community/library/service.ts'
import { AdminInput } from '../../../features/listings/team/model.ts'
import { inviteAdmin, listAdmins, removeAdmin } from '../../../features/listings/team/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { type FieldReader, readForm, textOf, trimmed } from '../../kit/form-state.ts'
import {
  changes,
  dangerous,
  projectPages,
  publishes,
  type ShowTab,
  type TabAct,
  tabPath,
} from '../frame/studio-frame.tsx'
import { NewDeployKeyPage, PublishingPage } from './publishing-page.tsx'
import { TeamPage } from './team-page.tsx'

const ALL = parsePage({ page_size: '50' })
const invites = () => ({ page: true, fresh: true, limit: ['invite', 'listing_write'] }) as const

const username: FieldReader = (form, name) => textOf(form, name).trim().toLowerCase()
const NAMED = { username }

const provider: FieldReader = (form, name) =>
  PUBLISHER_PROVIDERS.find((known) => known === textOf(form, name).trim()) ?? 'github'
const channels: FieldReader = (form, name) =>
  textOf(form, name)
    .split(',')
    .flatMap((channel) => channel.trim() || [])
const PUBLISHER = {
  provider,
  issuer: trimmed,
  repository: trimmed,
  workflow: trimmed,
  environment: trimmed,
  ref: trimmed,
  channels,
}

/** Who may work on a project, and which pipelines publish it. */
export function accessTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const { baseUrl } = deps.config

  const showTeam: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [admins, licenses] = await Promise.all([
      listAdmins(deps, user, listing.uid, ALL),
      listLicenses(deps, user, listing.uid, parsePage(state.query)),
    ])
    return <TeamPage {...{ project, state, admins: admins.items, licenses }} />
  }

  const showTab: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [keys, publishers] = await Promise.all([
      listDeployKeys(deps, user, listing.uid, parsePage(state.query)),
      listPublishers(deps, user, listing.uid),
    ])
    return <PublishingPage {...{ project, state, keys, publishers }} />
  }

  const invite: TabAct = async (project, form) => {
    await inviteAdmin(deps, project.user, project.listing.uid, readForm(AdminInput, form, NAMED).username)
    return tabPath(project, 'team', 'invited')
  }

  const remove: TabAct = async (project, _, { params }) => {
    const { user, listing } = project
    const userUid = params.user_uid ?? ''
    const left = await removeAdmin(deps, user, listing.uid, userUid)
    if (userUid === user.userUid) return '/studio?done=left'
    return tabPath(project, 'team', Object.keys(left).length === 0 ? 'removed' : 'removed-with-keys')
  }

  const grant: TabAct = async (project, form) => {
    await grantLicense(deps, project.user, project.listing.uid, readForm(AdminInput, form, NAMED).username)
    return tabPath(project, 'team', 'granted')
  }

  const issue: TabAct = async ({ user, listing }, _, { visit }) => {
    const newKey = await issueDeployKey(deps, user, listing.uid)
    return <NewDeployKeyPage {...{ visit, newKey, baseUrl, game: listing.vanity_name }} />
  }

  const add: TabAct = async (project, form) => {
    await addPublisher(deps, project.user, project.listing.uid, readForm(PublisherInput, form, PUBLISHER))
    return tabPath(project, 'publishing', 'added')
  }

  const removeOne: TabAct = async (project, _, { params }) => {
    await removePublisher(deps, project.user, project.listing.uid, params.publisher_uid ?? '')
    return tabPath(project, 'publishing', 'removed')
  }

  const forget: TabAct = async (project, _, { params }) => {
    await forgetRepository(deps, project.user, project.listing.uid, params.publisher_uid ?? '')
    return tabPath(project, 'publishing', 'forgot')
  }

  const setPolicy: TabAct = async (project, form) => {
    const keys_allowed = textOf(form, 'keys_allowed') === 'true'
    await setPublishing(deps, project.user, project.listing.uid, { keys_allowed })
    return tabPath(project, 'publishing', keys_allowed ? 'allowed' : 'only')
  }

  return (
    createRoutes(kit, { name: 'studio-access', prefix: '/studio/:uid' })
      .get('/team', view(showTeam), { page: true })
      .post('/team/invite', submit('invite', invite, showTeam), invites())
      .post('/team/:user_uid/remove', submit('remove', remove, showTeam), dangerous())
      .post('/team/grant', submit('grant', grant, showTeam), changes())
      .get('/publishing', view(showTab), { page: true })
      .post('/publishing', submit('add', add, showTab), publishes())
      .post('/publishing/policy', submit('policy', setPolicy, showTab), publishes())
      .post('/publishing/:publisher_uid/remove', submit('remove', removeOne, showTab), publishes())
      .post('/publishing/:publisher_uid/forget', submit('forget', forget, showTab), publishes())
      // Older mails link to the tab at this address.
      .get('/deploy-keys', view(showTab), { page: true })
      .post('/deploy-keys', submit('issue', issue, showTab), publishes())
  )
}
