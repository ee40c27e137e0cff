import type { ShownPerson } from '../../domain/actor.ts'
import { SYSTEM_NAMES } from '../../domain/builds/platforms.ts'
import type { JamVoters } from '../../domain/jams.ts'
import { TYPE_NAMES } from '../../domain/listings/listing.ts'
import { jamPath } from '../../domain/site-urls.ts'
import type { OwnJam } from '../../features/jams/jams/model.ts'
import type { Participant } from '../../features/jams/members/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Pager } from '../components/lists.tsx'
import { Person } from '../components/person.tsx'
import { Prose } from '../components/prose.tsx'
import { FaultSummary, PostForm, Submit, TextField } from '../kit/form.tsx'
import { countText } from '../kit/labels.tsx'
import { formOf, type PageState, signInPathTo } from '../kit/pages.ts'
import { JamFrame, type JamProps, type ShownJam } from './jam-frame.tsx'
import { ZonedMoment } from './times.tsx'

const NOTICES = {
  joined: 'You joined. You get notices when the jam starts and before it ends.',
  left: 'You left the jam.',
  created: 'The jam is a draft: only you and other hosts see it. Publish it on the Manage page.',
}

interface ParticipantsProps extends JamProps {
  participants: Paged<Participant>
}

interface JamPageProps extends ParticipantsProps {
  shown: ShownJam<OwnJam>
}

export function JamPage({ state, shown, participants }: JamPageProps) {
  const { visit, refused } = state
  const { jam } = shown
  return (
    <JamFrame
      {...{ visit, shown, tab: 'About', notices: NOTICES }}
      description={jam.tagline || `${jam.title}: a game jam.`}
      canonical={jam.url}
      isIndexed={jam.visibility === 'public' && visit.url.search === ''}
      head={
        <>
          <meta property="og:title" content={jam.title} />
          <meta property="og:url" content={jam.url} />
          {jam.cover === null ? null : <meta property="og:image" content={jam.cover} />}
        </>
      }
    >
      <FaultSummary form={refused?.form} />
      <Joining {...{ state, jam }} />
      <div class="jam-columns">
        <div class="stack">
          <Theme jam={jam} />
          {jam.text === '' ? null : <Prose html={jam.html} under={1} />}
          <Criteria jam={jam} />
          <Changes jam={jam} />
        </div>
        <div class="jam-side">
          <Times jam={jam} />
          <Rules jam={jam} />
          <People title="Hosts" people={jam.hosts} />
          <People title="Judges" people={jam.judges} />
          <Participants {...{ jam, participants }} />
        </div>
      </div>
    </JamFrame>
  )
}

function Theme({ jam: { theme, state } }: { jam: OwnJam }) {
  if (theme === '') return null
  return (
    <section class="panel" aria-labelledby="theme">
      <h2 id="theme">Theme</h2>
      {theme === null ? (
        <p class="quiet">The theme is shown when the jam starts.</p>
      ) : (
        <p class="jam-theme-text" dir="auto">
          {theme}
          {state === 'coming' ? <span class="quiet small"> (before the start)</span> : null}
        </p>
      )}
    </section>
  )
}

function Criteria({ jam: { criteria, voting_ends_at, min_ratings } }: { jam: OwnJam }) {
  if (voting_ends_at === null) return null
  const primary = criteria.find((one) => one.primary)
  return (
    <section class="panel" aria-labelledby="criteria">
      <h2 id="criteria">What is rated</h2>
      <dl class="jam-criteria">
        {criteria.map(({ name, text }) => (
          <div key={name}>
            <dt dir="auto">{name}</dt>
            {text === '' ? null : <dd dir="auto">{text}</dd>}
          </div>
        ))}
      </dl>
      <p class="quiet small">
        1 to 5 stars each.{' '}
        {primary ? (
          <>
            <bdi>{primary.name}</bdi> decides the overall rank.
          </>
        ) : (
          'All count alike for the overall rank.'
        )}{' '}
        Entries with fewer than {countText(min_ratings, 'rating')} are not ranked.
      </p>
    </section>
  )
}

function Changes({ jam: { changes } }: { jam: OwnJam }) {
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      <p class="quiet small">What the hosts changed after the start, newest first.</p>
      <ul class="records">
        {changes.map(({ text, at }) => (
          <li key={at + text}>
            <span dir="auto">{text}</span>
            <span class="quiet small">
              <ZonedMoment at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the page is mostly opened for, by where the jam stands. */
function nextStep({ slug, state, results_published_at }: OwnJam): { path: string; label: string } | null {
  if (state === 'running') return { path: `${jamPath(slug)}/enter`, label: 'Enter a listing' }
  if (state === 'voting') return { path: jamPath(slug, 'rate'), label: 'Rate entries' }
  return results_published_at === null ? null : { path: jamPath(slug, 'results'), label: 'See the results' }
}

function Joining({ state, jam }: { state: PageState; jam: OwnJam }) {
  const { actor } = state.visit
  const step = nextStep(jam)
  if (jam.state === 'past') {
    return step === null ? null : (
      <p>
        <a class="button" href={step.path}>
          {step.label}
        </a>
      </p>
    )
  }
  const needsCode = jam.entry === 'invited' && !jam.joined && !jam.is_host && !jam.is_judge
  const look = step === null ? '' : 'second'
  return (
    <section class="panel jam-joining" aria-labelledby="joining">
      <div>
        <h2 id="joining">{jam.joined ? 'You joined' : 'Take part'}</h2>
        <p class="quiet small">
          {jam.joined
            ? 'You get notices of the start, the end and the results.'
            : needsCode
              ? 'This jam is by invitation: its hosts give out codes.'
              : 'Your name is listed, and you get notices of the start, the end and the results.'}
        </p>
      </div>
      <div class="row">
        {step === null ? null : (
          <a class="button" href={step.path}>
            {step.label}
          </a>
        )}
        {actor.kind === 'user' ? (
          <PostForm action={`${jamPath(jam.slug)}/${jam.joined ? 'leave' : 'join'}`} class="row">
            {needsCode ? (
              <TextField {...{ form: formOf(state, 'join'), name: 'code', label: 'Code' }} required />
            ) : null}
            <Submit look={look}>{jam.joined ? 'Leave' : 'Join'}</Submit>
          </PostForm>
        ) : (
          <a class={`button ${look}`} href={signInPathTo(jamPath(jam.slug))}>
            Sign in to join
          </a>
        )}
      </div>
    </section>
  )
}

function Times({ jam }: { jam: OwnJam }) {
  return (
    <section class="panel" aria-labelledby="times">
      <h2 id="times">Times</h2>
      <dl class="jam-facts">
        <dt>Starts</dt>
        <dd>
          <ZonedMoment at={jam.starts_at} />
        </dd>
        <dt>Ends</dt>
        <dd>
          <ZonedMoment at={jam.ends_at} />
          {jam.grace_minutes === 0 ? null : (
            <p class="quiet small">
              Uploads that are running then may take {countText(jam.grace_minutes, 'more minute')}.
            </p>
          )}
        </dd>
        {jam.voting_ends_at === null ? null : (
          <>
            <dt>Voting ends</dt>
            <dd>
              <ZonedMoment at={jam.voting_ends_at} />
            </dd>
          </>
        )}
      </dl>
      <p class="small">
        <a href={`${jamPath(jam.slug)}.ics`}>Add to your calendar</a>
      </p>
    </section>
  )
}

const VOTER_TEXTS: Readonly<Record<JamVoters, string>> = {
  entrants: 'those who entered, and their teams',
  everyone: 'everyone with an account that is older than a day at the end',
  judges: 'the judges',
}

function Rules({ jam }: { jam: OwnJam }) {
  const { types, platforms, entries_per_person: most } = jam
  const rules = [
    jam.entry === 'invited' ? 'Joining needs a code.' : null,
    `Each person enters ${most === 1 ? 'one listing' : `up to ${most} listings`}.`,
    types.length === 0 ? null : `Types: ${types.map((type) => TYPE_NAMES[type]).join(', ')}.`,
    platforms.length === 0 ? null : `Systems: ${platforms.map((os) => SYSTEM_NAMES[os]).join(', ')}.`,
    jam.web_required ? 'Entries run in the browser.' : null,
    jam.made_during ? 'Listings must be made after the start.' : null,
    jam.voting_ends_at === null ? 'Entries are not ranked.' : `Who votes: ${VOTER_TEXTS[jam.voters]}.`,
    jam.voting_ends_at !== null && jam.must_play
      ? 'You rate what you played for a minute, downloaded or installed.'
      : null,
  ]
  return (
    <section class="panel" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <ul class="changes">{rules.map((rule) => (rule === null ? null : <li key={rule}>{rule}</li>))}</ul>
    </section>
  )
}

function People({ title, people }: { title: string; people: readonly ShownPerson[] }) {
  if (people.length === 0) return null
  const id = title.toLowerCase()
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <PeopleList people={people} />
    </section>
  )
}

function Participants({ jam, participants }: { jam: OwnJam; participants: Paged<Participant> }) {
  const { items, total } = participants
  return (
    <section class="panel" aria-labelledby="participants">
      <h2 id="participants">{countText(total, 'participant')}</h2>
      {total === 0 ? <p class="quiet small">Nobody joined yet.</p> : <PeopleList people={items} />}
      {total > items.length ? (
        <p class="small">
          <a href={`${jamPath(jam.slug)}/participants`}>All participants</a>
        </p>
      ) : null}
    </section>
  )
}

function PeopleList({ people }: { people: readonly ShownPerson[] }) {
  return (
    <ul class="jam-people">
      {people.map((person) => (
        <li key={person.username}>
          <Person person={person} />
        </li>
      ))}
    </ul>
  )
}

export function ParticipantsPage({ state: { visit }, shown, participants }: ParticipantsProps) {
  return (
    <JamFrame {...{ visit, shown, tab: 'Participants' }}>
      <h1>Participants</h1>
      {participants.items.length === 0 ? (
        <p class="quiet">The list ends before this page.</p>
      ) : (
        <PeopleList people={participants.items} />
      )}
      <Pager {...participants} url={visit.url} />
    </JamFrame>
  )
}
