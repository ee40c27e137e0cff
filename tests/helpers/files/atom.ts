import { join } from 'node:path'

import { PYTHON } from '../engines/python.ts'

export interface CheckedFeed {
  faults: string[]
  title: string
  links: Record<string, string>
  entries: { id: string; title: string; link: string; html: string }[]
}

export const hasAtomCheck = Bun.which(PYTHON) !== null || process.env.REQUIRE_ENGINES === '1'

/** Reads a feed with a parser that is not ours, and checks it by RFC 4287. Throws where it is no XML. */
export async function checkAtom(text: string): Promise<CheckedFeed> {
  const child = Bun.spawn([PYTHON, join(import.meta.dir, 'check-atom.py')], {
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, fault] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`Not a feed: ${fault}`)
  return JSON.parse(printed) as CheckedFeed
}
