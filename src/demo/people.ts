/** Developers of the demo listings. The first two are demo accounts and can sign in. */
export const DEVELOPERS = {
  'lantern-works': { name: 'Lantern Works', email: 'studio@demo.example' },
  'moss-jam': { name: 'Moss Jam', email: 'jam@demo.example' },
  'tin-whistle': { name: 'Tin Whistle Games', email: 'tin-whistle@demo.example' },
  'north-quay': { name: 'North Quay', email: 'north-quay@demo.example' },
  'okapi-lab': { name: 'Okapi Lab', email: 'okapi-lab@demo.example' },
  'ida-halvorsen': { name: 'Ida Halvorsen', email: 'ida-halvorsen@demo.example' },
  'bitter-almond': { name: 'Bitter Almond', email: 'bitter-almond@demo.example' },
  'second-breakfast': { name: 'Second Breakfast Club', email: 'second-breakfast@demo.example' },
  'pallas-tools': { name: 'Pallas Tools', email: 'pallas-tools@demo.example' },
  'vetiver-audio': { name: 'Vetiver Audio', email: 'vetiver-audio@demo.example' },
} as const

export type DeveloperName = keyof typeof DEVELOPERS

/** Players who review the listings. The first one can sign in. */
export const PLAYERS = {
  'robin-player': { name: 'Robin Player', email: 'player@demo.example' },
  'ayo-m': { name: 'Ayo M.', email: 'ayo-m@demo.example' },
  marguerite: { name: 'Marguerite', email: 'marguerite@demo.example' },
  'tomasz-w': { name: 'Tomasz W.', email: 'tomasz-w@demo.example' },
  'lin-q': { name: 'Lin Q.', email: 'lin-q@demo.example' },
  'bea-and-dog': { name: 'Bea and Dog', email: 'bea-and-dog@demo.example' },
  'old-joystick': { name: 'Old Joystick', email: 'old-joystick@demo.example' },
  'nadia-k': { name: 'Nadia K.', email: 'nadia-k@demo.example' },
  'pim-pam': { name: 'Pim', email: 'pim-pam@demo.example' },
  'seventh-sock': { name: 'The Seventh Sock', email: 'seventh-sock@demo.example' },
  'juniper-b': { name: 'Juniper B.', email: 'juniper-b@demo.example' },
  quietfox: { name: 'quietfox', email: 'quietfox@demo.example' },
  'hex-and-pepper': { name: 'Hex & Pepper', email: 'hex-and-pepper@demo.example' },
} as const

export type PlayerName = keyof typeof PLAYERS
export const PLAYER_NAMES = Object.keys(PLAYERS) as readonly PlayerName[]
