import {
  COLLECTION_LISTINGS_MAX,
  COLLECTION_SLUG_MAX,
  COLLECTION_TEXT_MAX,
  COLLECTION_TITLE_MAX,
  HOME_COLLECTIONS_MAX,
} from '../../../domain/collections.ts'
import type { Member } from '../../../features/catalog/collections/edit.ts'
import type { OperatorCollection } from '../../../features/operate/collections/model.ts'
import { Empty } from '../../components/lists.tsx'
import { Picker, PickerEntry } from '../../components/picker.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { AreaField, Check, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, countText, Moment } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import { OperateFrame } from '../operate-frame.tsx'

const NOTICES = {
  saved: 'The collection is saved, and everyone sees it now.',
  deleted: 'The collection is deleted. Its listings stay as they are.',
}

interface CollectionsPageProps {
  state: PageState
  collections: readonly OperatorCollection[]
}

export function OperateCollectionsPage({ state, collections }: CollectionsPageProps) {
  return (
    <OperateFrame state={state} tab="/operate/collections" notices={NOTICES}>
      <p>
        <a class="button" href="/operate/collections/new">
          New collection
        </a>
      </p>
      {collections.length === 0 ? (
        <Empty title="There are no collections">
          Put up to 50 listings together under a title, for a season, a jam or a mood.
        </Empty>
      ) : (
        <ul class="records panel">
          {collections.map((collection) => (
            <Row key={collection.uid} collection={collection} now={Date.now()} />
          ))}
        </ul>
      )}
    </OperateFrame>
  )
}

function Row({ collection, now }: { collection: OperatorCollection; now: number }) {
  const { uid, slug, title, text, games, on_home, from, until } = collection
  const isEarly = from !== null && Date.parse(from) > now
  const isOver = until !== null && Date.parse(until) <= now
  return (
    <li>
      <div>
        <strong>
          <a href={`/operate/collections/${uid}`} dir="auto">
            {title}
          </a>
        </strong>{' '}
        {on_home ? <Badge tone="good">on home</Badge> : null}{' '}
        {isEarly ? <Badge tone="none">not yet shown</Badge> : null}
        {isOver ? <Badge tone="none">over</Badge> : null}
        {text === '' ? null : <p dir="auto">{text}</p>}
        <p class="quiet small">
          {countText(games.length, 'listing')}
          {from === null ? null : (
            <>
              , from <Moment at={from} />
            </>
          )}
          {until === null ? null : (
            <>
              , until <Moment at={until} />
            </>
          )}
        </p>
      </div>
      {isEarly || isOver ? null : (
        <a class="button second" href={`/collections/${slug}`}>
          Open<span class="visually-hidden"> {title}</span>
        </a>
      )}
    </li>
  )
}

/** Prefix of the fields with the place of a listing; the listing's uid follows. */
export const PLACE = 'place.'
const placeOf = (uid: string) => PLACE + uid

interface CollectionEditorProps {
  state: PageState
  /** Null for a new collection. */
  collection: OperatorCollection | null
  members: readonly PicturedMember[]
}

export interface PicturedMember extends Member {
  picture: { url: string } | null
}

const timeText = (time: string | null | undefined) => time?.slice(0, 16) ?? ''

export function CollectionEditor({ state, collection, members }: CollectionEditorProps) {
  const form = formOf(state, 'collection')
  const path = collection ? `/operate/collections/${collection.uid}` : '/operate/collections/new'
  const isOnHome = form.values.size === 0 ? collection?.on_home === true : form.values.has('on_home')
  return (
    <OperateFrame
      state={state}
      tab="/operate/collections"
      title={collection ? `Edit ${collection.title}` : 'A new collection'}
      scripts={['picker']}
    >
      <PostForm action={path} class="form collection-editor">
        <TextField
          {...{ form, name: 'title', label: 'Title', value: collection?.title ?? '' }}
          limit={COLLECTION_TITLE_MAX}
          required
        />
        <TextField
          {...{ form, name: 'slug', label: 'Address', value: collection?.slug ?? '' }}
          limit={COLLECTION_SLUG_MAX}
          hint="What follows /collections/: letters a to z, digits and dashes. Empty: made from the title."
        />
        <AreaField
          {...{ form, name: 'text', label: 'Text', value: collection?.text ?? '', rows: 3 }}
          limit={COLLECTION_TEXT_MAX}
          hint="What these listings have in common."
        />
        <FieldGroup
          id="games"
          title="Listings"
          hint={`Up to ${COLLECTION_LISTINGS_MAX}, in this order. A listing that is hidden keeps its place, and is shown again with its page.`}
        >
          <Picker kind="places" max={COLLECTION_LISTINGS_MAX}>
            <Places {...{ form, members }} />
            <AreaField
              {...{ form, name: 'add', label: 'Add listings', rows: 3 }}
              hint="By name, or as addresses, one a line: the end of a page's link, the whole link, or the uid."
            />
          </Picker>
        </FieldGroup>
        <div class="settings-pair">
          <TextField
            {...{ form, name: 'from', label: 'Shown from (UTC)', value: timeText(collection?.from) }}
            type="datetime-local"
            hint="Empty: at once."
          />
          <TextField
            {...{ form, name: 'until', label: 'Shown until (UTC)', value: timeText(collection?.until) }}
            type="datetime-local"
            hint="Empty: until you delete it."
          />
        </div>
        <Check
          name="on_home"
          label="Show it on the home page"
          checked={isOnHome}
          hint={`The newest ${HOME_COLLECTIONS_MAX} are shown, at the place that Settings, Home page gives them.`}
        />
        <div class="row">
          <Submit>Save</Submit>
          <a class="button second" href="/operate/collections">
            Cancel
          </a>
        </div>
      </PostForm>
      {collection ? (
        <PostForm action={`${path}/delete`} class="act">
          <Submit look="danger">Delete this collection</Submit>
        </PostForm>
      ) : null}
    </OperateFrame>
  )
}

function Places({ form, members }: { form: FormState; members: readonly PicturedMember[] }) {
  return (
    <>
      {members.length === 0 ? null : (
        <p class="hint picker-rule">
          Write other numbers to change the order, and none to leave a listing out.
        </p>
      )}
      <ol class="picked" aria-label="Listings, in their order">
        {members.map(({ uid, name, vanityName, visibility, picture }, index) => (
          <PickerEntry
            key={uid}
            {...{ uid, vanityName, name, picture }}
            detail={
              <>
                <a href={`/operate/listings/${uid}`}>{vanityName}</a>{' '}
                {visibility === 'public' ? null : <Badge tone="warn">not public</Badge>}
              </>
            }
          >
            <input
              class="input"
              name={placeOf(uid)}
              inputMode="numeric"
              autoComplete="off"
              aria-label={`Place of ${name}`}
              value={form.values.get(placeOf(uid)) ?? String(index + 1)}
            />
          </PickerEntry>
        ))}
      </ol>
    </>
  )
}
