import type { DeveloperName, PlayerName } from './people.ts'

export interface DemoReview {
  by: PlayerName
  rating: number
  minutes: number
  daysAgo: number
  text: string
}

const review = (
  by: PlayerName,
  rating: number,
  minutes: number,
  daysAgo: number,
  text: string,
): DemoReview => ({ by, rating, minutes, daysAgo, text })

/** Reviews, by vanity name. */
export const REVIEWS: Readonly<Record<string, readonly DemoReview[]>> = {
  'the-last-ferry': [
    review(
      'marguerite',
      5,
      412,
      190,
      'I let the man with the birdcage talk for six crossings. No regrets, some tears.',
    ),
    review('tomasz-w', 4, 365, 150, 'Beautiful. The fast current is a trap and I fell for it every time.'),
    review('bea-and-dog', 5, 520, 95, 'You can pet the dog. Dog approves. Five stars from both of us.'),
    review('old-joystick', 3, 130, 60, 'Lovely, but there is nothing to shoot. I knew that. I still looked.'),
    review('lin-q', 5, 601, 12, 'Missed an ending on purpose so that I have a reason to come back.'),
  ],
  'winter-letters': [
    review('juniper-b', 5, 240, 300, 'I wrote a real letter afterwards. It was answered.'),
    review('quietfox', 5, 310, 210, 'Quiet. Warm. Letter 114.'),
    review('nadia-k', 4, 180, 80, 'Short evenings, exactly the right length. Could use a larger stove.'),
  ],
  'fjord-sketches': [
    review('pim-pam', 5, 95, 400, 'My drawing of a boat made it hail. I feel judged and I like it.'),
    review('ayo-m', 4, 140, 220, 'Slept in the boathouse. It is the best part.'),
  ],
  'the-tenant-below': [
    review('hex-and-pepper', 5, 230, 60, 'Turned the microphone on. Turned it off. Moved out.'),
    review('seventh-sock', 2, 45, 44, 'Too frightening, therefore very good, therefore I cannot play it.'),
    review('tomasz-w', 4, 260, 30, 'The small print is real. Read clause eleven.'),
  ],
  'three-button-knight': [
    review('old-joystick', 5, 75, 390, 'Finally, three buttons. As nature intended.'),
    review('pim-pam', 5, 60, 300, 'THE SNEEZE'),
    review('lin-q', 4, 88, 111, 'Room 37 made me apologise to my keyboard.'),
  ],
  'gearheart-derby': [
    review(
      'robin-player',
      5,
      1840,
      340,
      'My bathtub on skis holds the record on hill nine. Come and take it.',
    ),
    review('ayo-m', 5, 2210, 280, 'Best couch game in years. We broke the couch.'),
    review('seventh-sock', 3, 300, 200, 'Fun with friends, lonely without. Online helped.'),
    review('nadia-k', 4, 660, 35, 'The track lab is half the game now.'),
  ],
  'neon-allotment': [
    review('hex-and-pepper', 5, 410, 9, 'Shot my prize pumpkin. Won the night. Lost the fair. Art.'),
    review('robin-player', 4, 190, 4, 'Slugs with lasers deserve more respect than I gave them.'),
  ],
  'static-bloom': [
    review('quietfox', 2, 40, 40, 'Honest label, but the flowers have no roots, if that makes sense.'),
    review('lin-q', 4, 130, 25, 'The diary of what they threw away is worth it alone.'),
  ],
  'lighthouse-keepers-union': [
    review('tomasz-w', 5, 1500, 70, 'We went on strike over oil. A real meeting followed in the kitchen.'),
    review('marguerite', 4, 720, 50, 'Alone it is calm. With my brothers it is not.'),
    review('robin-player', 5, 980, 21, 'The sea monster voted. I respect that.'),
  ],
  'brass-and-barley': [
    review('bea-and-dog', 5, 4200, 560, 'I have not cooked at home since the third district.'),
    review('old-joystick', 4, 1800, 430, 'Like running a pub, but with fewer glasses to wash.'),
    review('juniper-b', 5, 2600, 190, 'The recipe folder is dangerous. I have opinions about eels now.'),
    review('hex-and-pepper', 3, 240, 90, 'Wonderful, but rats. Get the hedgehog mod first.'),
  ],
  'kettle-knights': [
    review('marguerite', 5, 900, 250, 'A tower defence I can play while the kettle boils. Literally.'),
    review('pim-pam', 4, 410, 130, 'Have a biscuit. It says so.'),
  ],
  longshore: [
    review('nadia-k', 5, 9400, 420, 'I work in a port. I come home and play this. Send help.'),
    review('ayo-m', 4, 3100, 260, 'The foreman is smarter than me and nicer about it.'),
    review('tomasz-w', 5, 5200, 75, 'Endless, in the way that ports are. They warned us.'),
  ],
  'salt-line': [
    review('lin-q', 5, 6100, 800, 'No luck, no fog, no excuses. I lose with dignity now.'),
    review('old-joystick', 5, 3300, 610, 'Fifteen tides. One apology. Accurate.'),
    review('seventh-sock', 4, 800, 220, 'My rating is neap, my love is spring.'),
  ],
  'undo-dungeon': [
    review('quietfox', 5, 640, 180, 'Forgot the word for the left thing. Brilliant.'),
    review('robin-player', 4, 320, 77, 'Reached the ending for people who cannot stop. Hello, me.'),
  ],
  'echo-cartographer': [
    review('juniper-b', 5, 700, 260, 'I am blind and I am good at this game. That sentence is new.'),
    review('hex-and-pepper', 4, 350, 100, 'My map was wrong. My rope knew.'),
  ],
  'orbit-gardener': [
    review('pim-pam', 5, 880, 130, 'Learned more about orbits than in school, and there were ferns.'),
    review('marguerite', 4, 300, 45, 'A comet ate my moss. Instructive, as promised.'),
  ],
  'crumb-quest': [
    review('bea-and-dog', 5, 610, 170, 'Cried about an ant. Dog concerned.'),
    review('ayo-m', 4, 540, 66, 'The Broom is the best villain of the year.'),
  ],
  'pixel-kiln': [
    review('juniper-b', 5, 12000, 700, 'Opens faster than I can think of what to draw.'),
    review('lin-q', 5, 8000, 320, 'Set up the kiln once. Forgot it. Perfect.'),
  ],
  'loom-and-tape': [
    review('quietfox', 5, 2400, 200, 'Recorded my fridge. It is in a game now. The fridge is proud.'),
  ],
  marginalia: [
    review('marguerite', 4, 5200, 400, 'It found the promise I never kept, on page nine.'),
    review('tomasz-w', 5, 3000, 55, 'Who knows what: worth the update alone.'),
  ],
  'rain-on-things': [
    review('nadia-k', 5, 60, 500, 'I work to *parked tram, steady* every day.'),
    review('seventh-sock', 5, 65, 90, 'It is raining outside and I still play this.'),
  ],
}

/** Tags suggested by players, with the number of suggestions; three make a tag visible. */
export const SUGGESTED_TAGS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'the-last-ferry': { emotional: 7, 'cozy-sadness': 5, dogs: 4, 'text-based': 2 },
  'gearheart-derby': { hilarious: 6, 'broken-couch': 3, racing: 3 },
  'lighthouse-keepers-union': { politics: 5, 'sea-monster': 4, cozy: 3 },
  longshore: { 'one-more-hour': 8, trains: 4, spreadsheets: 3, relaxing: 2 },
  'salt-line': { chess: 6, 'hard-but-fair': 5 },
  'undo-dungeon': { 'mind-bending': 5, wordplay: 3 },
  'echo-cartographer': { 'blind-accessible': 6, headphones: 5, scary: 3 },
  'brass-and-barley': { cooking: 7, gossip: 4, rats: 3, 'too-many-menus': 3 },
  'orbit-gardener': { beautiful: 5, physics: 4 },
  'crumb-quest': { ants: 6, emotional: 4 },
}

/** Suggested tags hidden by the developer. */
export const HIDDEN_TAGS: Readonly<Record<string, readonly string[]>> = {
  'brass-and-barley': ['too-many-menus'],
}

export interface DemoAdmin {
  who: DeveloperName | PlayerName
  accepted: boolean
}

/** Admins of the pages. */
export const ADMINS: Readonly<Record<string, readonly DemoAdmin[]>> = {
  'the-last-ferry': [
    { who: 'ida-halvorsen', accepted: true },
    { who: 'moss-jam', accepted: false },
  ],
  'undo-dungeon': [{ who: 'lantern-works', accepted: true }],
  glasshouse: [{ who: 'okapi-lab', accepted: false }],
}
