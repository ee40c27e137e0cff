import { join } from 'node:path'

import { bundleScript } from '../../lib/bundle-script.ts'

/** The source of every script, by the name that pages use. */
const SOURCES = {
  frame: 'kit/frame.client.ts',
  live: 'kit/live/live.client.ts',
  searchBox: 'components/search-box.client.ts',
  account: 'account/account.client.ts',
  passkey: 'account/passkey.client.ts',
  library: 'account/library.client.ts',
  notices: 'account/notices/notices.client.ts',
  compare: 'listing/files/compare.client.ts',
  verify: 'listing/files/verify.client.ts',
  play: 'listing/play/play.client.ts',
  gallery: 'listing/page/gallery.client.ts',
  copy: 'components/copy-buttons.client.ts',
  picker: 'components/picker.client.ts',
  docs: 'docs/docs.client.ts',
  search: 'catalog/search.client.ts',
  jam: 'jams/jam.client.ts',
  studio: 'studio/frame/studio.client.ts',
  editor: 'studio/page/editor.client.ts',
  media: 'studio/media/media.client.ts',
  upload: 'studio/builds/upload.client.ts',
  hashWorker: 'studio/builds/hash-worker.client.ts',
} as const
export type IslandName = keyof typeof SOURCES

/** The bundled texts. `bun run build` replaces this module with its result. */
export const ISLANDS = await bundleIslands()

/** One build for each script, because the outputs of a shared build come in no particular order. */
async function bundleIslands(): Promise<Readonly<Record<IslandName, string>>> {
  const texts = await Promise.all(
    Object.entries(SOURCES).map(async ([name, path]) => [
      name,
      await bundleScript(join(import.meta.dir, '..', path)),
    ]),
  )
  return Object.fromEntries(texts) as Record<IslandName, string>
}
