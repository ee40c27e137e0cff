import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { REPORT_REASONS, type ReportReason } from '../../../domain/reports.ts'
import {
  FACT_MAX,
  LOG_BYTES_MAX,
  MESSAGE_MAX,
  SCREENSHOT_BYTES_MAX,
} from '../../../features/bugs/reports/model.ts'
import { REPORT_TEXT_MAX } from '../../../features/community/reports/model.ts'
import type { GameRow } from '../../../features/games/service.ts'
import type { Visit } from '../../../http/visit.ts'
import {
  AreaField,
  FaultSummary,
  FileField,
  PostForm,
  SelectField,
  Submit,
  TextField,
} from '../../kit/form.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.tsx'
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

interface ReportPageProps {
  state: PageState
  game: GameRow
  /** The uid of the post that it is about. */
  post?: string | undefined
}

/** Reports a problem with a page, or a post on it, to the operators of the store. */
export function ReportPage({ state, game, post }: ReportPageProps) {
  const { visit } = state
  const field = { form: formOf(state, 'report'), scope: 'report' }
  const title = post === undefined ? `Report ${game.name}` : `Report a post of ${game.name}`
  return (
    <Layout visit={visit} title={title}>
      <div class="stack">
        <BackLink game={game} />
        <h1>
          {post === undefined ? 'Report' : 'Report a post of'} <bdi>{game.name}</bdi>
        </h1>
        <FaultSummary {...field} />
        {visit.actor.kind === 'user' ? (
          <PostForm action={`/games/${game.vanityName}/report`}>
            <p class="quiet">
              The operators of this store read it. The developer does not see who reported the page.
            </p>
            {post === undefined ? null : <input type="hidden" name="post" value={post} />}
            <SelectField {...field} name="reason" label="Reason" value="" options={REASONS} required />
            <AreaField
              {...{ ...field, name: 'text', label: 'What is wrong?', maxLength: REPORT_TEXT_MAX }}
              hint={`Up to ${REPORT_TEXT_MAX} characters. Links to the original help.`}
              required
            />
            <Submit>{post === undefined ? 'Report this page' : 'Report this post'}</Submit>
          </PostForm>
        ) : (
          <p>
            <a href={`/sign-in?next=${encodeURIComponent(visit.url.pathname + visit.url.search)}`}>Sign in</a>{' '}
            to report this page, so that the operators can ask back.
          </p>
        )}
      </div>
    </Layout>
  )
}

const SYSTEMS = [
  ['', 'Not sure'],
  ...OPERATING_SYSTEMS.map((os) => [os, SYSTEM_LABELS[os]] as const),
] as const

interface BugReportPageProps {
  state: PageState
  game: GameRow
  /** Only players who have the game report bugs here. */
  hasLicense: boolean
}

/** Reports a bug to the developer. */
export function BugReportPage({ state, game, hasLicense }: BugReportPageProps) {
  const { visit } = state
  return (
    <Layout visit={visit} title={`Report a bug in ${game.name}`}>
      <div class="stack">
        <BackLink game={game} />
        <h1>
          Report a bug in <bdi>{game.name}</bdi>
        </h1>
        <FaultSummary form={formOf(state, 'bug')} scope="bug" />
        {hasLicense ? <BugForm {...{ state, game }} /> : <NotAPlayer {...{ visit, game }} />}
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
function BugForm({ state, game }: Omit<BugReportPageProps, 'hasLicense'>) {
  const field = { form: formOf(state, 'bug'), scope: 'bug' }
  return (
    <PostForm action={`/games/${game.vanityName}/report-bug`} encType="multipart/form-data">
      <p class="quiet">
        The developer reads it, sees your username, and can tell you in your library when it is fixed.
      </p>
      <AreaField
        {...{ ...field, name: 'message', label: 'What went wrong?', maxLength: MESSAGE_MAX }}
        hint={`What you did, what happened, and what you expected. Up to ${MESSAGE_MAX} characters.`}
        required
      />
      <TextField
        {...{ ...field, name: 'client_version', label: 'Version, if you know it', maxLength: FACT_MAX }}
      />
      <SelectField {...field} name="os" label="System" value={state.visit.os ?? ''} options={SYSTEMS} />
      <FileField
        {...{ ...field, name: 'screenshot', label: 'Screenshot' }}
        accept="image/png,image/jpeg,image/webp"
        hint={`Optional: a PNG, JPEG or WebP image of up to ${SCREENSHOT_BYTES_MAX / 1024 ** 2} MB.`}
      />
      <FileField
        {...{ ...field, name: 'log', label: 'Log file' }}
        accept=".log,.txt,text/plain"
        hint={`Optional: up to ${LOG_BYTES_MAX / 1024} KB. Logs may contain names of folders on your computer.`}
      />
      <Submit>Report the bug</Submit>
    </PostForm>
  )
}
