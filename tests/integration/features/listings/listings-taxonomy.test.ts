import { beforeAll, describe, expect, test } from 'bun:test'

import { ACCESSIBILITY } from '../../../../src/domain/listings/accessibility.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../../src/domain/listings/fields.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
/** Of its own, so that the many refusals stay below the limit of an account. */
const other = usePerson(server)
let second: GameRow
let game: GameRow
beforeAll(async () => {
  game = await insertGame(server, owner)
  second = await insertGame(server, other)
})

const edit = (patch: object) => owner.json('PATCH', `/api/v1/private/games/${game.uid}`, patch)

/** The values of the law, written out, so that a slip in our lists is seen. */
const LAW = {
  genres:
    'action, adventure, arcade, card, casual, fighting, horror, idle, management, platformer, puzzle, racing, rhythm, roguelike, rpg, sandbox, shooter, simulation, sports, stealth, strategy, survival, tower-defense, visual-novel, educational, tool, utility, other',
  tone: 'cozy, dark, funny, relaxing, tense, wholesome, weird, serious, chaotic',
  inputs: 'keyboard_mouse, gamepad, touch, vr, motion',
  content_warnings: 'violence, gore, sexual, nudity, language, drugs, gambling, horror, flashing_lights',
  session_bucket: '15m, 1h, 3h, endless',
  net: 'offline, local, online, local_online',
  authorship: 'human, human_agent, agent_heavy',
  ai_uses: 'art, audio, code, text, voice, runtime',
  accessibility:
    'remappable_controls, one_handed, colour_blind_safe, screen_reader, subtitles, text_size, no_flashing, difficulty, save_anywhere, pause_anywhere, mono_audio, reduced_motion, high_contrast, narrated_menus, no_timed_input, tutorial_again',
} as const

test('our lists are those of the law', () => {
  const ours = {
    genres: GENRES,
    tone: TONES,
    inputs: INPUTS,
    content_warnings: CONTENT_WARNINGS,
    session_bucket: SESSION_BUCKETS,
    net: NETS,
    authorship: AUTHORSHIPS,
    ai_uses: AI_USES,
    accessibility: ACCESSIBILITY,
  }
  for (const [field, values] of Object.entries(ours)) {
    expect(values.join(', ')).toBe(LAW[field as keyof typeof LAW])
  }
})

const language = (tag: string, parts: object = { interface: true }) => ({ language: tag, ...parts })
const kept = (tag: string, parts: object = {}) => ({
  language: tag,
  interface: true,
  audio: false,
  subtitles: false,
  ...parts,
})
const forty =
  'aa,ab,ae,af,ak,am,an,ar,as,av,ay,az,ba,be,bg,bi,bm,bn,bo,br,bs,ca,ce,ch,co,cr,cs,cu,cv,cy,da,de,dv,dz,ee,el,en,eo,es,et'.split(
    ',',
  )

const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}`)

describe('what is taken', () => {
  test.each([
    ['genres', ['action', 'rpg', 'other'], undefined],
    ['genres', ['rpg', 'rpg', 'rpg', 'rpg'], ['rpg']],
    ['tone', ['cozy', 'dark', 'weird'], undefined],
    ['inputs', [...INPUTS], undefined],
    ['content_warnings', [...CONTENT_WARNINGS], undefined],
    ['ai_uses', [...AI_USES], undefined],
    [
      'engines',
      ['Godot', 'my_engine', 'Game Maker', 'e4', 'e5'],
      ['godot', 'my-engine', 'game-maker', 'e4', 'e5'],
    ],
    ['tags', ['Open World', 'open_world', ' OPEN-WORLD ', 'coop'], ['open-world', 'coop']],
    ['tags', tags(20), undefined],
    ['tags', ['a'], undefined],
    ['tags', ['x'.repeat(32)], undefined],
    ['tags', [...tags(20), 'TAG_0'], tags(20)],
    ['session_bucket', 'endless', undefined],
    ['net', 'local_online', undefined],
    ['players_min', 1, undefined],
    ['players_max', 64, undefined],
    ['authorship', 'agent_heavy', undefined],
    ['authorship_credit', 'x'.repeat(120), undefined],
    ['authorship_credit', '', null],
    ['accessibility', [...ACCESSIBILITY], undefined],
    ['accessibility', null, []],
    [
      'languages',
      [language('en'), language('pt_br', { audio: true })],
      [kept('en'), kept('pt-BR', { interface: false, audio: true })],
    ],
    [
      'languages',
      [language('ZH-hans'), language('zh-Hans', { subtitles: true })],
      [kept('zh-Hans', { subtitles: true })],
    ],
    ['languages', forty.map((tag) => language(tag)), forty.map((tag) => kept(tag))],
    ['languages', [], undefined],
    [
      'requirements',
      { linux: { minimum: ' 4 GB\n2 cores ', recommended: 'x'.repeat(500) }, web: { minimum: '' } },
      { linux: { minimum: '4 GB\n2 cores', recommended: 'x'.repeat(500) } },
    ],
    ['requirements', null, {}],
  ])('%s %j', async (field, value, stored) => {
    const answer = await edit({ [field]: value })
    expect(await readData<object>(answer)).toMatchObject({ [field]: stored === undefined ? value : stored })
  })
})

describe('what is refused is 4071, with field and value', () => {
  const edit = (patch: object) => other.json('PATCH', `/api/v1/private/games/${second.uid}`, patch)

  test.each([
    ['genres', ['action', 'nonsense'], 'nonsense'],
    ['genres', ['Action'], 'Action'],
    ['genres', ['action', 'arcade', 'card', 'casual'], ['action', 'arcade', 'card', 'casual']],
    ['genres', 'action', 'action'],
    ['genres', [1], 1],
    ['tone', ['loud'], 'loud'],
    ['tone', ['cozy', 'dark', 'weird', 'tense'], ['cozy', 'dark', 'weird', 'tense']],
    ['inputs', ['telepathy'], 'telepathy'],
    ['content_warnings', ['spiders'], 'spiders'],
    ['ai_uses', ['everything'], 'everything'],
    ['engines', ['a', 'b', 'c', 'd', 'e', 'f'], ['a', 'b', 'c', 'd', 'e', 'f']],
    ['engines', ['c++'], 'c++'],
    ['tags', tags(21), tags(21)],
    ['tags', ['x'.repeat(33)], 'x'.repeat(33)],
    ['tags', ['pokémon'], 'pokémon'],
    ['tags', [''], ''],
    ['tags', ['--'], '--'],
    ['tags', [null], null],
    ['tags', { 0: 'x' }, { 0: 'x' }],
    ['session_bucket', '2h', '2h'],
    ['session_bucket', ['1h'], ['1h']],
    ['net', 'lan', 'lan'],
    ['players_min', 0, 0],
    ['players_max', 65, 65],
    ['players_max', 2.5, 2.5],
    ['players_max', '2', '2'],
    ['authorship', 'robots', 'robots'],
    ['authorship_credit', 'x'.repeat(121), 'x'.repeat(121)],
    ['authorship_credit', 5, 5],
    ['accessibility', ['flying'], 'flying'],
    ['languages', 'en', 'en'],
    ['languages', ['en'], 'en'],
    ['languages', [language('german')], language('german')],
    ['languages', [language('x-mine')], language('x-mine')],
    ['languages', [language('en', {})], language('en', {})],
    ['languages', [language('en', { audio: 'yes' })], language('en', { audio: 'yes' })],
    [
      'languages',
      [language('en', { interface: true, voice: true })],
      language('en', { interface: true, voice: true }),
    ],
    ['languages', [...forty, 'fa'].map((tag) => language(tag)), [...forty, 'fa']],
    ['requirements', [], []],
    ['requirements', { amiga: { minimum: 'one' } }, 'amiga'],
    ['requirements', { linux: 'a machine' }, 'a machine'],
    ['requirements', { linux: { least: 'x' } }, { least: 'x' }],
    ['requirements', { linux: { minimum: 4 } }, 4],
    ['requirements', { linux: { recommended: 'x'.repeat(501) } }, 'x'.repeat(501)],
  ])('%s %j', async (field, value, named) => {
    const answer = await edit({ [field]: value })
    const { status, code, message, data } = await readFailure(answer)
    expect({ status, code, data }).toMatchObject({ status: 422, code: 4071, data: { field, value: named } })
    expect(data).toMatchObject({ issues: [{ path: expect.stringContaining(field), message }] })
    expect(message).toStartWith(field)
  })

  test('all faults of one edit are told together, whichever rule they break', async () => {
    const answer = await edit({
      website: 'http://lamp.example/',
      genres: ['action', 'arcade', 'casual', 'puzzle'],
      tags: ['lamp', 'ü!'],
      players_min: 0,
    })
    const { status, data } = await readFailure<{ issues: { path: string }[] }>(answer)
    expect([status, data.issues.map(({ path }) => path)]).toEqual([
      400,
      ['website', 'genres', 'tags.1', 'players_min'],
    ])
  })

  test('players_min over players_max, also when only one of them is sent', async () => {
    await edit({ players_min: 2, players_max: 4 })
    for (const patch of [{ players_min: 5 }, { players_max: 1 }, { players_min: 3, players_max: 2 }]) {
      expect(await readFailure(await edit(patch))).toMatchObject({ status: 422, code: 4071 })
    }
    expect((await edit({ players_min: 5, players_max: 8 })).status).toBe(200)
  })
})
