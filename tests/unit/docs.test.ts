import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { CONFIG_VARIABLES } from '../../src/config/services.ts'
import { SNIPPETS } from '../../src/site/studio/saves/snippets.ts'

const ROOT = join(import.meta.dir, '../..')
const CHAPTERS = ['README.md', ...list('.github/*.md'), ...list('infra/docs/**/*.md')]
/** Folders that a run makes. */
const MADE = /^tests\/(bench|e2e)\/results\/?$/

function list(pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort()
}

const read = (path: string) => Bun.file(join(ROOT, path)).text()

describe('every chapter', () => {
  test('is found', () => {
    expect(CHAPTERS).toContain('.github/CONTRIBUTING.md')
    expect(CHAPTERS).toContain('infra/docs/decisions/0002-own-multipart-parser.md')
  })

  test.each(CHAPTERS)('%s names files that exist', async (chapter) => {
    const text = await read(chapter)
    const paths = [...text.matchAll(/`((?:src|tests|infra|drizzle)\/[\w./-]+)`/g)].flatMap(
      ([, path]) => path ?? [],
    )
    expect(paths.filter((path) => !MADE.test(path) && !existsSync(join(ROOT, path)))).toEqual([])
  })

  test.each(CHAPTERS)('%s links to pages and headings that exist', async (chapter) => {
    const text = (await read(chapter)).replaceAll(/```[\s\S]*?```/g, '')
    const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link]) => link ?? [])
    const broken: string[] = []
    for (const link of links) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? chapter : join(dirname(chapter), path)
      const isThere = existsSync(join(ROOT, target))
      if (!isThere || (anchor !== undefined && !(await anchorsOf(target)).includes(anchor))) broken.push(link)
    }
    expect(broken).toEqual([])
  })
})

/** As GitHub makes them. */
async function anchorsOf(path: string): Promise<string[]> {
  return [...(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(SNIPPETS.map(({ engine, text }) => [engine, text] as const))(
  'the chapter about saves has what the studio shows for %s',
  async (engine, text) => {
    const chapter = await read('infra/docs/saves.md')
    const [, own = ''] = chapter.split(`\n### ${engine}\n`)
    expect(/```\w+\n([^]*?)\n```/.exec(own)?.[1]).toBe(text)
  },
)

test('the chapter of the configuration has a row for every variable, and no other', async () => {
  const rows = (await read('infra/docs/configuration.md')).matchAll(/^\| (`[A-Z_`, ]+`)/gm)
  const own = [...rows].flatMap(([, names = '']) => [...names.matchAll(/[A-Z_]+/g)].map(([name]) => name))
  // In the row of the store that they open.
  const known = [...own, 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
  expect(known.toSorted()).toEqual([...CONFIG_VARIABLES].toSorted())
})

test('the README stays short enough to be read', async () => {
  expect((await read('README.md')).split('\n').length).toBeLessThan(250)
})
