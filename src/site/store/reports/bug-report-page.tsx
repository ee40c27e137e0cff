import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { LOG_BYTES_MAX, MESSAGE_MAX, SCREENSHOT_BYTES_MAX } from '../../../features/bugs/reports/model.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { describeFault, FaultSummary, FieldFault } from '../../kit/fault-summary.tsx'
import type { FormState } from '../../kit/form-check.ts'
import { SYSTEM_LABELS } from '../../kit/labels.ts'
import { Layout } from '../../kit/layout.tsx'
import { BackLink } from '../back-link.tsx'

interface BugReportPageProps {
  visit: Visit
  game: GameRow
  /** Only players who have the game report bugs here. */
  hasLicense: boolean
  sent: FormState | null
}

/** Reports a bug to the developer. */
export function BugReportPage({ visit, game, hasLicense, sent }: BugReportPageProps) {
  return (
    <Layout visit={visit} title={`Report a bug in ${game.name}`}>
      <div class="stack">
        <BackLink game={game} />
        <h1>Report a bug in {game.name}</h1>
        <FaultSummary form="bug" faults={sent?.faults ?? []} />
        {hasLicense ? <BugForm {...{ visit, game, sent }} /> : <NotAPlayer {...{ visit, game }} />}
      </div>
    </Layout>
  )
}

function NotAPlayer({ visit, game }: { visit: Visit; game: GameRow }) {
  if (visit.actor.kind === 'user')
    return (
      <p>
        You can report a bug once the game is in your library.{' '}
        <a href={`/games/${game.vanityName}`}>Get it on its page</a> first.
      </p>
    )
  return (
    <p>
      <a href={`/sign-in?next=${encodeURIComponent(visit.url.pathname)}`}>Sign in</a> to report a bug, so that
      you learn when it is fixed.
    </p>
  )
}

/** The files come last: what was typed before them is shown again if one of them is refused. */
function BugForm({ visit, game, sent }: Omit<BugReportPageProps, 'hasLicense'>) {
  const faults = sent?.faults ?? []
  const of = (field: string) => ({ form: 'bug', field, faults })
  const os = sent ? sent.values.os : visit.os
  return (
    <form
      class="form"
      method="post"
      encType="multipart/form-data"
      action={`/games/${game.vanityName}/report-bug`}
    >
      <p class="quiet">
        The developer reads it, sees your username, and can tell you in your library when it is fixed.
      </p>
      <div class="field">
        <label for="bug-message">What went wrong?</label>
        <textarea
          {...{ class: 'input', id: 'bug-message', name: 'message', maxLength: MESSAGE_MAX, required: true }}
          {...describeFault(of('message'), 'bug-message-hint')}
        >
          {sent?.values.message ?? ''}
        </textarea>
        <FieldFault {...of('message')} />
        <p class="hint" id="bug-message-hint">
          What you did, what happened, and what you expected. Up to {MESSAGE_MAX} characters.
        </p>
      </div>
      <div class="field">
        <label for="bug-client_version">Version, if you know it</label>
        <input
          {...{ class: 'input', id: 'bug-client_version', name: 'client_version', maxLength: 64 }}
          value={sent?.values.client_version ?? ''}
          {...describeFault(of('client_version'))}
        />
        <FieldFault {...of('client_version')} />
      </div>
      <div class="field">
        <label for="bug-os">System</label>
        <select class="input" id="bug-os" name="os">
          <option value="">Not sure</option>
          {OPERATING_SYSTEMS.map((value) => (
            <option key={value} value={value} selected={value === os}>
              {SYSTEM_LABELS[value]}
            </option>
          ))}
        </select>
      </div>
      <FileField
        {...of('screenshot')}
        label="Screenshot"
        accept="image/png,image/jpeg,image/webp"
        hint={`Optional: a PNG, JPEG or WebP image of up to ${SCREENSHOT_BYTES_MAX / 1024 ** 2} MB.`}
      />
      <FileField
        {...of('log')}
        label="Log file"
        accept=".log,.txt,text/plain"
        hint={`Optional: up to ${LOG_BYTES_MAX / 1024} KB. Logs may contain names of folders on your computer.`}
      />
      <button class="button" type="submit">
        Report the bug
      </button>
    </form>
  )
}

interface FileFieldProps {
  form: string
  field: string
  faults: FormState['faults']
  label: string
  accept: string
  hint: string
}

function FileField({ form, field, faults, label, accept, hint }: FileFieldProps) {
  const id = `${form}-${field}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...{ class: 'input', id, type: 'file', name: field, accept }}
        {...describeFault({ form, field, faults }, `${id}-hint`)}
      />
      <FieldFault {...{ form, field, faults }} />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  )
}
