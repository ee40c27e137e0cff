import type { ComponentChildren } from 'preact'

import type { AssetType } from '../../domain/listings/listing.ts'
import { pathOf } from './card.tsx'
import { PictureIcon } from './icons.tsx'

interface PickerProps {
  /** Several in an order, exactly one, or places that are fields of their own. */
  kind: 'list' | 'one' | 'places'
  max: number
  /** What can be chosen; everything if left out. */
  types?: readonly AssetType[]
  /** The listing that is edited, which cannot be related to itself. */
  self?: string
  children: ComponentChildren
}

/** Wraps a text field for addresses of listings; with script people search them and see pictures. */
export function Picker({ kind, max, types = [], self = '', children }: PickerProps) {
  return (
    <div class="picker" data-picker={kind} data-max={max} data-types={types.join(',')} data-self={self}>
      {children}
    </div>
  )
}

interface EntryProps {
  uid: string
  vanityName: string
  name: string
  detail: ComponentChildren
  picture: { url: string } | null
  children?: ComponentChildren
}

/** A listing to choose, or one that was chosen. */
export function PickerEntry({ uid, vanityName, name, detail, picture, children }: EntryProps) {
  return (
    <li data-uid={uid} data-name={vanityName}>
      {children}
      {picture ? (
        <img class="picker-cover" src={pathOf(picture.url)} width={96} height={54} alt="" />
      ) : (
        <span class="picker-cover">
          <PictureIcon />
        </span>
      )}
      <span class="picker-words">
        <strong>{name}</strong> <span class="quiet small">{detail}</span>
      </span>
    </li>
  )
}
