import { REPORT_REASONS, type ReportReason } from '../../../domain/reports.ts'
import { REPORT_TEXT_MAX } from '../../../features/community/reports/model.ts'
import type { GameRow } from '../../../features/games/service.ts'
import { AreaField, SelectField } from '../../kit/controls.tsx'
import { FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Layout } from '../../kit/layout.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { BackLink } from '../back-link.tsx'

export const REASON_LABELS: Readonly<Record<ReportReason, string>> = {
  malware: 'It harms computers',
  stolen: 'It is somebody else’s work',
  illegal: 'It is against the law',
  hateful: 'It is hateful or harasses someone',
  mislabelled: 'Warnings, tags or age are wrong',
  other: 'Something else',
}

const REASONS = [
  ['', 'Choose one'],
  ...REPORT_REASONS.map((value) => [value, REASON_LABELS[value]] as const),
] as const

/** Reports a problem with a page to the operators of the store. */
export function ReportPage({ state, game }: { state: PageState; game: GameRow }) {
  const { visit } = state
  const field = { form: formOf(state, 'report'), scope: 'report' }
  return (
    <Layout visit={visit} title={`Report ${game.name}`}>
      <div class="stack">
        <BackLink game={game} />
        <h1>Report {game.name}</h1>
        <FaultSummary {...field} />
        {visit.actor.kind === 'user' ? (
          <PostForm action={`/games/${game.vanityName}/report`}>
            <p class="quiet">
              The operators of this store read it. The developer does not see who reported the page.
            </p>
            <SelectField {...field} name="reason" label="Reason" value="" options={REASONS} required />
            <AreaField
              {...{ ...field, name: 'text', label: 'What is wrong?', maxLength: REPORT_TEXT_MAX }}
              hint={`Up to ${REPORT_TEXT_MAX} characters. Links to the original help.`}
              required
            />
            <Submit>Report this page</Submit>
          </PostForm>
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
