const SLOWEST = 10

export interface TestReport {
  tests: number
  failed: number
  skipped: number
  /** The failed tests, with their files. */
  failures: string[]
  /** The files that took longest, with their seconds. */
  slowest: string[]
}

/** Reads the report that `bun test --reporter junit` wrote; zeros if there is none. */
export async function readReport(path: string): Promise<TestReport> {
  const file = Bun.file(path)
  const text = (await file.exists()) ? await file.text() : ''
  const head = /<testsuites[^>]*>/.exec(text)?.[0] ?? ''
  const read = (name: string) => Number(readAttribute(head, name) ?? 0)
  return {
    tests: read('tests'),
    failed: read('failures') + read('errors'),
    skipped: read('skipped'),
    failures: listFailures(text),
    slowest: listSlowest(text),
  }
}

function listFailures(text: string): string[] {
  return [...text.matchAll(/<testcase [^>]*[^/]>\s*<(?:failure|error)/g)].map(
    ([tag]) => `  ${readAttribute(tag, 'file')}: ${readAttribute(tag, 'name')}`,
  )
}

function listSlowest(text: string): string[] {
  const seconds = new Map<string, number>()
  for (const [tag] of text.matchAll(/<testsuite [^>]*>/g)) {
    const name = readAttribute(tag, 'name')
    if (name?.endsWith('.test.ts') || name?.endsWith('.test.tsx'))
      seconds.set(name, Number(readAttribute(tag, 'time')))
  }
  return [...seconds]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([name, time]) => `${time.toFixed(1).padStart(7)} s  ${name}`)
}

function readAttribute(tag: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]
}
