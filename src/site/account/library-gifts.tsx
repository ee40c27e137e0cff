import type { LibraryItem } from '../../features/community/library/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Day } from '../kit/dates.tsx'
import { Submit } from '../kit/form.tsx'
import { countText } from '../kit/labels.ts'

/** Licences that owners gave away: they count once they are accepted. */
export function Gifts({ gifts }: { gifts: Paged<LibraryItem> }) {
  if (gifts.total === 0) return null
  return (
    <section class="stack" aria-labelledby="gifts">
      <h2 id="gifts">Given to you</h2>
      {gifts.items.map((item) => (
        <div key={item.game.uid} class="notice info">
          <p>
            Its developer gave you{' '}
            {item.game.vanity_name === null ? (
              <strong>{nameOf(item)}</strong>
            ) : (
              <a href={`/games/${item.game.vanity_name}`}>{nameOf(item)}</a>
            )}{' '}
            <span class="quiet small">
              on <Day at={item.since} />
            </span>
          </p>
          <div class="row">
            <ChangeForm item={item} act="accept" />
            <ChangeForm item={item} act="decline" look="second" />
          </div>
        </div>
      ))}
      {gifts.total > gifts.items.length ? (
        <p class="quiet small">
          {countText(gifts.total - gifts.items.length, 'more gift')} once you have decided about these.
        </p>
      ) : null}
    </section>
  )
}

const CHANGES = {
  accept: 'Accept',
  decline: 'Decline',
  hide: 'Take out of library',
  restore: 'Bring back',
} as const

interface ChangeFormProps {
  item: LibraryItem
  act: keyof typeof CHANGES
  look?: string
}

export function ChangeForm({ item, act, look }: ChangeFormProps) {
  return (
    <form method="post" action={`/library/${item.game.uid}`}>
      <Submit {...{ name: 'act', value: act, ...(look !== undefined && { look }) }}>
        {CHANGES[act]}
        <span class="visually-hidden">: {nameOf(item)}</span>
      </Submit>
    </form>
  )
}

export function nameOf({ game, removed_at }: LibraryItem): string {
  return game.name ?? (removed_at === null ? 'A hidden title' : 'A removed title')
}
