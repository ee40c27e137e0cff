import { type JamState } from '../../domain/jams.ts'
import { jamPath } from '../../domain/site-urls.ts'
import type { JamSummary } from '../../features/jams/jams/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { pathOf } from '../components/card.tsx'
import { Pager } from '../components/lists.tsx'
import { DoneNotice } from '../components/notice.tsx'
import { Badge, countText } from '../kit/labels.tsx'
import { Layout } from '../kit/layout.tsx'
import { NextTime, STATE_LABELS } from './times.tsx'

const NOTICES = { deleted: 'The jam is deleted.' }

/** The states in the order of the page, with their headings. */
export const JAM_SECTIONS = ['running', 'coming', 'voting', 'past'] as const satisfies readonly JamState[]

export interface JamSection {
  state: JamState
  jams: Paged<JamSummary>
}

interface JamsPageProps {
  visit: Visit
  /** All sections with their first jams, or one of them. */
  sections: readonly JamSection[]
  /** Those that the visitor hosts, judges or joined; none on the page of one section. */
  own: readonly JamSummary[]
  canMake: boolean
  now: number
  canonical: string
}

export function JamsPage({ visit, sections, own, canMake, now, canonical }: JamsPageProps) {
  const filled = sections.filter(({ jams }) => jams.items.length > 0)
  const [only] = sections.length === 1 ? sections : []
  return (
    <Layout
      {...{ visit, canonical }}
      title="Jams"
      description={`Game jams on ${visit.store.settings.name}: running, coming and past.`}
      isIndexed={visit.url.search === ''}
      style="jams"
      scripts={['jam']}
      head={<link rel="alternate" type="application/atom+xml" title="Jams" href="/jams/feed.xml" />}
    >
      <div class="jam">
        <div class="row between">
          <h1>Jams</h1>
          <p class="row">
            <a href="/jams/feed.xml">Feed</a>
            {canMake ? (
              <a class="button" href="/jams/new">
                New jam
              </a>
            ) : null}
          </p>
        </div>
        <DoneNotice visit={visit} notices={NOTICES} />
        {own.length === 0 ? null : (
          <section aria-labelledby="own-jams">
            <h2 id="own-jams">Yours</h2>
            <JamList {...{ jams: own, now }} />
          </section>
        )}
        {filled.length === 0 ? <NoJams isOneState={only !== undefined} /> : null}
        {filled.map(({ state, jams }) => (
          <section key={state} aria-labelledby={`jams-${state}`}>
            <div class="row between">
              <h2 id={`jams-${state}`}>{STATE_LABELS[state]}</h2>
              {only || jams.items.length === jams.total ? null : (
                <a href={`/jams?state=${state}`}>
                  All {countText(jams.total, 'jam')}
                  <span class="visually-hidden">, {STATE_LABELS[state].toLowerCase()}</span>
                </a>
              )}
            </div>
            <JamList {...{ jams: jams.items, now }} />
          </section>
        ))}
        {only ? <Pager {...only.jams} url={visit.url} /> : null}
      </div>
    </Layout>
  )
}

function NoJams({ isOneState }: { isOneState: boolean }) {
  return (
    <div class="empty">
      <h2>No jams here</h2>
      <p>A jam has a theme and a deadline: everybody makes a game, and plays those of the others.</p>
      {isOneState ? (
        <a class="button" href="/jams">
          All jams
        </a>
      ) : null}
    </div>
  )
}

function JamList({ jams, now }: { jams: readonly JamSummary[]; now: number }) {
  return (
    <ul class="jam-list">
      {jams.map((jam) => (
        <li key={jam.uid}>
          <JamCard {...{ jam, now }} />
        </li>
      ))}
    </ul>
  )
}

function JamCard({ jam, now }: { jam: JamSummary; now: number }) {
  const { slug, title, tagline, cover, participants, entries, entry, visibility } = jam
  return (
    <article class="card jam-card">
      {cover === null ? (
        <div class="cover no-cover initial" aria-hidden="true">
          {Array.from(title)[0]}
        </div>
      ) : (
        <img class="cover" src={pathOf(cover)} width={1280} height={720} alt="" loading="lazy" />
      )}
      <div class="body">
        <h3 dir="auto">
          <a href={jamPath(slug)}>{title}</a>
        </h3>
        <p class="tagline" dir="auto">
          {tagline}
        </p>
        <p class="jam-next small">
          <NextTime {...{ jam, now }} />
        </p>
        <p class="quiet small">
          {countText(participants, 'person', 'people')} joined, {countText(entries, 'entry', 'entries')}
        </p>
        <div class="marks">
          {visibility === 'public' ? null : (
            <Badge tone="warn">{visibility === 'draft' ? 'Draft' : 'With the link'}</Badge>
          )}
          {entry === 'invited' ? <Badge>By invitation</Badge> : null}
        </div>
      </div>
    </article>
  )
}
