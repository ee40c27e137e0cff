import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { decodeJwt } from 'jose'

import { isPyJwtInstalled, PYTHON } from '../../../helpers/engines/python.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { signUp } from '../../../helpers/people.ts'
import { createTempDir } from '../../../helpers/processes/child.ts'
import {
  insertSignInGame,
  insertToken,
  newExtstoreId,
  sign,
  type SignInGame,
} from '../../../helpers/site/sign-in.ts'

const ROOT = join(import.meta.dir, '../../../..')
const ISSUER = 'https://games.example'
const { server, double } = useExtstore({ ISSUER })

let game: SignInGame
let other: SignInGame
const leftovers: (() => Promise<void>)[] = []
beforeAll(async () => {
  const owner = await signUp(server)
  game = await insertSignInGame(server, double, owner)
  other = await insertSignInGame(server, double, owner)
})
afterAll(async () => {
  for (const remove of leftovers) await remove()
})

interface Outcome {
  /** Claims, or null where the recipe refused the token. */
  checked: object | null
  /** What the service said, or null where it refused. */
  verified: { valid: boolean; revoked: boolean } | null
}

type Run = (ask: object) => Promise<Outcome>

/** The code as it stands in the chapter. */
async function readRecipe(language: 'python' | 'js'): Promise<string> {
  const text = await Bun.file(join(ROOT, 'infra/docs/external-store.md')).text()
  const code = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)?.[1]
  if (code === undefined) throw new Error(`The chapter has no recipe in ${language}`)
  return code
}

const PYTHON_CALLER = `
import sys
import urllib.error

ask = json.load(sys.stdin)
outcome = {"checked": None, "verified": None}
try:
    outcome["checked"] = check_token(ask["token"], ask["auth_key"], ask["issuer"], ask["app_id"], ask["game_uid"])
except jwt.InvalidTokenError:
    pass
try:
    outcome["verified"] = verify_token(ask["token"], ask["auth_key"], ask["url"])
except urllib.error.HTTPError:
    pass
print(json.dumps(outcome))
`

const JS_CALLER = `
const ask = await new Response(Bun.stdin.stream()).json()
const or = (promise) => promise.catch(() => null)
console.log(JSON.stringify({
  checked: await or(checkToken(ask.token, ask.auth_key, ask.issuer, ask.app_id, ask.game_uid)),
  verified: await or(verifyToken(ask.token, ask.auth_key, ask.url)),
}))
`

async function run(command: string[], ask: object): Promise<Outcome> {
  const child = Bun.spawn(command, { stdin: new Blob([JSON.stringify(ask)]), stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out) as Outcome
}

const RECIPES: readonly (readonly [name: string, isMissing: boolean, start: () => Promise<Run>])[] = [
  [
    'Python',
    !isPyJwtInstalled() && process.env.REQUIRE_ENGINES !== '1',
    async () => {
      const code = (await readRecipe('python')) + PYTHON_CALLER
      return (ask) => run([PYTHON, '-c', code], ask)
    },
  ],
  [
    'JavaScript',
    false,
    async () => {
      const { path, remove } = await createTempDir('recipe')
      leftovers.push(remove)
      await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'))
      await Bun.write(join(path, 'recipe.mjs'), (await readRecipe('js')) + JS_CALLER)
      return (ask) => run([process.execPath, join(path, 'recipe.mjs')], ask)
    },
  ],
]

for (const [name, isMissing, start] of RECIPES) {
  describe.skipIf(isMissing)(`the documented recipe in ${name}`, () => {
    let recipe: (token: string) => Promise<Outcome>
    beforeAll(async () => {
      const ask = await start()
      recipe = (token) =>
        ask({
          token,
          auth_key: game.authKey,
          issuer: ISSUER,
          app_id: String(game.appId),
          game_uid: game.gameUid,
          url: `${server.url}/api/v1/extstore/${game.gameUid}/server/verify`,
        })
    })

    test('takes a token the server made, and reads every claim', async () => {
      const { token } = await game.signIn({ ownerExtstoreId: newExtstoreId(), vacBanned: true })
      const { checked, verified } = await recipe(token)
      expect(checked).toEqual(decodeJwt(token))
      expect(verified).toEqual({
        valid: true,
        expired: false,
        revoked: false,
        claims: decodeJwt(token),
      } as never)
    })

    test('sees a revocation only by asking', async () => {
      const { token, session_uid: jti } = await game.signIn()
      await game.revoke({ jti })
      const { checked, verified } = await recipe(token)
      expect(checked).not.toBeNull()
      expect(verified).toMatchObject({ valid: false, revoked: true })
    })

    const forged = [
      ['expired', async () => (await insertToken(server, game, { age: 3601 })).token],
      ["another game's", async () => (await other.signIn()).token],
      ['changed', async () => (await game.signIn()).token.replace(/\..{20}/, `.${'e'.repeat(20)}`)],
      ['in HS256', async () => await forge({}, { alg: 'HS256', typ: 'JWT' })],
      ['of another issuer', async () => await forge({ iss: 'https://elsewhere.example' })],
      ['for another app', async () => await forge({ aud: 'extstore:1' })],
      ['for another listing', async () => await forge({ gid: other.gameUid })],
      ['without an expiry', async () => await forge({ exp: undefined })],
    ] as const
    test.each(forged)('refuses a token that is %s', async (_, make) => {
      const { checked, verified } = await recipe(await make())
      expect(checked).toBeNull()
      expect(verified?.valid ?? false).toBe(false)
    })
  })
}

async function forge(changes: object, header?: { alg: string; typ: string }): Promise<string> {
  const { claims } = await insertToken(server, game)
  return await sign({ ...claims, ...changes }, game.authKey, header)
}
