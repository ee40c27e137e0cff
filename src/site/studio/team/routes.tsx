import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { issueDeployKey, listDeployKeys } from '../../../features/builds/deploy-keys/service.ts'
import { grantLicense, listLicenses } from '../../../features/community/library/grants.ts'
import { AdminInput } from '../../../features/listings/team/model.ts'
import { inviteAdmin, listAdmins, removeAdmin } from '../../../features/listings/team/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { CHANGES, DANGEROUS, projectPages, type ShowTab, type TabAct, tabPath } from '../frame/project.ts'
import { DeployKeysPage } from './deploy-keys-page.tsx'
import { TeamPage } from './team-page.tsx'

const ALL = readPage({ page_size: '50' })
const INVITES = { page: true, fresh: true, limit: ['invite', 'listing_write'] } as const
const ISSUES = { page: true, secondFactor: 'always', fresh: true, limit: 'listing_write' } as const

/** Who may work on a project, and the keys of its pipelines. */
export function accessTabRoutes(kit: HttpKit, deps: Deps) {
  const { view, submit } = projectPages(deps)
  const { baseUrl } = deps.config

  const showTeam: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [admins, licenses] = await Promise.all([
      listAdmins(deps, user, listing.uid, ALL),
      listLicenses(deps, user, listing.uid, readPage(state.query)),
    ])
    return <TeamPage {...{ project, state, admins: admins.items, licenses }} />
  }

  const showKeys: ShowTab = async (project, state) => {
    const keys = await listDeployKeys(deps, project.user, project.listing.uid, readPage(state.query))
    return <DeployKeysPage {...{ project, state, keys, baseUrl }} />
  }

  const invite: TabAct = async (project, form) => {
    await inviteAdmin(deps, project.user, project.listing.uid, readUsername(form))
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
    await grantLicense(deps, project.user, project.listing.uid, readUsername(form))
    return tabPath(project, 'team', 'granted')
  }

  const issue: TabAct = async (project, _, state) => {
    const newKey = await issueDeployKey(deps, project.user, project.listing.uid)
    const keys = await listDeployKeys(deps, project.user, project.listing.uid, ALL)
    return <DeployKeysPage {...{ project, state, keys, baseUrl, newKey }} />
  }

  return new Elysia({ name: 'studio-access', prefix: '/studio/:uid' })
    .use(kit)
    .get('/team', view(showTeam), { page: true })
    .post('/team/invite', submit('invite', invite, showTeam), INVITES)
    .post('/team/:user_uid/remove', submit('remove', remove, showTeam), DANGEROUS)
    .post('/team/grant', submit('grant', grant, showTeam), CHANGES)
    .get('/deploy-keys', view(showKeys), { page: true })
    .post('/deploy-keys', submit('issue', issue, showKeys), ISSUES)
}

function readUsername(form: URLSearchParams): string {
  const username = textOf(form, 'username').trim().toLowerCase()
  checkForm(AdminInput, { username })
  return username
}
