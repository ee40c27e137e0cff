import { dirname, join } from 'node:path'

import type { SourceFile } from './source-files.ts'

/** A rule returns one sentence for each violation. */
export type Rule = (files: readonly SourceFile[]) => string[]

const MAX_LINES = 400
export const MAX_FILES = 25
/** `features/<area>/…` or `features/<area>/<feature>/…`. */
const FEATURE = String.raw`^features\/[^/]+\/(?:[^/]+\/)?`

/** A file may only import from the same or a lower layer. The first matching pattern sets a file's layer. */
const LAYERS: readonly [pattern: RegExp, layer: number, name: string][] = [
  [/^(lib\/|config\/production\.ts$|(errors|error-table|text-files\.d)\.ts$)/, 0, 'lib'],
  [/^domain\//, 1, 'domain'],
  [/^(db|clients)\//, 2, 'db and clients'],
  [/^(config\/|deps\.ts$)/, 3, 'config and deps'],
  [/^jobs\//, 4, 'jobs'],
  [/^http\//, 4, 'http'],
  [new RegExp(`${FEATURE}([a-z-]*(model|queries)|jobs|mails)\\.ts$`), 5, 'model, queries, job declarations'],
  [new RegExp(`${FEATURE}([a-z-]*routes|worker)\\.tsx?$`), 7, 'routes and workers'],
  [/^features\//, 6, 'services'],
  [/^site\//, 7, 'site'],
  [/^demo\//, 7, 'demo'],
  [/^(app(-[a-z]+)?\.ts$|worker\/)/, 8, 'app and job registry'],
  [/^commands\//, 9, 'commands'],
  [/^(main\.ts$|cli\/)/, 10, 'programs'],
]

/** Areas from bottom to top: an area may only use areas on a lower floor. */
const FLOORS: readonly (readonly string[])[] = [
  ['audit'],
  ['settings'],
  ['mail'],
  ['games', 'storage', 'installers'],
  ['accounts', 'builds'],
  ['telemetry', 'listings'],
  ['community', 'extstore', 'people'],
  ['catalog', 'selling'],
  ['play', 'saves', 'bugs', 'asset-library', 'jams'],
  ['agents', 'operate'],
]

/** The files that may import a package directly. */
const PACKAGES: readonly [name: RegExp, allowed: RegExp][] = [
  [/^drizzle-orm/, new RegExp(`^(db|clients/search|jobs|demo)/|${FEATURE}[a-z-]*queries\\.ts$`)],
  [/^elysia$/, new RegExp(`^(http/|site/|app(-[a-z]+)?\\.ts$)|${FEATURE}[a-z-]*(model|routes)\\.ts$`)],
  [/^preact/, /^site\//],
  [/^stripe$/, /^clients\/stripe\//],
  [/^postgres$/, /^(db\/|jobs\/liveness\.ts$)/],
  [/^(commander|ignore)$/, /^cli\//],
  [/^graphile-worker$/, /^(jobs\/(runner|limits)\.ts$|db\/migrate\.ts$)/],
]

/** Both `main.ts` read the environment, `production.ts` sets the mode of libraries. */
const ENVIRONMENT = new Set(['main.ts', 'cli/main.ts', 'config/production.ts'])
/** Files that parse JSON this program wrote itself. Islands and the script of games run in the browser, as do the snippets for games. */
const OWN_JSON =
  /^(lib\/json|http\/openapi\/\w+|db\/migrate|clients\/search\/postgres\/snapshots\/snapshot-file|site\/[\w/-]+\.client|site\/studio\/saves\/snippets|features\/play\/sdk\/[\w.-]+)\.ts$/

/** `builds/routes.ts` composes the routes of the features in its area, and belongs to none of them. */
const AREA_ROUTES = /^features\/[^/]+\/routes\.ts$/

/** Files private to a feature; queries for other features are in `shared-queries.ts`. */
const CLOSED_FILES = /\/((?!shared-)[a-z-]*(queries|routes)|mails)\.tsx?$/

const MAY_KNOW_HTTP = new RegExp(
  `^features\\/(agents|play\\/(origin|files))\\/|${FEATURE}[a-z-]*(routes|model)\\.ts$`,
)

const LAYER_RULE: Rule = (files) =>
  files.flatMap((file) =>
    localImports(file)
      .filter((target) => rankOf(target) > rankOf(file.path))
      .map((target) => `${file.path} (${nameOf(file.path)}) imports ${target} (${nameOf(target)})`),
  )

/** Each rule with a file that breaks it, to prove that the rule still detects violations. */
export const RULES: readonly { name: string; rule: Rule; breach: readonly [path: string, text: string][] }[] =
  [
    {
      name: 'every file belongs to a layer',
      rule: (files) => files.filter(({ path }) => layerOf(path) === undefined).map(({ path }) => path),
      breach: [['misc/helpers.ts', '']],
    },
    {
      name: 'imports only go downwards',
      rule: LAYER_RULE,
      breach: [['lib/ids.ts', "import { x } from '../db/client.ts'"]],
    },
    {
      name: 'packages stay where they belong',
      rule: (files) =>
        files.flatMap(({ path, imports }) =>
          imports
            .filter(({ target, isLocal }) => !isLocal && isForbiddenPackage(target, path))
            .map(({ target }) => `${path} imports ${target}`),
        ),
      breach: [['features/games/service.ts', "import { eq } from 'drizzle-orm'"]],
    },
    {
      name: 'every area has a floor',
      rule: (files) =>
        [...new Set(files.flatMap(({ path }) => areaOf(path) ?? []))].filter((area) => floorOf(area) === -1),
      breach: [['features/misc/service.ts', '']],
    },
    {
      name: 'areas only use areas below them',
      rule: (files) =>
        files.flatMap((file) =>
          localImports(file)
            .filter((target) => isUpward(areaOf(file.path), areaOf(target)))
            .map((target) => `${file.path} imports ${target}`),
        ),
      breach: [['features/builds/scans/service.ts', "import { x } from '../../catalog/search/service.ts'"]],
    },
    {
      name: 'queries and routes stay inside their feature',
      rule: (files) =>
        files.flatMap((file) =>
          localImports(file)
            .filter((target) => isOtherFeature(file.path, target) && CLOSED_FILES.test(target))
            .map((target) => `${file.path} imports ${target}`),
        ),
      breach: [['features/builds/scans/service.ts', "import { x } from '../channels/queries.ts'"]],
    },
    {
      name: 'files form no circle',
      rule: (files) => findCircles(files, (path) => path),
      breach: [
        ['lib/ids.ts', "import { x } from './json.ts'"],
        ['lib/json.ts', "import { y } from './ids.ts'"],
      ],
    },
    {
      name: 'features form no circle',
      rule: (files) => findCircles(files, featureOf),
      breach: [
        ['features/builds/scans/service.ts', "import { x } from '../channels/service.ts'"],
        ['features/builds/channels/service.ts', "import { y } from '../scans/service.ts'"],
      ],
    },
    {
      name: 'the uploader loads no server code: models only as types',
      rule: (files) =>
        files
          .filter(
            ({ path, text }) => path.startsWith('cli/') && /^import (?!type ).*\/features\//m.test(text),
          )
          .map(({ path }) => path),
      breach: [['cli/push.ts', "import { Build } from '../features/builds/registry/model.ts'"]],
    },
    {
      name: 'the uploader stands on lib, domain, errors and models alone',
      rule: (files) =>
        files
          .filter(({ path }) => path.startsWith('cli/'))
          .flatMap((file) =>
            localImports(file)
              .filter((target) => !/^(cli|lib|domain)\/|^errors\.ts$|model\.ts$/.test(target))
              .map((target) => `${file.path} imports ${target}`),
          ),
      breach: [['cli/push.ts', "import { x } from '../db/client.ts'"]],
    },
    {
      name: 'pages and agents call services, never the database',
      rule: (files) =>
        files
          .filter(({ path }) => path.startsWith('site/'))
          .flatMap((file) =>
            localImports(file)
              .filter((target) => /^db\/|queries\.ts$/.test(target))
              .map((target) => `${file.path} imports ${target}`),
          ),
      breach: [['site/catalog/home-page.tsx', "import { x } from '../../features/games/queries.ts'"]],
    },
    {
      name: 'services know nothing of HTTP: only routes, models and the doors of agents and games do',
      rule: (files) =>
        files
          .filter(({ path }) => path.startsWith('features/') && !MAY_KNOW_HTTP.test(path))
          .flatMap((file) =>
            localImports(file)
              .filter((target) => target.startsWith('http/'))
              .map((target) => `${file.path} imports ${target}`),
          ),
      breach: [['features/games/service.ts', "import { x } from '../../http/input/schema.ts'"]],
    },
    {
      name: 'the environment is read in one place',
      rule: (files) =>
        files
          .filter(
            ({ path, text }) =>
              !ENVIRONMENT.has(path) && /process\.env|Bun\.env|import\.meta\.env/.test(text),
          )
          .map(({ path }) => path),
      breach: [['lib/log.ts', 'export const level = process.env.LOG_LEVEL']],
    },
    {
      name: 'the mode of libraries is set before any of them is loaded',
      rule: (files) =>
        files
          .filter(({ path, imports }) => path === 'main.ts' && imports[0]?.target !== 'config/production.ts')
          .map(({ path }) => path),
      breach: [['main.ts', "import { x } from './config/config.ts'"]],
    },
    {
      name: 'JSON from outside is parsed in one place, with limits',
      rule: (files) =>
        files
          .filter(({ path, text }) => !OWN_JSON.test(path) && /JSON\.parse\(|\.json\(\)/.test(text))
          .map(({ path }) => path),
      breach: [['http/input/body.ts', 'const body = JSON.parse(text)']],
    },
    {
      name: `no file is longer than ${MAX_LINES} lines`,
      rule: (files) =>
        files.filter(({ text }) => text.split('\n').length - 1 > MAX_LINES).map(({ path }) => path),
      breach: [['lib/long.ts', '\n'.repeat(MAX_LINES + 1)]],
    },
    {
      name: `no folder holds more than ${MAX_FILES} files`,
      rule: (files) =>
        [...Map.groupBy(files, ({ path }) => dirname(path))]
          .filter(([, inside]) => inside.length > MAX_FILES)
          .map(([folder]) => folder),
      breach: Array.from(
        { length: MAX_FILES + 1 },
        (_, number) => [`lib/full/file-${number}.ts`, ''] as const,
      ),
    },
    {
      // Elysia writes the meaning of the options into the object itself, so it can serve one server only.
      name: 'routes do not share an object of options',
      rule: (files) =>
        files
          .filter(({ text }) =>
            /^(?:export )?const \w+ = \{[^\n=]*\b(?:open|page|visitor|website|operator|operatorPage): true/m.test(
              text,
            ),
          )
          .map(({ path }) => path),
      breach: [['site/account/routes.tsx', "const COUNTED = { limit: 'accounts', page: true } as const"]],
    },
    {
      name: 'the account library is loaded by the first request that needs it, not at the start',
      rule: (files) =>
        loadedWith('app.ts', files).flatMap(({ path, text }) =>
          valueImports(text)
            .filter((target) => /^@?better-auth\b/.test(target))
            .map((target) => `${path} imports ${target}`),
        ),
      breach: [
        [
          'features/accounts/account-routes.ts',
          "import { APIError } from 'better-auth/api'\nexport const error = new APIError('FORBIDDEN')",
        ],
      ],
    },
    {
      name: 'no file passes on what others export',
      rule: (files) =>
        files
          .filter(
            ({ path, text }) =>
              /(^|\/)index\.tsx?$/.test(path) || /^export (?:type )?(?:\*|\{[^}]*\}) from/m.test(text),
          )
          .map(({ path }) => path),
      breach: [['features/games/service.ts', "export { readCards } from './cards.ts'"]],
    },
  ]

const transpiler = new Bun.Transpiler({ loader: 'tsx' })

/** Imports of values that are loaded with the file, without those by `import()`. */
function valueImports(text: string): string[] {
  return transpiler.scanImports(text).flatMap(({ kind, path }) => (kind === 'import-statement' ? path : []))
}

/** The file and everything that is loaded before it runs. */
function loadedWith(entry: string, files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const loaded = new Set<SourceFile>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path)
    if (!file || loaded.has(file)) continue
    loaded.add(file)
    const folder = dirname(file.path)
    waiting.push(
      ...valueImports(file.text).flatMap((target) => (target.startsWith('.') ? join(folder, target) : [])),
    )
  }
  return [...loaded]
}

/** What the handlers of a job load when it runs does not count: they stand beside its declaration. */
function localImports({ path, imports }: SourceFile): string[] {
  const isOfJobs = path.startsWith('features/') && path.endsWith('/jobs.ts')
  return imports.flatMap(({ target, isLocal, isLazy }) =>
    isLocal && !target.startsWith('..') && !(isOfJobs && isLazy) ? [target] : [],
  )
}

function layerOf(path: string) {
  return LAYERS.find(([pattern]) => pattern.test(path))
}

function rankOf(path: string): number {
  return layerOf(path)?.[1] ?? Number.POSITIVE_INFINITY
}

function nameOf(path: string): string {
  return layerOf(path)?.[2] ?? 'no layer'
}

function isForbiddenPackage(name: string, path: string): boolean {
  return PACKAGES.some(([pattern, allowed]) => pattern.test(name) && !allowed.test(path))
}

function areaOf(path: string): string | null {
  return /^features\/([^/]+)\//.exec(path)?.[1] ?? null
}

function floorOf(area: string): number {
  return FLOORS.findIndex((areas) => areas.includes(area))
}

function isUpward(from: string | null, to: string | null): boolean {
  return from !== null && to !== null && from !== to && floorOf(to) >= floorOf(from)
}

/** `builds/scans`, or the area itself if it is a single feature, whose folders only group its files. */
function featureOf(path: string): string | null {
  if (AREA_ROUTES.test(path)) return null
  if (/^features\/accounts\//.test(path)) return 'accounts'
  return /^features\/([^/]+(?:\/[^/]+)?)\/[^/]+$/.exec(path)?.[1] ?? null
}

function isOtherFeature(path: string, target: string): boolean {
  const [own, other] = [featureOf(path), featureOf(target)]
  return own !== null && other !== null && own !== other
}

/** The units, files or features, that depend on themselves through others. */
function findCircles(files: readonly SourceFile[], unitOf: (path: string) => string | null): string[] {
  const uses = new Map<string, Set<string>>()
  for (const file of files) {
    const own = unitOf(file.path)
    for (const target of localImports(file)) {
      const other = unitOf(target)
      if (own && other && own !== other) uses.set(own, (uses.get(own) ?? new Set()).add(other))
    }
  }
  return [...uses.keys()].filter((unit) => reaches(uses, unit, unit, new Set()))
}

function reaches(
  uses: ReadonlyMap<string, Set<string>>,
  from: string,
  goal: string,
  seen: Set<string>,
): boolean {
  for (const next of uses.get(from) ?? []) {
    if (next === goal) return true
    if (seen.has(next)) continue
    seen.add(next)
    if (reaches(uses, next, goal, seen)) return true
  }
  return false
}
