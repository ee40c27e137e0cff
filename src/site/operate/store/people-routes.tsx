import { Elysia } from 'elysia'

import { invalidField } from '../../../errors.ts'
import { InvitationsInput } from '../../../features/operate/invitations/model.ts'
import {
  addAccount,
  listInvitations,
  makeInvitations,
  revokeInvitation,
} from '../../../features/operate/invitations/service.ts'
import { getListing } from '../../../features/operate/listings/service.ts'
import type { Operate } from '../../../features/operate/operate.ts'
import { approve, decline, listWaiting } from '../../../features/operate/publications/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readPage } from '../../../lib/paging.ts'
import { checkForm, textOf } from '../../kit/form-state.ts'
import { atPage } from '../../kit/pages.ts'
import { ConfirmPage } from '../confirm-page.tsx'
import {
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  readReason,
} from '../operator-form.ts'
import { InvitesPage, NewInvitesPage } from './invites-page.tsx'
import { QueuePage } from './queue-page.tsx'

/** Who may come in, and whose pages wait for approval. */
export function peoplePages(kit: HttpKit, operate: Operate) {
  const { view, submit } = operatorPages(operate)
  const { deps } = operate
  const { baseUrl } = deps.config

  const showInvites: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/invites')
    const invites = await listInvitations(operate, readPage(state.query))
    return <InvitesPage {...{ state, invites }} />
  }

  const make: OperatorAct = async (operator, form, { visit }) => {
    const { codes } = await makeInvitations(operate, operator, readInvitations(form))
    return { page: <NewInvitesPage {...{ visit, codes, baseUrl }} />, isSecret: true }
  }

  const add: OperatorAct = async (operator, form) => {
    await addAccount(operate, operator, textOf(form, 'email'))
    return '/operate/invites?done=added'
  }

  const revoke: OperatorAct = async (operator, _, { params }) => {
    await revokeInvitation(operate, operator, params.uid ?? '')
    return '/operate/invites?done=revoked'
  }

  const showQueue: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/queue')
    return <QueuePage {...{ state, waiting: await listWaiting(deps.db, readPage(state.query)) }} />
  }

  const approvePage: OperatorAct = async (operator, _, { params }) => {
    await approve(operate, operator, params.uid ?? '')
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
          The page of <strong>{name}</strong> by {owner.username} stays a draft, with its builds. The owner is
          mailed your reason, and can publish it again once it is changed.
        </p>
      </ConfirmPage>
    )
  }

  const declinePage: OperatorAct = async (operator, form, { params }) => {
    await decline(operate, operator, params.uid ?? '', readReason(form))
    return '/operate/queue?done=declined'
  }

  return new Elysia({ name: 'operate-people-pages' })
    .use(kit)
    .get('/invites', view(showInvites), { operatorPage: true })
    .post('/invites', submit('make', make, showInvites), operatorAct())
    .post('/invites/account', submit('add', add, showInvites), operatorAct())
    .post('/invites/:uid/delete', submit('revoke', revoke, showInvites), operatorAct())
    .get('/queue', view(showQueue), { operatorPage: true })
    .post('/queue/:uid/approve', submit('approve', approvePage, showQueue), operatorAct())
    .get('/queue/:uid/decline', view(showDecline), { operatorPage: true })
    .post('/queue/:uid/decline', submit('decline', declinePage, showDecline), operatorAct())
}

function readInvitations(form: URLSearchParams): InvitationsInput {
  const until = textOf(form, 'expires_at').trim()
  const time = until === '' ? null : new Date(`${until}Z`)
  if (time && Number.isNaN(time.getTime())) throw invalidField('expires_at', 'must be a day and a time.')
  const input = {
    count: Number(textOf(form, 'count') || '1'),
    uses: Number(textOf(form, 'uses') || '1'),
    expires_at: time?.toISOString() ?? null,
  }
  checkForm(InvitationsInput, input)
  return input
}
