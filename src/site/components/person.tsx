import type { ShownPerson } from '../../domain/actor.ts'
import { initialsOf } from '../../lib/text/initials.ts'
import { pathOf } from './card.tsx'

/** The colours behind initials; `person.css` has one class for each. */
const TONES = 8

interface PersonProps {
  person: ShownPerson
  /** Whether it leads to the person's page, which only developers have. */
  isLink?: boolean
  /** Adds the username where it tells people apart, such as in a team. */
  withUsername?: boolean
}

/** A person as they are shown everywhere: picture or initials, and their name. */
export function Person({ person, isLink = false, withUsername = false }: PersonProps) {
  const { username, display_name } = person
  const shown = (
    <>
      <Face person={person} />
      <span>
        <bdi>{display_name}</bdi>
        {withUsername && display_name !== username ? <span class="quiet small"> {username}</span> : null}
      </span>
    </>
  )
  if (!isLink) return <span class="person">{shown}</span>
  return (
    <a class="person" href={`/developers/${username}`}>
      {shown}
    </a>
  )
}

/** Where there is no room for a picture, and both names matter. */
export function PersonName({ username, display_name }: Pick<ShownPerson, 'username' | 'display_name'>) {
  return (
    <>
      <bdi>{display_name}</bdi>
      {display_name === username ? null : ` (${username})`}
    </>
  )
}

/** Says nothing to screen readers: the name stands beside it. */
export function Face({ person, class: size = '' }: { person: ShownPerson; class?: string }) {
  const { picture, username, display_name } = person
  if (picture !== null) {
    return <img class={`face ${size}`} src={pathOf(picture)} width={320} height={320} alt="" loading="lazy" />
  }
  return (
    <span class={`face ${size} tone-${toneOf(username)}`} aria-hidden="true">
      {initialsOf(display_name)}
    </span>
  )
}

/** Everyone keeps their colour when they change their name. */
function toneOf(username: string): number {
  return (
    Array.from(username).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % TONES
  )
}
