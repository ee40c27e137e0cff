import { type Actor, seesAdult } from '../../../domain/actor.ts'

/** Pictures of adult listings are left out for everyone who did not ask for such content. */
export function withPicturesFor<Shown extends { adult: boolean }>(
  visitor: Actor | null,
  shown: Shown,
): Shown {
  if (!shown.adult || (visitor && seesAdult(visitor))) return shown
  return { ...shown, cover: null, thumbnail: null, ...('gallery' in shown && { gallery: [] }) }
}
