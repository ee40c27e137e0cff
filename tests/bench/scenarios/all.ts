import { saves } from '../saves/saves.ts'
import { pipelineToken } from '../uploads/upload-token.ts'
import { assetLibrary } from './asset-library.ts'
import { idleMemory, start } from './binary.ts'
import { bulk } from './bulk.ts'
import { listing, listingNotModified, popularTags, sitemap } from './catalog.ts'
import { downloadLink } from './downloads.ts'
import { signIn, verifyToken } from './extstore.ts'
import { follow } from './follow/follow.ts'
import { getKills } from './get-kills.ts'
import { get } from './get.ts'
import { health, jsonRoute, notModified } from './http.ts'
import { ingest } from './ingest.ts'
import { jams } from './jams.ts'
import { jobs } from './jobs.ts'
import { pages } from './pages.ts'
import { play } from './play.ts'
import { replica } from './replica.ts'
import { scale } from './scale.ts'
import { scans } from './scans.ts'
import type { Scenario } from './scenario.ts'
import { searchFresh } from './search/fresh.ts'
import { searchLive } from './search/live.ts'
import { searchMeilisearch } from './search/meilisearch.ts'
import { searchMillion } from './search/million.ts'
import { search } from './search/search.ts'
import { shelf } from './shelf.ts'
import { siege } from './siege.ts'
import { objectStore } from './stores.ts'
import { uploadCrowd, uploadMemory } from './upload-load.ts'
import { uploads } from './uploads.ts'
import { webhooks } from './webhooks.ts'

export const SCENARIOS: readonly Scenario[] = [
  health,
  jsonRoute,
  notModified,
  start,
  idleMemory,
  jobs,
  objectStore,
  scans,
  listing,
  listingNotModified,
  popularTags,
  sitemap,
  downloadLink,
  play,
  uploads,
  uploadCrowd,
  uploadMemory,
  saves,
  shelf,
  get,
  getKills,
  assetLibrary,
  ingest,
  pages,
  jams,
  follow,
  verifyToken,
  signIn,
  pipelineToken,
  siege,
  webhooks,
  replica,
  search,
  searchFresh,
  searchLive,
  searchMillion,
  searchMeilisearch,
  bulk,
  scale,
]
