import { REPORT_REASONS, type ReportReason } from '../../../domain/reports.ts'
import { REPORT_TEXT_MAX } from '../../../features/community/reports/model.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Visit } from '../../../http/visit.ts'
import { describeFault, FaultSummary, FieldFault } from '../../kit/fault-summary.tsx'
import type { FormState } from '../../kit/form-check.ts'
import { Layout } from '../../kit/layout.tsx'
import { BackLink } from '../back-link.tsx'

export const REASON_LABELS: Readonly<Record<ReportReason, string>> = {
  malware: 'It harms computers',
  stolen: 'It is somebody else’s work',
  illegal: 'It is against the law',
  hateful: 'It is hateful or harasses someone',
  mislabelled: 'Warnings, tags or age are wrong',
  other: 'Something else',
}

interface ReportPageProps {
  visit: Visit
  game: GameRow
  sent: FormState | null
}

/** Reports a problem with a page to the operators of the store. */
export function ReportPage({ visit, game, sent }: ReportPageProps) {
  const faults = sent?.faults ?? []
  const reason = { form: 'report', field: 'reason', faults }
  const text = { form: 'report', field: 'text', faults }
  return (
    <Layout visit={visit} title={`Report ${game.name}`}>
      <div class="stack">
        <BackLink game={game} />
        <h1>Report {game.name}</h1>
        <FaultSummary form="report" faults={faults} />
        {visit.actor.kind === 'user' ? (
          <form class="form" method="post" action={`/games/${game.vanityName}/report`}>
            <p class="quiet">
              The operators of this store read it. The developer does not see who reported the page.
            </p>
            <div class="field">
              <label for="report-reason">Reason</label>
              <select class="input" id="report-reason" name="reason" required {...describeFault(reason)}>
                <option value="">Choose one</option>
                {REPORT_REASONS.map((value) => (
                  <option key={value} value={value} selected={sent?.values.reason === value}>
                    {REASON_LABELS[value]}
                  </option>
                ))}
              </select>
              <FieldFault {...reason} />
            </div>
            <div class="field">
              <label for="report-text">What is wrong?</label>
              <textarea
                class="input"
                id="report-text"
                name="text"
                maxLength={REPORT_TEXT_MAX}
                required
                {...describeFault(text, 'report-hint')}
              >
                {sent?.values.text ?? ''}
              </textarea>
              <FieldFault {...text} />
              <p class="hint" id="report-hint">
                Up to {REPORT_TEXT_MAX} characters. Links to the original help.
              </p>
            </div>
            <button class="button" type="submit">
              Report this page
            </button>
          </form>
        ) : (
          <p>
            <a href={`/sign-in?next=${encodeURIComponent(visit.url.pathname)}`}>Sign in</a> to report this
            page, so that the operators can ask back.
          </p>
        )}
      </div>
    </Layout>
  )
}
