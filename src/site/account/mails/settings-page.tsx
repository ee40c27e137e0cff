import type { WebsiteUser } from '../../../domain/actor.ts'
import { DIGEST_DAY, listTimeZones } from '../../../domain/digest-times.ts'
import {
  DIGEST_RHYTHMS,
  MAIL_CHOICES,
  type MailChoice,
  NOTICE_FACTS,
  NOTICE_KINDS,
  type NoticeKind,
} from '../../../domain/notices.ts'
import type { NoticeSettings } from '../../../features/community/digests/model.ts'
import { Table } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { PostForm, SelectField, Submit } from '../../kit/form.tsx'
import { zonedMomentText } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { AccountFrame, Section } from '../account-frame.tsx'

const CHOICES: Readonly<Record<MailChoice, string>> = {
  never: 'Never',
  digest: 'Digest',
  at_once: 'At once',
}
const RHYTHMS = { weekly: `Every ${DIGEST_DAY}`, daily: 'Every day' } as const
const HOURS = Array.from(
  { length: 24 },
  (_, hour) => [String(hour), `${String(hour).padStart(2, '0')}:00`] as const,
)
const SCOPE = 'mails'

interface MailSettingsProps {
  state: PageState
  user: WebsiteUser
  settings: NoticeSettings
}

/** What of the notices is also mailed, and when. */
export function MailSettingsPage({ state, user, settings }: MailSettingsProps) {
  const form = formOf(state, SCOPE)
  return (
    <AccountFrame {...{ state, user }} page="notices">
      <Section state={state} id="mails">
        <p class="quiet">
          <a href="/notices">Your notices</a> are always on their page. Here you choose which of them are
          mailed, too: collected in a digest, or at once.
        </p>
        <PostForm action="/account/notices">
          <Table
            label="What is mailed"
            columns={['Notices', ...MAIL_CHOICES.map((choice) => CHOICES[choice])]}
          >
            {NOTICE_KINDS.map((kind) => (
              <KindRow key={kind} {...{ kind, form }} chosen={settings.kinds[kind]} />
            ))}
          </Table>
          <DigestTimes {...{ form, settings }} />
          <Submit>Save</Submit>
        </PostForm>
      </Section>
      <Section state={state} id="address">
        <AddressState {...{ settings, user }} />
      </Section>
    </AccountFrame>
  )
}

interface KindRowProps {
  kind: NoticeKind
  form: FormState
  chosen: MailChoice
}

/** The names of the fields are the paths that faults have. */
function KindRow({ kind, form, chosen }: KindRowProps) {
  const field = `kinds.${kind}`
  const current = form.values.get(field) ?? chosen
  const { name, hint } = NOTICE_FACTS[kind]
  return (
    <tr>
      <th scope="row" class="title mail-kind">
        {name}
        <p>{hint}</p>
      </th>
      {MAIL_CHOICES.map((choice) => (
        <td key={choice}>
          <label class="mail-choice">
            <input type="radio" name={field} value={choice} checked={choice === current} />
            <span class="visually-hidden">{`${name}: ${CHOICES[choice]}`}</span>
          </label>
        </td>
      ))}
    </tr>
  )
}

function DigestTimes({ form, settings }: { form: FormState; settings: NoticeSettings }) {
  const { digest, hour, time_zone: zone, next_digest_at: next } = settings
  const zones = listTimeZones()
  const known = zones.includes(zone) ? zones : [zone, ...zones]
  return (
    <>
      <div class="mail-times">
        <SelectField
          {...{ form, name: 'digest', label: 'Digest', scope: SCOPE, value: digest }}
          options={DIGEST_RHYTHMS.map((rhythm) => [rhythm, RHYTHMS[rhythm]] as const)}
        />
        <SelectField
          {...{ form, name: 'hour', label: 'At', scope: SCOPE, value: String(hour), options: HOURS }}
        />
        <SelectField
          {...{ form, name: 'time_zone', label: 'Time zone', scope: SCOPE, value: zone }}
          options={known.map((name) => [name, name.replaceAll('_', ' ')] as const)}
        />
      </div>
      <p class="quiet">
        {next === null
          ? 'You get no digest, because no kind is chosen for it.'
          : `The next one comes on ${zonedMomentText(next, zone)}, if there is something new.`}
      </p>
    </>
  )
}

function AddressState({
  settings: { stopped },
  user: { email },
}: Pick<MailSettingsProps, 'settings' | 'user'>) {
  if (stopped === null) return <p>Mails go to {email}, which is confirmed.</p>
  if (stopped === 'unconfirmed') {
    return (
      <p>
        {email} is not confirmed, so nothing of this is mailed. <a href="/verify">Confirm it</a>.
      </p>
    )
  }
  return (
    <>
      <Notice tone="warn">
        Our last mails to {email} came back, so no more are sent. Confirm the address again, or{' '}
        <a href="/account/security#email">use another one</a>.
      </Notice>
      <PostForm action="/account/notices/confirm">
        <Submit>Send a link</Submit>
      </PostForm>
    </>
  )
}
