import type { GameRow } from '../../features/games/service.ts'

/** Links from a page about a listing back to the listing. */
export function BackLink({ game }: { game: Pick<GameRow, 'name' | 'vanityName'> }) {
  return (
    <p class="small">
      <a href={`/games/${game.vanityName}`}>
        ← <bdi>{game.name}</bdi>
      </a>
    </p>
  )
}
