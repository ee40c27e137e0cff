import { savesPath } from '../../../domain/site-urls.ts'
import type { SavesSummary } from '../../../features/saves/library/service.ts'
import { Check, PostForm, Submit } from '../../kit/form.tsx'
import { bytesText, countText } from '../../kit/labels.tsx'

/** What an account keeps of all games, the largest first. */
export function AllSaves({ saves: { games, bytes, largest } }: { saves: SavesSummary }) {
  if (games === 0) {
    return <p class="quiet">Games keep no saves in your account yet.</p>
  }
  return (
    <>
      <p>
        Saves of {countText(games, 'game')} take up {bytesText(bytes)}.
      </p>
      <ul class="stack">
        {largest.map(({ name, ref, bytes: own }) => (
          <li key={ref} class="row between">
            <a href={savesPath(ref)} dir="auto">
              {name}
            </a>
            <span class="small">{bytesText(own)}</span>
          </li>
        ))}
      </ul>
      {games > largest.length ? (
        <p class="quiet small">{countText(games - largest.length, 'more game')} with fewer bytes.</p>
      ) : null}
      <DeleteAll action="/account/saves/delete" what="of all games" />
    </>
  )
}

/** Asks for a tick, because nothing brings them back. */
export function DeleteAll({ action, what }: { action: string; what: string }) {
  return (
    <PostForm action={action}>
      <Check
        {...{ name: 'sure', checked: false, scope: 'delete-all' }}
        label={`Delete all my saves ${what}, with their histories`}
        hint="Nothing brings them back. Download them first if you may want them."
      />
      <Submit look="danger">Delete all saves</Submit>
    </PostForm>
  )
}
