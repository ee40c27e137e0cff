import { FOLLOWERS_SHOWN_FROM } from '../../../domain/follows.ts'
import { VISIBILITIES, type Visibility } from '../../../domain/listings/visibility.ts'
import type { Followers } from '../../../features/community/follows/followers.ts'
import type { LintReport } from '../../../features/listings/check/model.ts'
import type { EditableListing } from '../../../features/listings/page/model.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'
import { CheckIcon, CrossIcon, WarningIcon } from '../../components/icons.tsx'
import type { Fault, FormState } from '../../kit/form-state.ts'
import { FaultSummary, PostForm, Submit, TextField } from '../../kit/form.tsx'
import {
  Badge,
  countText,
  Day,
  HealthBadge,
  numberText,
  SYSTEM_LABELS,
  VISIBILITY_LABELS,
} from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { type Project, StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import type { TimelineEntry } from './timeline.ts'

const NOTICES: Readonly<Record<string, string>> = {
  created: 'Your project is created. Only you can see it until you publish it.',
  imported: 'The page is imported. Look through it before you publish.',
  public: 'The page is public. Everyone can find it now.',
  draft: 'The page is a draft again. Only the team can open it.',
  invisible: 'Everyone with the link can open the page; it is left out of search.',
  owner: 'Only the owner can open the page now.',
  pending: 'The page waits for the people who run this store. You get a mail when they have looked at it.',
}

const MEANINGS: Readonly<Record<Visibility, string>> = {
  draft: 'Only the owner and the team can open it.',
  owner: 'Only the owner can open it; the team can still edit it.',
  invisible: 'Everyone with the link can open it. It is left out of search, browsing and the sitemap.',
  public: 'Everyone can find and open it. The listing check must pass first.',
}

interface OverviewProps extends TabProps {
  report: LintReport
  timeline: readonly TimelineEntry[]
  health: readonly PlatformHealth[]
  followers: Followers
}

export function OverviewPage({ project, state, report, timeline, health, followers }: OverviewProps) {
  const { visit } = state
  return (
    <StudioPage {...{ visit, project }} tab="overview" notices={NOTICES}>
      <CheckFaults form={formOf(state, 'visibility')} listing={project.listing} />
      <div class="columns">
        <div class="stack">
          <Checklist report={report} listing={project.listing} />
          <VisibilityForm project={project} isPassing={report.ok} />
          {project.listing.role === 'owner' ? <DeleteForm project={project} state={state} /> : null}
        </div>
        <div class="stack">
          <FollowerCounts followers={followers} />
          <Health health={health} />
          <Timeline entries={timeline} project={project} />
        </div>
      </div>
    </StudioPage>
  )
}

function VisibilityForm({ project: { listing }, isPassing }: { project: Project; isPassing: boolean }) {
  const action = `/studio/${listing.vanity_name}/overview/visibility`
  const isAdmin = listing.role === 'admin'
  return (
    <section class="panel stack" aria-labelledby="visibility-heading" id="visibility">
      <h2 id="visibility-heading">Visibility</h2>
      {listing.approval === null ? null : (
        <p class="notice">
          It waits for approval, as the first page of each developer does here. You can go on working on it.
        </p>
      )}
      {listing.visibility === 'public' || listing.approval !== null ? null : (
        <PostForm action={action} class="publish">
          <input type="hidden" name="visibility" value="public" />
          <Submit>Publish</Submit>
          <p class="quiet small">
            {isPassing
              ? 'The listing check passes: everything is ready.'
              : 'Publishing works once every item of the check that is marked “to fix” is done.'}
          </p>
        </PostForm>
      )}
      <PostForm action={action} class="stack">
        <fieldset class="choices">
          <legend class="small">Who may open the store page</legend>
          {VISIBILITIES.map((value) => (
            <div key={value} class="check">
              <input
                type="radio"
                name="visibility"
                id={`visibility-${value}`}
                value={value}
                checked={listing.visibility === value}
                disabled={isAdmin && (value === 'owner' || listing.visibility === 'owner')}
                aria-describedby={`visibility-${value}-hint`}
              />
              <div>
                <label for={`visibility-${value}`}>{VISIBILITY_LABELS[value]}</label>
                <p class="hint" id={`visibility-${value}-hint`}>
                  {MEANINGS[value]}
                </p>
              </div>
            </div>
          ))}
        </fieldset>
        {isAdmin ? <p class="quiet small">Only the owner can make a page private or reopen it.</p> : null}
        <Submit look="second">Change visibility</Submit>
      </PostForm>
    </section>
  )
}

function DeleteForm({ project: { listing }, state }: { project: Project; state: PageState }) {
  const form = formOf(state, 'delete')
  return (
    <details class="panel" open={form.faults.length > 0}>
      <summary>Delete this project</summary>
      {listing.visibility === 'draft' ? (
        <PostForm action={`/studio/${listing.vanity_name}/overview/delete`}>
          <FaultSummary form={form} />
          <p class="small">
            Builds, images and everything else are deleted for good, and download links stop at once.
          </p>
          <TextField form={form} name="confirm" label={`Type ${listing.vanity_name} to confirm`} />
          <Submit look="danger">Delete project</Submit>
        </PostForm>
      ) : (
        <p class="small">Only drafts can be deleted. Make the page a draft first.</p>
      )}
    </details>
  )
}

/** How many, never who. */
function FollowerCounts({ followers }: { followers: Followers }) {
  const { total, recent, everySystem, perSystem, wishes, developer } = followers
  const rows: [label: string, count: number | null][] = [
    ['Followers', total],
    ['New in the last 30 days', recent],
    ['On wishlists', wishes],
    ['Followers of the developer', developer],
  ]
  const systems: typeof rows = [
    ['All systems', everySystem],
    ...perSystem.map(([os, count]): [string, number | null] => [SYSTEM_LABELS[os], count]),
  ]
  return (
    <section class="panel stack" aria-labelledby="followers-heading">
      <h2 id="followers-heading">Followers</h2>
      <CountList rows={rows} />
      {total === null ? null : (
        <details>
          <summary>Whose releases they hear of</summary>
          <CountList rows={systems} />
        </details>
      )}
    </section>
  )
}

function CountList({ rows }: { rows: readonly (readonly [label: string, count: number | null])[] }) {
  return (
    <ul class="records">
      {rows.map(([label, count]) => (
        <li key={label}>
          <span>{label}</span>
          <span>{count === null ? `fewer than ${FOLLOWERS_SHOWN_FROM}` : numberText(count)}</span>
        </li>
      ))}
    </ul>
  )
}

function Health({ health }: { health: readonly PlatformHealth[] }) {
  if (health.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="health-heading">
      <h2 id="health-heading">How stable builds start</h2>
      <ul class="records">
        {health.map(({ os, arch, version, band }) => (
          <li key={os + arch}>
            <span>
              {SYSTEM_LABELS[os]} {arch}, {version}
            </span>
            <HealthBadge band={band} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Timeline({ entries, project }: { entries: readonly TimelineEntry[]; project: Project }) {
  return (
    <section class="panel stack" aria-labelledby="timeline-heading">
      <h2 id="timeline-heading">What happened</h2>
      <ol class="activity">
        {entries.map(({ at, kind, text, tab }) => (
          <li key={at + text}>
            <p class="quiet small">
              <Day at={at} /> <a href={`/studio/${project.listing.vanity_name}/${tab}`}>{kind}</a>
            </p>
            <p dir="auto">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The tabs of fields that are not on the page tab. */
const OTHER_TABS: Readonly<Record<string, string>> = {
  cover: 'media#cover',
  thumbnail: 'media#thumbnail',
  gallery: 'media#gallery',
  builds: 'builds',
  platforms: 'builds',
  trailer_url: 'media#videos',
  visibility: 'overview#visibility',
  engine_compat: 'compatibility#engine_compat',
}

/** The path of the field in which a finding of the check is fixed. */
function pathOfField(listing: EditableListing, field: string): string {
  if (field === 'owner') return '/account/security#email'
  return `/studio/${listing.vanity_name}/${OTHER_TABS[field] ?? `page#${field}`}`
}

/** Everything the listing check found, each item leading to its field. */
function Checklist({ report, listing }: { report: LintReport; listing: EditableListing }) {
  const { errors, warnings } = report
  return (
    <section class="panel stack" aria-labelledby="check-heading" id="check">
      <h2 id="check-heading">Listing check</h2>
      <p class={errors.length === 0 ? 'verdict good' : 'verdict warn'}>
        {errors.length === 0 ? <CheckIcon /> : <WarningIcon />}
        {errors.length === 0
          ? 'Passed: this page can be public.'
          : `${countText(errors.length, 'thing')} to fix before this page can be public.`}
      </p>
      {errors.length + warnings.length === 0 ? null : (
        <ul class="checklist">
          {errors.map(({ code, field, message }) => (
            <li key={code} class="to-fix">
              <CrossIcon />
              <span>
                <a href={pathOfField(listing, field)}>{message}</a>
                <Badge tone="bad">To fix</Badge>
              </span>
            </li>
          ))}
          {warnings.map(({ code, field, message }) => (
            <li key={code}>
              <WarningIcon />
              <span>
                <a href={pathOfField(listing, field)}>{message}</a>
                <Badge>Recommended</Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** The faults of a refused change of visibility, with links to the fields, which are on other tabs. */
function CheckFaults({ form, listing }: { form: FormState; listing: EditableListing }) {
  if (form.faults.length === 0) return null
  return (
    <div class="notice bad faults" role="alert">
      <div>
        <p>
          <strong>The visibility was not changed.</strong>
        </p>
        <ul>
          {form.faults.map(({ field, message }: Fault) => (
            <li key={field + message}>
              {field === '' ? message : <a href={pathOfField(listing, field)}>{message}</a>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
