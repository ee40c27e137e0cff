/** A press kit as it is stored and shown; fields that were not given are empty. */
export interface PressKitValue {
  release_date: string
  contact_email: string
  website: string
  trailer_url: string
  history: string
  features: string[]
  awards: string[]
  links: { label: string; url: string }[]
  quotes: { text: string; source: string; url: string | null }[]
  team: { name: string; role: string | null; url: string | null }[]
}

export const EMPTY_PRESS_KIT: Readonly<PressKitValue> = {
  release_date: '',
  contact_email: '',
  website: '',
  trailer_url: '',
  history: '',
  features: [],
  awards: [],
  links: [],
  quotes: [],
  team: [],
}
