import type { StoreApp } from '../../../src/clients/extstore/client.ts'

/** An app about which the external store says nothing but its name. */
export const BARE_APP: StoreApp = {
  appId: 799_000,
  type: 'game',
  name: 'Bare',
  isFree: false,
  requiredAge: 0,
  shortDescription: '',
  detailedDescription: '',
  aboutTheGame: '',
  website: null,
  developers: [],
  publishers: [],
  price: null,
  categoryIds: [],
  categoryNames: [],
  supportedLanguages: '',
  requirements: {
    windows: { minimum: '', recommended: '' },
    mac: { minimum: '', recommended: '' },
    linux: { minimum: '', recommended: '' },
  },
  systems: [],
  genres: [],
  screenshots: [],
  trailers: [],
  release: { comingSoon: false, date: '' },
  contentDescriptorIds: [],
  contentNotes: null,
  tags: [],
}
