import type { Transaction } from '../db/client.ts'
import type { Deps } from '../deps.ts'
import { PERSON_IMAGES, type PersonImage } from '../domain/people.ts'
import type { ProcessedImage } from '../features/listings/images/process.ts'
import { processImage } from '../features/listings/images/process.ts'
import { claimObject } from '../features/listings/images/service.ts'
import { PERSON_BOXES } from '../features/people/pictures/service.ts'
import { DEVELOPERS } from './data.ts'
import { openPicture } from './pictures.ts'
import { insertProfile } from './queries.ts'

/** What a developer of `people.json` shows. The pictures are cut out of those of the listings. */
interface About {
  bio: readonly string[]
  links: readonly { label: string; url: string }[]
  featured: string
  picture?: string
  banner?: string
}

type ProfilePictures = ReadonlyMap<string, Partial<Record<PersonImage, ProcessedImage>>>

const PROFILES: ReadonlyMap<string, About> = new Map(
  Object.entries(DEVELOPERS).map(([username, { about }]) => [username, about]),
)

export async function loadProfilePictures(): Promise<ProfilePictures> {
  const made = new Map<string, Partial<Record<PersonImage, ProcessedImage>>>()
  for (const [username, about] of PROFILES) {
    const images: Partial<Record<PersonImage, ProcessedImage>> = {}
    for (const kind of PERSON_IMAGES) {
      const [folder, name] = about[kind]?.split('/') ?? []
      if (folder === undefined || name === undefined) continue
      const bytes = await openPicture(folder, name).bytes()
      images[kind] = await processImage(bytes, PERSON_BOXES[kind], 'image/webp')
    }
    made.set(username, images)
  }
  return made
}

/** Profiles that exist already stay as they are. */
export async function attachProfiles(
  deps: Deps,
  tx: Transaction,
  pictures: ProfilePictures,
  { personOf, uidOf }: { personOf(name: string): string; uidOf(vanityName: string): string },
): Promise<void> {
  for (const [username, { bio, links, featured }] of PROFILES) {
    const { picture, banner } = pictures.get(username) ?? {}
    await insertProfile(tx, {
      userUid: personOf(username),
      bio: bio.join('\n'),
      links: [...links],
      featuredUid: uidOf(featured),
      bannerKey: banner ? await claimObject(deps, tx, banner) : null,
      pictureKey: picture ? await claimObject(deps, tx, picture) : null,
    })
  }
}
