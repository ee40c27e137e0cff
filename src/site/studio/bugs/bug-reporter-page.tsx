import { DAILY_CAP_MAX } from '../../../domain/bugs.ts'
import type { Approval } from '../../../features/agents/approvals.ts'
import { type BugReporter, WEBHOOKS_MAX } from '../../../features/bugs/settings/model.ts'
import type { Delivery } from '../../../features/bugs/webhooks/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { CopyBlock } from '../../components/copy-block.tsx'
import { Pager, Table } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import { AreaField, Check, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, Day, numberText, type Tone } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { Approvals } from '../channels/approvals.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  saved: 'The settings are saved.',
  renewed:
    'There is a new signing key. Receivers need it before the next report; older screenshot links ended.',
  tested: 'A test is on its way to every webhook. Reload to see how it went.',
  approve: 'Approved: new reports are sent to the webhooks below.',
  reject: 'Rejected: nothing changed.',
  resent: 'It is sent again. Reload to see how it went.',
}

const STATES: Readonly<Record<Delivery['state'], { label: string; tone: Tone }>> = {
  pending: { label: 'On its way', tone: 'none' },
  delivered: { label: 'Delivered', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  cancelled: { label: 'Cancelled', tone: 'none' },
}

interface ReporterProps extends TabProps {
  reporter: BugReporter
  deliveries: Paged<Delivery>
  approvals: readonly Approval[]
}

export function BugReporterPage({ project, state, reporter, deliveries, approvals }: ReporterProps) {
  const { visit, refused } = state
  const bugs = `/studio/${project.listing.vanity_name}/bugs`
  const base = `${bugs}/settings`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="bugs"
      lead="Whether players can report bugs, and which of your services hear of it."
      notices={NOTICES}
      scripts={['studio']}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope={refused.name} />}
      <p>
        <a href={bugs}>All reports</a>
      </p>
      <Approvals {...{ project, approvals }} tab="bugs/settings" />
      <SettingsForm {...{ base, state, reporter }} />
      {reporter.signing_key === null ? null : <SigningKey base={base} signingKey={reporter.signing_key} />}
      <Deliveries {...{ base, deliveries }} url={visit.url} canTest={reporter.webhook_urls.length > 0} />
    </StudioPage>
  )
}

function SettingsForm({
  base,
  state,
  reporter,
}: { base: string } & Pick<ReporterProps, 'state' | 'reporter'>) {
  const form = formOf(state, 'reporter')
  const isRefused = form.values.size > 0
  return (
    <FieldGroup id="settings" title="Bug reporter">
      <PostForm action={base}>
        <Check
          name="enabled"
          label="Players can report bugs"
          checked={isRefused ? form.values.has('enabled') : reporter.enabled}
          hint="From the running game, and with “Report a bug” on the store page."
          scope="reporter"
        />
        <TextField
          {...{ form }}
          scope="reporter"
          name="daily_cap"
          label="Reports per player and day"
          value={String(reporter.daily_cap)}
          inputMode="numeric"
          hint={`1 to ${numberText(DAILY_CAP_MAX)}. The day begins at midnight UTC.`}
        />
        <AreaField
          {...{ form }}
          scope="reporter"
          name="webhook_urls"
          label="Webhook addresses"
          rows={WEBHOOKS_MAX}
          value={reporter.webhook_urls.join('\n')}
          hint={`One a line, at most ${WEBHOOKS_MAX}. Each new report is sent to all of them: as a message to chat services, as signed JSON elsewhere.`}
        />
        <Undelivered webhooks={reporter.webhooks} />
        <Submit>Save</Submit>
      </PostForm>
    </FieldGroup>
  )
}

function Undelivered({ webhooks }: Pick<BugReporter, 'webhooks'>) {
  return webhooks
    .filter(({ delivers }) => !delivers)
    .map(({ url, reason }) => (
      <Notice key={url} tone="warn">
        <span class="long-value">{url}</span> {reason}
      </Notice>
    ))
}

function SigningKey({ base, signingKey }: { base: string; signingKey: string }) {
  return (
    <FieldGroup
      id="key"
      title="Signing key"
      hint="Your receivers check with it that a webhook comes from here. Nobody else should have it."
    >
      <details>
        <summary>Show the signing key</summary>
        <CopyBlock id="signing-key" title="Signing key" text={signingKey} />
      </details>
      <PostForm action={`${base}/key`}>
        <Submit look="second">Renew the signing key</Submit>
      </PostForm>
    </FieldGroup>
  )
}

interface DeliveriesProps {
  base: string
  deliveries: Paged<Delivery>
  url: URL
  canTest: boolean
}

function Deliveries({ base, deliveries, url, canTest }: DeliveriesProps) {
  return (
    <FieldGroup
      id="deliveries"
      title="Deliveries"
      hint="Of the last 30 days. A receiver that is down is tried again for half a day."
    >
      {canTest ? (
        <PostForm action={`${base}/test`}>
          <Submit look="second">Send a test</Submit>
        </PostForm>
      ) : null}
      {deliveries.total === 0 ? (
        <p class="quiet">Nothing was sent yet.</p>
      ) : (
        <Table label="Deliveries" columns={['Sent', 'To', 'Outcome', 'Again']}>
          {deliveries.items.map((delivery) => (
            <DeliveryRow key={delivery.uid} delivery={delivery} base={base} />
          ))}
        </Table>
      )}
      <Pager {...deliveries} url={url} />
    </FieldGroup>
  )
}

function DeliveryRow({ delivery, base }: { delivery: Delivery; base: string }) {
  const { uid, event, ticket_uid, url, state, status, error, attempts, created_at } = delivery
  const { label, tone } = STATES[state]
  const bugs = base.slice(0, base.lastIndexOf('/'))
  return (
    <tr>
      <td>
        <Day at={created_at} />
        <br />
        {event === 'bug.test' || ticket_uid === null ? (
          'a test'
        ) : (
          <a href={`${bugs}/${ticket_uid}`}>a report</a>
        )}
      </td>
      <td>
        <span class="long-value">{url}</span>
      </td>
      <td>
        <Badge tone={tone}>{label}</Badge>
        {status === null ? '' : ` ${status}`}
        {attempts.length > 1 ? `, ${attempts.length} tries` : ''}
        {error === null ? null : <p class="quiet">{error}</p>}
      </td>
      <td>
        <PostForm action={`${base}/deliveries/${uid}`} class="row">
          <button type="submit" class="button second small" aria-label={`Send again to ${url}`}>
            Send again
          </button>
        </PostForm>
      </td>
    </tr>
  )
}
