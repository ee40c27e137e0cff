import type { Deps } from '../../deps.ts'
import { InvitationsInput } from '../../features/operate/accounts/model.ts'
import {
  addAccount,
  listInvitations,
  makeInvitations,
  revokeInvitation,
} from '../../features/operate/accounts/service.ts'
import { approve, decline, getListing, listWaiting } from '../../features/operate/moderation/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { PersonName } from '../components/person.tsx'
import { readForm, textOf, utcTime } from '../kit/form-state.ts'
import { atPage } from '../kit/pages.ts'
import { InvitesPage, NewInvitesPage } from './invites-page.tsx'
import { QueuePage } from './moderation-pages.tsx'
import {
  ConfirmPage,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  parseReason,
} from './operator-form.tsx'

/** Pages for accounts, invitations, and listings that need approval. */
export function peoplePages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const { baseUrl } = deps.config

  const showInvites: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/invites')
    const invites = await listInvitations(deps, parsePage(state.query))
    return <InvitesPage {...{ state, invites }} />
  }

  const make: OperatorAct = async (operator, form, { visit }) => {
    const { codes } = await makeInvitations(
      deps,
      operator,
      readForm(InvitationsInput, form, { expires_at: utcTime }),
    )
    return { page: <NewInvitesPage {...{ visit, codes, baseUrl }} />, isSecret: true }
  }

  const add: OperatorAct = async (operator, form) => {
    await addAccount(deps, operator, textOf(form, 'email'))
    return '/operate/invites?done=added'
  }

  const revoke: OperatorAct = async (operator, _, { params }) => {
    await revokeInvitation(deps, operator, params.uid ?? '')
    return '/operate/invites?done=revoked'
  }

  const showQueue: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/queue')
    return <QueuePage {...{ state, waiting: await listWaiting(deps.db, parsePage(state.query)) }} />
  }

  const approvePage: OperatorAct = async (operator, _, { params }) => {
    await approve(deps, operator, params.uid ?? '')
    return '/operate/queue?done=approved'
  }

  const showDecline: OperatorPage = async (_, state) => {
    const { uid, name, owner } = await getListing(deps.db, state.params.uid ?? '')
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/queue', back: '/operate/queue', action: `/operate/queue/${uid}/decline` }}
        title={`Decline ${name}`}
        act="Decline"
      >
        <p>
          The page of <strong dir="auto">{name}</strong> by <PersonName {...owner} /> stays a draft, with its
          builds. The owner is mailed your reason, and can publish it again once it is changed.
        </p>
      </ConfirmPage>
    )
  }

  const declinePage: OperatorAct = async (operator, form, { params }) => {
    await decline(deps, operator, params.uid ?? '', parseReason(form))
    return '/operate/queue?done=declined'
  }

  return createRoutes(kit, { name: 'operate-people-pages' })
    .get('/invites', view(showInvites), { operatorPage: true })
    .post('/invites', submit('make', make, showInvites), operatorAct())
    .post('/invites/account', submit('add', add, showInvites), operatorAct())
    .post('/invites/:uid/delete', submit('revoke', revoke, showInvites), operatorAct())
    .get('/queue', view(showQueue), { operatorPage: true })
    .post('/queue/:uid/approve', submit('approve', approvePage, showQueue), operatorAct())
    .get('/queue/:uid/decline', view(showDecline), { operatorPage: true })
    .post('/queue/:uid/decline', submit('decline', declinePage, showDecline), operatorAct())
}
