import { tagSuggestions } from '../../../src/db/schema/games/game-relations.ts'
import { OPERATING_SYSTEMS } from '../../../src/domain/builds/platforms.ts'
import { ACCESSIBILITY } from '../../../src/domain/listings/accessibility.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../src/domain/listings/fields.ts'
import { DEPENDENCY_KINDS, STATUSES } from '../../../src/domain/listings/listing.ts'
import { DIGEST_RHYTHMS, MAIL_CHOICES, NOTICE_KINDS } from '../../../src/domain/notices.ts'
import { STORE_IMAGES } from '../../../src/domain/store-settings.ts'
import type { Random } from '../../../src/lib/random.ts'
import { drawScreenshot, fileTicket, setReporter } from '../bugs.ts'
import { entryPath, insertFit, insertRunning, submit } from '../jams/entries.ts'
import { insertJam } from '../jams/jams.ts'
import { addToJam, enter, insertJam as insertVotingJam } from '../jams/voting.ts'
import { readData } from '../json.ts'
import { insertGame, insertLicense, insertPublicGame, setPlayMinutes } from '../listings.ts'
import { signUpOperator } from '../operators.ts'
import { type Person, usernameOf } from '../people.ts'
import type { TestServer } from '../server.ts'

export interface World {
  server: TestServer
  owner: Person
  player: Person
  bugKey: string
}

/** A resource with content of its own: who may write it, where, and how it is read. */
export interface Resource {
  caller: Person
  url: string
  read: () => Promise<Record<string, unknown>>
}

type Create = (world: World, random: Random) => Promise<Resource>

const GAMES = '/api/v1/private/games'
const FOLLOWS = '/api/v1/private/follows'
const WORDS = ['lamp', 'sea', 'stars', 'keeper', 'storm', 'Öl', '灯台', 'a "quoted" word', '🗼', '<b>']

const words = (random: Random, most: number) => random.draw(WORDS, 1 + random.below(most)).join(' ')
const some = <Value>(random: Random, values: readonly Value[], most: number) =>
  random.draw(values, random.below(most + 1))
const maybe = <Value>(random: Random, value: Value) => (random.chance(0.5) ? value : null)

/** The resource at `url`, which is also where it is read. */
function at(caller: Person, url: string): Resource {
  return { caller, url, read: async () => await readData(await caller.fetch(url)) }
}

/** One entry of a list. */
function entryOf(caller: Person, list: string, url: string, isIt: (entry: never) => boolean): Resource {
  const read = async () => {
    const { items } = await readData<{ items: Record<string, unknown>[] }>(await caller.fetch(list))
    const entry = items.find((item) => isIt(item as never))
    if (!entry) throw new Error(`${list} has no such entry`)
    return entry
  }
  return { caller, url, read }
}

async function change(caller: Person, method: string, url: string, body: object): Promise<void> {
  const answer = await caller.json(method, url, body)
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`)
}

async function listing({ server, owner }: World, random: Random): Promise<Resource> {
  const others = await Promise.all([1, 2, 3].map(() => insertPublicGame(server, owner)))
  const uids = others.map(({ uid }) => uid)
  const asset = await insertPublicGame(server, owner, { assetType: 'plugin' })
  const isMod = random.chance(0.5)
  const { uid } = await insertGame(server, owner, { assetType: isMod ? 'mod' : 'game' })
  await change(owner, 'PATCH', `${GAMES}/${uid}`, {
    name: words(random, 3),
    tagline: words(random, 5),
    description: words(random, 9),
    status: random.pick(STATUSES),
    website: maybe(random, 'https://games.example.org/'),
    adult: random.chance(0.3),
    indexable: random.chance(0.7),
    price_cents: random.pick([0, 99, 9999]),
    license_kind: maybe(random, 'cc-by'),
    genres: some(random, GENRES, 3),
    tone: some(random, TONES, 3),
    tags: ['cozy', 'stars', 'sea'],
    inputs: some(random, INPUTS, 5),
    content_warnings: some(random, CONTENT_WARNINGS, 9),
    engines: some(random, ['godot', 'unity'], 2),
    ai_uses: some(random, AI_USES, 6),
    accessibility: some(random, ACCESSIBILITY, 16),
    languages: some(random, ['en', 'pt-BR', 'zh-Hans'], 3).map((language) => ({
      language,
      interface: random.chance(0.5),
      audio: random.chance(0.5),
      subtitles: true,
    })),
    requirements: Object.fromEntries(
      some(random, OPERATING_SYSTEMS, 3).map((os) => [
        os,
        { minimum: words(random, 4), recommended: maybe(random, words(random, 3)) },
      ]),
    ),
    session_bucket: maybe(random, random.pick(SESSION_BUCKETS)),
    net: maybe(random, random.pick(NETS)),
    players_min: maybe(random, 1),
    players_max: maybe(random, 64),
    authorship: maybe(random, random.pick(AUTHORSHIPS)),
    authorship_credit: maybe(random, words(random, 2)),
    saves: { enabled: random.chance(0.5) },
    web_player: maybe(random, {
      width: random.pick([320, 960, 3840]),
      isolation: random.chance(0.5),
      signed_out: random.chance(0.5),
    }),
    similar_titles: some(random, uids, 3),
    dependencies: random.chance(0.7) ? [{ kind: DEPENDENCY_KINDS[0], game: asset.uid }] : [],
    engine_compat: some(random, OPERATING_SYSTEMS, 3).map((platform) => ({
      engine: 'godot',
      min_version: '4.2',
      max_version: '4.3',
      platform,
    })),
    ...(isMod && {
      parent: random.chance(0.5)
        ? { game: uids[0] }
        : { external_name: words(random, 2), external_url: 'https://example.org/' },
      mod_settings: maybe(random, {
        install_path: 'mods/here',
        loader: 'loader',
        instructions: words(random, 4),
      }),
    }),
  })
  return at(owner, `${GAMES}/${uid}`)
}

async function edition({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  const list = `${GAMES}/${uid}/editions`
  const input = {
    name: words(random, 2),
    price_cents: random.pick([99, 1499, 9999]),
    active: random.chance(0.5),
  }
  const { uid: edition_uid } = await readData<{ uid: string }>(await owner.json('POST', list, input))
  return entryOf(owner, list, `${list}/${edition_uid}`, (entry: { uid: string }) => entry.uid === edition_uid)
}

async function changelogEntry({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  const list = `${GAMES}/${uid}/changelog`
  const items = Array.from({ length: random.below(4) }, () => ({ title: words(random, 3) }))
  const version = random.chance(0.5) && { version: '1.2.0' }
  const input = { title: words(random, 3), body: words(random, 9), items, ...version }
  const { uid: entry_uid } = await readData<{ uid: string }>(await owner.json('POST', list, input))
  return entryOf(owner, list, `${list}/${entry_uid}`, (entry: { uid: string }) => entry.uid === entry_uid)
}

async function press({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  const url = 'https://example.org/'
  const lines = Array.from({ length: random.below(4) }, () => words(random, 3))
  await change(owner, 'PUT', `${GAMES}/${uid}/press`, {
    release_date: words(random, 2),
    contact_email: maybe(random, 'press@example.org'),
    features: lines,
    website: maybe(random, url),
    trailer_url: maybe(random, url),
    history: words(random, 9),
    awards: lines,
    links: lines.map((label) => ({ label, url })),
    quotes: lines.map((text) => ({ text, source: 'Somebody', url: maybe(random, url) })),
    team: lines.map((name) => ({ name, role: maybe(random, 'Music'), url: maybe(random, url) })),
  })
  return at(owner, `${GAMES}/${uid}/press`)
}

async function storeLinks({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  const link = { platform: 'store_01', url: `https://store.steampowered.com/app/${random.below(9999)}/` }
  await change(owner, 'PUT', `${GAMES}/${uid}/store-links`, { store_links: some(random, [link], 1) })
  return at(owner, `${GAMES}/${uid}/store-links`)
}

async function review({ server, owner, player }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner)
  await insertLicense(server, uid, player)
  const url = `${GAMES}/${uid}/review`
  await change(player, 'PUT', url, { rating: 1 + random.below(5), text: words(random, 9) })
  return at(player, url)
}

async function answer(world: World, random: Random): Promise<Resource> {
  const { server, owner } = world
  const { url: reviewUrl, read: readReview } = await review(world, random)
  const { uid } = (await readReview()) as { uid: string }
  const list = reviewUrl.replace(GAMES, '/api/v1/public/games').replace(/review$/, 'reviews')
  const url = `${reviewUrl.replace(/review$/, 'reviews')}/${uid}/answer`
  await change(owner, 'PUT', url, { text: words(random, 9) || 'Thank you.' })
  const read = async () => {
    const { items } = await readData<{ items: { answer: Record<string, unknown> }[] }>(
      await server.fetch(list),
    )
    return items[0]?.answer ?? {}
  }
  return { caller: owner, url, read }
}

async function post({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner)
  const list = `${GAMES}/${uid}/posts`
  const state = random.pick(['draft', 'scheduled', 'published'])
  const publish_at = new Date(Date.now() + 3_600_000).toISOString()
  const input = { title: 'The lamp turns', markdown: words(random, 9), state, publish_at }
  const made = await readData<{ uid: string }>(await owner.json('POST', list, input))
  return at(owner, `${list}/${made.uid}`)
}

async function suggestions({ server, owner, player }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner)
  await insertLicense(server, uid, player)
  await setPlayMinutes(server, uid, player, 120)
  const url = `${GAMES}/${uid}/tag-suggestions`
  await change(player, 'PUT', url, { tags: some(random, ['cozy', 'dark', 'wet', 'loud', 'old'], 5) })
  return at(player, url)
}

async function suggestedTag({ server, owner, player }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner)
  const tag = random.pick(['wet', 'loud', 'old'])
  await server.deps.db.insert(tagSuggestions).values({ gameUid: uid, userUid: player.uid, tag })
  const list = `${GAMES}/${uid}/community-tags`
  await change(owner, 'PUT', `${list}/${tag}`, { hidden: random.chance(0.5) })
  return entryOf(owner, list, `${list}/${tag}`, (entry: { tag: string }) => entry.tag === tag)
}

async function reporter({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  await setReporter(owner, uid, {
    enabled: random.chance(0.5),
    daily_cap: 1 + random.below(10_000),
    webhook_urls: some(random, ['https://a.example/x', 'https://b.example/y?z=1'], 2),
  })
  return at(owner, `${GAMES}/${uid}/bug-reporter`)
}

async function ticket({ server, owner, bugKey }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner)
  await setReporter(owner, uid)
  const ticketUid = await fileTicket(server, bugKey, uid, {
    message: words(random, 9),
    os: 'linux',
    log: words(random, 4),
    ...(random.chance(0.7) && { screenshot: await drawScreenshot() }),
  })
  const url = `${GAMES}/${uid}/bugs/${ticketUid}`
  const fixed = { status: 'fixed', fixed_in_version: '1.2', note: words(random, 3) }
  if (random.chance(0.5)) await change(owner, 'PATCH', url, fixed)
  return at(owner, url)
}

/** Shown with the list of publishers. */
async function publishing({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner)
  const url = `${GAMES}/${uid}/publishing`
  await change(owner, 'PUT', url, { keys_allowed: random.chance(0.5) })
  const read = async () => {
    const { keys_allowed } = await readData<{ keys_allowed: boolean }>(
      await owner.fetch(`${GAMES}/${uid}/publishers`),
    )
    return { keys_allowed }
  }
  return { caller: owner, url, read }
}

async function saveChoice({ server, owner }: World, random: Random): Promise<Resource> {
  const { uid } = await insertGame(server, owner, { savesEnabled: true })
  const url = `${GAMES}/${uid}/saves`
  await change(owner, 'PUT', url, { allowed: random.chance(0.7) ? random.chance(0.5) : null })
  return at(owner, url)
}

async function me({ player }: World, random: Random): Promise<Resource> {
  const flags = { developer_mode: random.chance(0.5), adult_content: random.chance(0.5) }
  await change(player, 'PATCH', '/api/v1/private/me', {
    ...flags,
    hidden_tags: some(random, ['gore', 'wet'], 2),
  })
  return at(player, '/api/v1/private/me')
}

async function noticeSettings({ player }: World, random: Random): Promise<Resource> {
  const url = '/api/v1/private/notices/settings'
  await change(player, 'PATCH', url, {
    kinds: { [random.pick(NOTICE_KINDS)]: random.pick(MAIL_CHOICES) },
    digest: random.pick(DIGEST_RHYTHMS),
    hour: random.below(24),
    time_zone: random.pick(['UTC', 'Europe/Berlin', 'Asia/Kolkata']),
  })
  return at(player, url)
}

/** All rounds share one operator. */
let operator: Promise<Person> | undefined

async function settings({ server }: World, random: Random): Promise<Resource> {
  operator ??= signUpOperator(server)
  const url = '/api/v1/operator/settings'
  await change(await operator, 'PATCH', url, { second_factor: maybe(random, 'optional') })
  return at(await operator, url)
}

async function collection({ server, owner }: World, random: Random): Promise<Resource> {
  operator ??= signUpOperator(server)
  const game = await insertPublicGame(server, owner)
  const url = '/api/v1/operator/collections'
  const answer = await (
    await operator
  ).json('POST', url, {
    title: words(random, 3),
    slug: crypto.randomUUID().slice(0, 8),
    text: words(random, 5),
    games: some(random, [game.uid], 1),
    on_home: random.chance(0.5),
    from: maybe(random, '2026-01-31T12:00:00.000Z'),
    until: maybe(random, '2027-01-31T12:00:00.000Z'),
  })
  const { uid } = await readData<{ uid: string }>(answer)
  return at(await operator, `${url}/${uid}`)
}

async function followedGame({ server, owner, player }: World, random: Random): Promise<Resource> {
  const { uid } = await insertPublicGame(server, owner, { priceCents: random.below(2000) })
  const url = `${FOLLOWS}/games/${uid}`
  await change(player, 'PUT', url, {
    releases: random.chance(0.5),
    posts: random.chance(0.5),
    platforms: some(random, OPERATING_SYSTEMS, 3),
    wish: random.chance(0.5),
  })
  const isIt = ({ game }: { game: { uid: string } }) => game.uid === uid
  return entryOf(player, `${FOLLOWS}?limit=50`, url, isIt)
}

async function followedDeveloper({ server, owner, player }: World, random: Random): Promise<Resource> {
  await insertPublicGame(server, owner)
  const url = `${FOLLOWS}/developers/${owner.uid}`
  await change(player, 'PUT', url, { new_games: random.chance(0.5), posts: random.chance(0.5) })
  const isIt = ({ developer }: { developer: { uid: string } }) => developer.uid === owner.uid
  return entryOf(player, `${FOLLOWS}?kind=developers`, url, isIt)
}

async function jamEntry({ server, owner }: World, random: Random): Promise<Resource> {
  const jam = await insertRunning(server)
  const game = await insertFit(server, owner)
  await submit(owner, jam, game, { note: words(random, 5) })
  return at(owner, entryPath(jam, game))
}

async function jam({ server, owner, player }: World, random: Random): Promise<Resource> {
  const { uid } = await insertJam(server, { host: owner, visibility: random.pick(['draft', 'public']) })
  const url = `/api/v1/private/jams/${uid}`
  await change(owner, 'PATCH', url, {
    title: words(random, 3),
    tagline: words(random, 4),
    text: words(random, 9),
    theme: words(random, 3),
    theme_hidden: random.chance(0.5),
    types: some(random, ['game', 'tool'], 2),
    platforms: some(random, OPERATING_SYSTEMS, 3),
    web_required: random.chance(0.5),
    criteria: [{ name: 'Fun' }, { name: 'Look', text: words(random, 3), primary: random.chance(0.5) }],
    judges: random.chance(0.5) ? [await usernameOf(player)] : [],
  })
  return at(owner, url)
}

async function jamRating({ server, owner, player }: World, random: Random): Promise<Resource> {
  const voted = await insertVotingJam(server, { mustPlay: false, voters: 'judges' })
  await addToJam(server, voted, player, 'judge')
  const { game } = await enter(server, voted, owner)
  const url = `/api/v1/private/jams/${voted.uid}/ratings/${game.uid}`
  const scores = { Fun: 1 + random.below(5), Theme: 1 + random.below(5) }
  await change(player, 'PUT', url, { scores, comment: words(random, 5), public: random.chance(0.5) })
  return at(player, url)
}

/** Every PUT and PATCH whose resource can be read. */
export const RESOURCES: Readonly<Record<string, Create>> = {
  'PATCH /api/v1/private/me': me,
  'PATCH /api/v1/private/notices/settings': noticeSettings,
  [`PATCH ${GAMES}/:uid`]: listing,
  [`PATCH ${GAMES}/:uid/editions/:edition_uid`]: edition,
  [`PATCH ${GAMES}/:uid/changelog/:entry_uid`]: changelogEntry,
  [`PUT ${GAMES}/:uid/press`]: press,
  [`PUT ${GAMES}/:uid/store-links`]: storeLinks,
  [`PUT ${GAMES}/:uid/review`]: review,
  [`PUT ${GAMES}/:uid/reviews/:review_uid/answer`]: answer,
  [`PATCH ${GAMES}/:uid/posts/:post_uid`]: post,
  [`PUT ${GAMES}/:uid/tag-suggestions`]: suggestions,
  [`PUT ${GAMES}/:uid/community-tags/:tag`]: suggestedTag,
  [`PUT ${GAMES}/:uid/bug-reporter`]: reporter,
  [`PUT ${GAMES}/:uid/publishing`]: publishing,
  [`PUT ${GAMES}/:uid/saves`]: saveChoice,
  [`PATCH ${GAMES}/:uid/bugs/:ticket_uid`]: ticket,
  [`PUT ${FOLLOWS}/games/:uid`]: followedGame,
  [`PUT ${FOLLOWS}/developers/:user_uid`]: followedDeveloper,
  'PATCH /api/v1/private/jams/:jam': jam,
  'PUT /api/v1/private/jams/:jam/ratings/:game_uid': jamRating,
  'PUT /api/v1/private/jams/:jam/entries/:game_uid': jamEntry,
  'PATCH /api/v1/operator/settings': settings,
  'PATCH /api/v1/operator/collections/:uid': collection,
}

/** Routes whose input is not part of any answer. */
export const NOT_READABLE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    STORE_IMAGES.map((name) => [
      `PUT /api/v1/operator/settings/${name}`,
      'a file, of which answers have the address',
    ]),
  ),
  [`PUT ${GAMES}/:uid/visibility`]: 'a step of the listing, which is read and written elsewhere',
  [`PUT ${GAMES}/:uid/anonymous-downloads`]: 'a setting of the listing, with a confirmation',
  [`PUT ${GAMES}/:uid/images/cover`]: 'a file',
  'PUT /api/v1/player/games/:game_id/saves/:slot': 'bytes',
  [`PUT ${GAMES}/:uid/images/thumbnail`]: 'a file',
  [`PUT ${GAMES}/:uid/images/gallery/order`]: 'a list of uids',
  [`PUT ${GAMES}/:uid/videos/:video_uid/poster`]: 'a file',
  [`PUT ${GAMES}/:uid/videos/order`]: 'a list of uids',
  [`PUT ${GAMES}/:uid/posts/:post_uid/picture`]: 'a file',
  'PUT /api/v1/private/jams/:jam/cover': 'a file',
  'PATCH /api/v1/private/me/passkeys/:uid': 'the name of a passkey, which is read with all factors',
  'PUT /api/v1/private/me/picture': 'a file',
  'PUT /api/v1/private/me/banner': 'a file',
  'PUT /api/v1/operator/accounts/:uid/storage-limit': 'an act of operators with its reason',
  [`PUT ${GAMES}/:uid/steam/web-api-key`]: 'a secret that is never shown',
}
