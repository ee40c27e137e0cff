import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parse, parseAllDocuments } from 'yaml'

import { parseConfig } from '../../src/config/config.ts'
import { CONFIG_VARIABLES } from '../../src/config/services.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version }: { version: string } = JSON.parse(read('package.json'))

/** An exact release (`v1.2`, `1.2.3-slim`) or a dated one (`trixie-20260101-slim`). */
const PINNED = /^[a-z0-9./-]+:(v?\d+(\.\d+)+|[a-z]+-\d{8})(-[a-z0-9-]+)?$/
const TEXT = expect.any(String)
const LONG_SECRET = 'x'.repeat(48)

describe('Dockerfile', () => {
  const steps = readDockerfile(read('infra/Dockerfile'))
  const argumentsOf = (instruction: string) =>
    steps.filter((step) => step.instruction === instruction).map((step) => step.rest)

  test('every base image is pinned, Bun to the version that the project is tested with', () => {
    const images = argumentsOf('FROM').map((rest) => rest.split(' ')[0])
    for (const image of images) expect(image).toMatch(PINNED)
    expect(images[0]).toBe(`oven/bun:${Bun.version}`)
  })

  test('what is copied exists and is let through by the ignore file', () => {
    const ignore = read('infra/Dockerfile.dockerignore').split('\n')
    const sources = argumentsOf('COPY')
      .filter((rest) => !rest.includes('--from='))
      .flatMap((rest) => rest.split(' ').slice(0, -1))
    expect(sources.length).toBeGreaterThan(0)
    expect(ignore).toContain('*')
    for (const source of sources) {
      expect({ source, exists: existsSync(join(root, source)) }).toEqual({ source, exists: true })
      const parents = source.split('/').map((_, depth, parts) => `!${parts.slice(0, depth + 1).join('/')}`)
      expect({ source, isLet: parents.some((parent) => ignore.includes(parent)) }).toEqual({
        source,
        isLet: true,
      })
      expect(ignore).not.toContain(source)
    }
  })

  test('the patches of packages are there before these are installed', () => {
    const copied = steps.findIndex(({ rest }) => rest.startsWith('infra/patches '))
    expect(copied).toBeGreaterThan(-1)
    expect(copied).toBeLessThan(steps.findIndex(({ rest }) => rest.startsWith('bun install')))
  })

  test('it ends as a numeric user without privileges, with a health check and a clean stop', () => {
    const final = steps.slice(steps.findLastIndex((step) => step.instruction === 'FROM'))
    const last = (name: string) => final.findLast((step) => step.instruction === name)?.rest
    expect(last('USER')).toMatch(/^[1-9]\d+:[1-9]\d+$/)
    expect(last('HEALTHCHECK')).toContain('["playshelf", "doctor", "--ready"]')
    expect(last('STOPSIGNAL')).toBe('SIGTERM')
    expect(last('VOLUME')).toBe('/data')
    expect(argumentsOf('ARG')).toContain(`VERSION=${version}`)
  })
})

interface ComposeService {
  image: string
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  network_mode?: string
  command?: string[]
  volumes?: string[]
  configs?: { source: string }[]
  ports?: string[]
  healthcheck?: { test: string[] }
  restart?: string
  privileged?: boolean
  deploy?: { resources?: { limits?: { cpus?: string; memory?: string } } }
}

describe('compose.yaml', () => {
  const text = read('infra/compose.yaml')
  const example = readEnvFile(read('infra/compose.env.example'))
  const compose: {
    services: Record<string, ComposeService>
    volumes: Record<string, unknown>
    configs: Record<string, { content: string }>
  } = parse(text, { merge: true })
  const services = Object.entries(compose.services)
  const required = [...text.matchAll(/\$\{(\w+):\?/g)].map((match) => match[1] ?? '')
  const filled = { ...example, ...Object.fromEntries(required.map((name) => [name, LONG_SECRET])) }

  test.each(services)('%s is pinned, limited, restarted and without privileges', (_name, service) => {
    expect(service.image).toMatch(PINNED)
    expect(service.restart).toBeDefined()
    expect(service.privileged).toBeUndefined()
    expect(service.deploy?.resources?.limits).toEqual({ cpus: TEXT, memory: TEXT })
    for (const port of service.ports ?? []) expect(port).toStartWith('127.0.0.1:')
  })

  test.each(services)('%s refers only to what the file declares', (_name, service) => {
    const services = Object.keys(service.depends_on ?? {})
    if (service.network_mode) services.push(service.network_mode.replace(/^service:/, ''))
    expect(services.filter((name) => !(name in compose.services))).toEqual([])
    const volumes = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '')
    expect(volumes.filter((name) => !(name in compose.volumes))).toEqual([])
    const configs = (service.configs ?? []).map((config) => config.source)
    expect(configs.filter((name) => !(name in compose.configs))).toEqual([])
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck).toBeDefined()
    }
  })

  test('the example names every variable of the file, and no secret has a value in it', () => {
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? ''))
    expect([...used].sort()).toEqual(Object.keys(example).sort())
    expect(required).toContain('SECRET_KEY')
    expect(required.filter((name) => example[name] !== '')).toEqual([])
  })

  test('the program accepts the environment it is given', () => {
    const given = Object.entries(compose.services['playshelf']?.environment ?? {})
    const config = readConfig(Object.fromEntries(given.map(([name, value]) => [name, fillIn(value, filled)])))
    expect(config.storage).toMatchObject({
      bucket: 'playshelf',
      endpoint: 'http://s3:8333',
      publicEndpoint: 'http://localhost:8333',
    })
    expect(compose.services['playshelf']?.image).toBe(`playshelf:${version}`)
    expect(config.scanner).toEqual({ kind: 'clamd', host: 'clamd', port: 3310 })
  })

  test('the object store shares its network namespace with the maker of its bucket alone', () => {
    const sharing = services.filter(([, { network_mode }]) => network_mode !== undefined)
    expect(sharing.map(([name, { network_mode }]) => [name, network_mode])).toEqual([
      ['bucket', 'service:s3'],
    ])
    const command = compose.services['s3']?.command ?? []
    expect(command).toContain('-ip.bind=127.0.0.1')
    expect(command.filter((part) => part.includes('0.0.0.0'))).toEqual(['-s3.ip.bind=0.0.0.0'])
  })

  test('the object store knows the one identity that the program signs with', () => {
    const content = fillIn(compose.configs['s3-identities']?.content ?? '', {
      ...filled,
      S3_ACCESS_KEY: 'id',
    })
    const credentials = [{ accessKey: 'id', secretKey: LONG_SECRET }]
    expect(JSON.parse(content).identities).toMatchObject([{ name: 'playshelf', credentials }])
  })
})

interface Manifest {
  apiVersion?: string
  kind: string
  metadata?: { name?: string }
  resources?: string[]
  data?: Record<string, string>
  stringData?: Record<string, string>
  spec?: {
    selector?: { matchLabels?: object }
    ports?: { targetPort: string }[]
    policyTypes?: string[]
    egress?: { to: { ipBlock?: { cidr: string; except: string[] } }[]; ports?: { port: number }[] }[]
    template?: { metadata: { labels: Record<string, string> }; spec: { containers: object[] } }
  }
}

describe('kubernetes', () => {
  const files = readdirSync(join(root, 'infra/kubernetes'))
  const manifests = files.flatMap((file) =>
    parseAllDocuments(read(`infra/kubernetes/${file}`)).map((document): Manifest => document.toJS()),
  )
  const ofKind = (...kinds: string[]) => manifests.filter((manifest) => kinds.includes(manifest.kind))
  const named = (list: Manifest[]) =>
    list.map((manifest) => [manifest.metadata?.name ?? '', manifest] as const)
  const pods = ofKind('Deployment').map((deployment) => deployment.spec?.template)

  test('kustomize takes every file but the example of a secret, and every manifest is complete', () => {
    const taken = ofKind('Kustomization')[0]?.resources ?? []
    expect([...taken, 'kustomization.yaml', 'secret.example.yaml'].sort()).toEqual(files.sort())
    const whole = manifests.filter(({ apiVersion, kind, metadata }) => apiVersion && kind && metadata?.name)
    expect(whole).toHaveLength(manifests.length - 1)
  })

  test.each(named(ofKind('Deployment', 'Job')))('%s has no privileges and is limited', (_, manifest) => {
    const drop = ['ALL']
    const locked = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop } }
    const resources = { requests: { cpu: TEXT, memory: TEXT }, limits: { memory: TEXT } }
    expect(manifest.spec?.template?.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ image: `playshelf:${version}`, resources, securityContext: locked }],
    })
  })

  test.each(named(ofKind('Deployment')))(
    '%s is probed and scraped where the program answers',
    (_, { spec }) => {
      const live = { httpGet: { path: '/health', port: 'http' } }
      const ready = { httpGet: { path: '/ready', port: 'http' } }
      const port = (name: string, containerPort: number) => ({ name, containerPort })
      const ports = [port('http', 8080), port('metrics', 9090)]
      const container = { ports, startupProbe: live, livenessProbe: live, readinessProbe: ready }
      const annotations = { 'prometheus.io/port': '9090', 'prometheus.io/path': '/metrics' }
      expect(spec?.template).toMatchObject({ metadata: { annotations }, spec: { containers: [container] } })
    },
  )

  test.each(named(ofKind('Deployment', 'PodDisruptionBudget', 'Service')))(
    '%s selects pods that exist',
    (_, { spec }) => {
      const labels = spec?.selector?.matchLabels ?? spec?.selector ?? {}
      expect(Object.keys(labels)).toHaveLength(2)
      expect(pods.filter((pod) => Bun.deepMatch(labels, pod?.metadata.labels ?? {}))).toHaveLength(1)
      for (const port of spec?.ports ?? []) expect(port.targetPort).toBe('http')
    },
  )

  test('pods reach the services they use and the internet, and no private network', () => {
    const { policyTypes, egress = [] } = ofKind('NetworkPolicy')[0]?.spec ?? {}
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    const inside = egress.filter(({ to }) => to.some((peer) => 'podSelector' in peer))
    const ports = inside.flatMap((rule) => rule.ports?.map(({ port }) => port) ?? [])
    expect(ports).toEqual([53, 53, 5432, 7700, 3310, 6379, 4318])
    for (const { cidr, except } of egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))) {
      const metadata = cidr.includes(':') ? 'fe80::/10' : '169.254.0.0/16'
      expect(except).toContain(metadata)
    }
  })

  test('the program accepts the config map with the secrets filled in, and refuses the example as it is', () => {
    const shared = ofKind('ConfigMap')[0]?.data ?? {}
    const secrets = ofKind('Secret')[0]?.stringData ?? {}
    expect(() => readConfig({ ...shared, ...secrets })).toThrow('SECRET_KEY')
    const config = readConfig({ ...shared, ...secrets, SECRET_KEY: LONG_SECRET })
    expect(config).toMatchObject({ port: 8080, metricsPort: 9090, storage: { kind: 's3' }, trustProxy: 1 })
  })
})

describe('haproxy.cfg', () => {
  const text = read('infra/haproxy/haproxy.cfg')

  test('sends the same paths to the upload processes as the ingress', () => {
    const ingress = read('infra/kubernetes/ingress.yaml')
    const paths = [...ingress.matchAll(/path: (\/api\S+)/g)].map(([, path]) => `^${path}`)
    expect(paths.length).toBeGreaterThan(1)
    expect([...text.matchAll(/acl is_upload path_reg (\S+)/g)].map(([, path]) => path)).toEqual(paths)
  })

  test('the chapter explains every variable of the file', () => {
    const chapter = read('infra/docs/running/many-processes.md')
    const names = [...text.matchAll(/\$\{(\w+)-/g)].map(([, name]) => name ?? '')
    expect(names.length).toBeGreaterThan(4)
    expect(names.filter((name) => !chapter.includes(`\`${name}\``))).toEqual([])
  })
})

function readDockerfile(text: string): { instruction: string; rest: string }[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return lines.filter(Boolean).map((line) => {
    const [instruction = '', ...rest] = line.split(/\s+/)
    return { instruction, rest: rest.join(' ') }
  })
}

/** What the program makes of these variables on top of those of the image; a variable it does not know is a typo. */
function readConfig(environment: Record<string, string>) {
  const image = readDockerfile(read('infra/Dockerfile')).filter((step) => step.instruction === 'ENV')
  const defaults = readEnvFile(image.map((step) => step.rest.replaceAll(' ', '\n')).join('\n'))
  const merged = { ...defaults, ...environment }
  const known: readonly string[] = CONFIG_VARIABLES
  expect(Object.keys(merged).filter((name) => !known.includes(name))).toEqual([])
  return parseConfig(merged)
}

function readEnvFile(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as Compose reads them. */
function fillIn(text: string, variables: Record<string, string>): string {
  return text.replace(/\$\{(\w+)(?::(-|\?)([^}]*))?\}/g, (_, name: string, kind?: string, other = '') => {
    const value = variables[name] || (kind === '-' ? other : '')
    if (!value && kind === '?') throw new Error(`${name}: ${other}`)
    return value
  })
}
