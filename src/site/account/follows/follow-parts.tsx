import type { FollowedGame } from '../../../features/catalog/followed/model.ts'
import type { Card } from '../../../features/catalog/pages/model.ts'
import { pathOf } from '../../components/card.tsx'
import { Day } from '../../kit/labels.tsx'

export function ListCover({ card }: { card: Pick<Card, 'name' | 'cover' | 'thumbnail'> }) {
  const picture = card.thumbnail ?? card.cover
  if (picture === null) {
    return (
      <div class="cover no-cover initial" aria-hidden="true">
        {Array.from(card.name)[0]}
      </div>
    )
  }
  const { url, width, height } = picture
  return (
    <img
      {...{ class: 'cover', src: pathOf(url), width, height, alt: '', loading: 'lazy', decoding: 'async' }}
    />
  )
}

/** What came last, in one line. */
export function NewestRelease({ followed: { newest_release, game } }: { followed: FollowedGame }) {
  if (newest_release === null) return <p class="quiet small">No release notes yet.</p>
  const { title, version, at } = newest_release
  return (
    <p class="small">
      <a href={`/games/${game.vanity_name}/changelog`} dir="auto">
        {version === null || version === title ? title : `${title} (${version})`}
      </a>{' '}
      <span class="quiet">
        <Day at={at} />
      </span>
    </p>
  )
}
