import { hiddenTagsFor } from '../../domain/actor.ts'
import type { Visit } from '../../http/visit.ts'
import { numberText } from '../kit/labels.tsx'

interface HiddenNoteProps {
  visit: Visit
  /** Listings that the reader's hidden tags leave out. */
  count: number
  /** The address of this page with the hidden listings, and without them. */
  shown: string
  hidden: string
}

/** Tells readers how many listings their hidden tags leave out, with a link to show them. */
export function HiddenNote({ visit, count, shown, hidden }: HiddenNoteProps) {
  if (count > 0) {
    return (
      <p class="quiet small">
        {numberText(count)} hidden,{' '}
        <a href={shown}>
          show<span class="visually-hidden"> what your tags hide</span>
        </a>
      </p>
    )
  }
  const isShowing = visit.url.searchParams.get('show_hidden') === 'true'
  if (!isShowing || hiddenTagsFor(visit.actor, null).length === 0) return null
  return (
    <p class="quiet small">
      Tags you hide are shown, <a href={hidden}>hide them again</a>
    </p>
  )
}
