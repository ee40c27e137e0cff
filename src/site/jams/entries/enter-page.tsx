import { NOTE_MAX } from '../../../domain/jams.ts'
import { ENTRY_FAULT_TEXTS, type EntryFault } from '../../../domain/jams/entries.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import type { OwnListing } from '../../../features/jams/entries/own.ts'
import { Empty } from '../../components/lists.tsx'
import { AreaField, FaultSummary, FieldSet, PostForm, Submit } from '../../kit/form.tsx'
import { formOf } from '../../kit/pages.ts'
import { JamFrame, type JamProps } from '../jam-frame.tsx'

interface EnterPageProps extends JamProps {
  listings: readonly OwnListing[]
  /** Of a late link; null: the usual way. */
  code: string | null
}

/** Where one picks a listing to enter, with what each of them lacks. */
export function EnterPage({ state, shown, listings, code }: EnterPageProps) {
  const { visit, refused } = state
  const { jam } = shown
  const form = formOf(state, 'enter')
  const action = code === null ? `${jamPath(jam.slug)}/enter` : `${jamPath(jam.slug)}/late/${code}`
  const isOpen = code !== null || jam.state === 'running'
  const ableFirst = listings.toSorted((one, other) => Number(isAble(other)) - Number(isAble(one)))
  const [first] = ableFirst
  const chosen = form.values.get('game') ?? first?.uid
  return (
    <JamFrame {...{ visit, shown, tab: 'Entries' }} title={`Enter a listing · ${jam.title}`}>
      <h1>Enter a listing</h1>
      {code === null ? null : <p>The hosts gave you a late link. It enters one listing after the end.</p>}
      <FaultSummary form={refused?.form} />
      {isOpen ? null : (
        <p>
          {jam.state === 'coming' ? 'The jam has not started.' : 'The jam has ended: entries are closed.'}
        </p>
      )}
      {listings.length === 0 ? (
        <Empty title="You have no listing yet" link={['/studio/new', 'Make a listing']}>
          A draft can be entered too: nobody sees it before the jam ends.
        </Empty>
      ) : (
        <PostForm action={action}>
          <FieldSet form={form} name="game" label="Your listings">
            <ul class="records">
              {ableFirst.map((listing) => (
                <li key={listing.uid}>
                  <Choice {...{ listing, isChosen: listing.uid === chosen }} />
                </li>
              ))}
            </ul>
          </FieldSet>
          <AreaField
            {...{ form, name: 'note', label: 'Note for voters', limit: NOTE_MAX }}
            hint="What they should know before they play, such as the controls."
          />
          <Submit disabled={!isOpen || !first || !isAble(first)}>Enter it</Submit>
        </PostForm>
      )}
    </JamFrame>
  )
}

interface ChoiceProps {
  listing: OwnListing
  isChosen: boolean
}

const isAble = ({ entered, missing }: OwnListing) => !entered && missing.length === 0

function Choice({ listing, isChosen }: ChoiceProps) {
  const { uid, name, vanityName, entered, missing } = listing
  const isUnable = !isAble(listing)
  return (
    <div>
      <label class="check">
        <input type="radio" name="game" value={uid} checked={isChosen && !isUnable} disabled={isUnable} />
        <bdi>{name}</bdi>
      </label>
      {entered ? (
        <p class="quiet small">
          It is entered. <a href={`/studio/${vanityName}/jams`}>Change its note or withdraw it</a>
        </p>
      ) : null}
      {entered ? null : <Missing {...{ missing, vanityName }} />}
    </div>
  )
}

/** What each of these lacks, with the tab of the studio where that is changed. */
export function Missing({ missing, vanityName }: { missing: readonly EntryFault[]; vanityName: string }) {
  if (missing.length === 0) return null
  return (
    <ul class="changes small">
      {missing.map((fault) => {
        const tab = TABS[fault]
        const text = ENTRY_FAULT_TEXTS[fault]
        return (
          <li key={fault}>{tab === null ? text : <a href={`/studio/${vanityName}/${tab}`}>{text}</a>}</li>
        )
      })}
    </ul>
  )
}

const TABS: Readonly<Record<EntryFault, string | null>> = {
  build: 'builds',
  cover: 'media',
  tagline: 'page',
  type: null,
  platform: 'builds',
  web: 'builds',
  made_during: null,
}
